import Catalog
import ColumnStore
import SQLTypes

/// Copy jobs, their files, and how they are.
enum CopyJobRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "sys_copy_job",
            """
            job_id bigint, job_name char(128), job_owner int, data_source text, copy_query text, auto_load bool,
            creation_time ts
            """,
            rows: { snapshot, sink in
                for (job, _) in jobs(snapshot) {
                    try sink.add([
                        .wide(job.id.raw), .text(job.name), .number(job.owner), .text(job.source), .text(job.text),
                        .boolean(job.isAutomatic), .wide(job.createdMicroseconds),
                    ])
                }
            }),
        SystemRelation(
            "sys_copy_job_info",
            """
            job_id bigint, job_name char(128), job_owner int, status text, loaded_files bigint, failed_files bigint,
            last_look_time ts, last_load_time ts, error_message text
            """, rows: information),
        SystemRelation(
            "sys_copy_job_detail",
            """
            job_id bigint, job_name char(128), file_name text, file_size bigint, file_status varchar(16),
            loaded_rows bigint, query_id bigint, record_time ts, error_message text
            """, rows: details),
    ]

    /// Of all databases, with the state that each is seen in; others' for those only who see all.
    private static func jobs(_ snapshot: SystemSnapshot) -> [(job: CopyJobDefinition, inside: SystemSnapshot)] {
        let rights = snapshot.rights
        return snapshot.withinEach.flatMap { inside in
            inside.store.catalog.allCopyJobs.filter { rights.seesAllActivity || rights.owns($0.owner) }.map {
                ($0, inside)
            }
        }
    }

    private static func information(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (job, inside) in jobs(snapshot) {
            let files = try CopyJobRecord(job, inside.store).files.values
            let look = snapshot.copyJobLook(job.id)
            let failed = files.count { $0.rows == nil }
            let status = look?.error != nil ? "failing" : job.isAutomatic ? "watching" : "manual"
            try sink.add([
                .wide(job.id.raw), .text(job.name), .number(job.owner), .text(status), .number(files.count - failed),
                .number(failed), look.map { .wide($0.microseconds) } ?? .null,
                files.filter { $0.rows != nil }.map(\.microseconds).max().map { .wide($0) } ?? .null,
                .optional(look?.error),
            ])
        }
    }

    private static func details(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (job, inside) in jobs(snapshot) {
            let files = try CopyJobRecord(job, inside.store).files.values.sorted { $0.name < $1.name }
            for file in files {
                try sink.add([
                    .wide(job.id.raw), .text(job.name), .text(file.name), .wide(file.sizeBytes),
                    .text(file.rows == nil ? "failed" : "ingested"), file.rows.map { .wide($0) } ?? .null,
                    .wide(file.query), .wide(file.microseconds), .optional(file.message),
                ])
            }
        }
    }
}
