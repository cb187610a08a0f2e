import SQLTypes

/// What UNLOAD leaves behind.
enum UnloadRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_unload_log",
            """
            userid int, query int, slice int, pid int, path char(1280), start_time ts, end_time ts, line_count bigint,
            transfer_size bigint, file_format char(10)
            """, rows: log),
        SystemRelation(
            "sys_unload_history",
            """
            user_id int, query_id bigint, transaction_id bigint, session_id int, database_name text, status text,
            start_time ts, end_time ts, duration bigint, file_format text, compression_type text,
            unloaded_location text, unloaded_rows bigint, unloaded_files_count bigint, unloaded_files_size bigint,
            error_message text
            """, rows: history),
        SystemRelation(
            "sys_unload_detail",
            """
            user_id int, query_id bigint, transaction_id bigint, session_id int, database_name text, start_time ts,
            end_time ts, duration bigint, file_format text, compression_type text, file_name text, slice int,
            line_count bigint, transfer_size bigint
            """, rows: details),
    ]

    /// One row a file.
    private static func log(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for unload in snapshot.log.unloads {
            for file in unload.files {
                try sink.add([
                    .number(unload.user), .number(unload.query), .number(file.slice), .number(unload.session),
                    .text(file.name), .wide(file.startMicroseconds), .wide(file.endMicroseconds), .number(file.rows),
                    .wide(file.bytes), .text(unload.format),
                ])
            }
        }
    }

    private static func details(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let transactions = Dictionary(
            snapshot.log.queries.map { ($0.id, $0.transaction) }, uniquingKeysWith: { first, _ in first })
        for unload in snapshot.log.unloads {
            for file in unload.files {
                let statement: [Datum] = [
                    .number(unload.user), .number(unload.query), .wide(transactions[unload.query] ?? 0),
                    .number(unload.session), .text(snapshot.database),
                ]
                let facts: [Datum] = [
                    .wide(file.startMicroseconds), .wide(file.endMicroseconds),
                    .wide(file.endMicroseconds - file.startMicroseconds), .text(unload.format),
                    .text(unload.compression), .text(file.name), .number(file.slice), .number(file.rows),
                    .wide(file.bytes),
                ]
                try sink.add(statement + facts)
            }
        }
    }

    /// One row an UNLOAD statement, also of those that failed once they had begun.
    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let unloads = Dictionary(
            snapshot.log.unloads.map { ($0.query, $0) }, uniquingKeysWith: { first, _ in first })
        for query in snapshot.log.queries {
            guard let unload = unloads[query.id] else { continue }
            let statement: [Datum] = [
                .number(query.user), .number(query.id), .wide(query.transaction), .number(query.session),
                snapshot.loggedDatabase(query.database), .text(query.errorMessage == nil ? "completed" : "aborted"),
                .wide(query.startMicroseconds), .wide(query.endMicroseconds),
                .wide(query.endMicroseconds - query.startMicroseconds),
            ]
            let facts: [Datum] = [
                .text(unload.format), .text(unload.compression), .text(unload.location), .number(query.rows),
                .number(unload.files.count), .wide(unload.files.reduce(0) { $0 + $1.bytes }),
                .optional(query.errorMessage),
            ]
            try sink.add(statement + facts)
        }
    }
}
