import Catalog
import ColumnStore
import SQLTypes

/// What COPY leaves behind.
enum LoadRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_load_errors",
            """
            userid int, slice int, tbl int, starttime ts, session int, query int, filename char(256),
            line_number bigint, colname char(127), type char(10), col_length char(10), position int,
            raw_line char(1024), raw_field_value char(1024), err_code int, err_reason char(100), is_partial int,
            start_offset bigint, copy_job_id bigint
            """, rows: errors),
        SystemRelation(
            "stl_loaderror_detail",
            """
            userid int, slice int, session int, query int, filename char(256), line_number bigint, field int,
            colname char(1024), value char(1024), is_null int, type char(10), col_length char(10)
            """, rows: failedFields),
        SystemRelation(
            "sys_load_error_detail",
            """
            user_id int, query_id bigint, transaction_id bigint, session_id int, database_name char(64), table_id int,
            start_time ts, file_name char(256), line_number bigint, column_name char(127), column_type char(10),
            column_length char(10), position int, error_code int, error_message char(512)
            """, rows: errorDetails),
        SystemRelation(
            "stl_load_commits",
            """
            userid int, query int, slice int, name char(256), filename char(256), byte_offset int, lines_scanned int,
            errors int, curtime ts, status int, file_format char(16), is_partial int, start_offset bigint,
            copy_job_id bigint
            """, rows: commits),
        SystemRelation(
            "sys_load_history",
            """
            user_id int, query_id bigint, transaction_id bigint, session_id int, database_name text, status text,
            table_name text, start_time ts, end_time ts, duration bigint, data_source text, file_format text,
            loaded_rows bigint, loaded_bytes bigint, source_file_count int, source_file_bytes bigint,
            file_count_scanned int, file_bytes_scanned bigint, error_count bigint, copy_job_id bigint
            """, rows: history),
        SystemRelation(
            "stl_replacements",
            """
            userid int, query int, slice int, tbl int, starttime ts, session int, filename char(256),
            line_number bigint, colname char(127), raw_line char(1024)
            """),
        SystemRelation(
            "stv_load_state",
            """
            userid int, session int, query int, slice int, pid int, recordtime ts, bytes_to_load bigint,
            bytes_loaded bigint, bytes_to_load_compressed bigint, bytes_loaded_compressed bigint, lines int,
            num_files int, num_files_complete int, current_file char(256), pct_complete int
            """),
    ]

    private static func errors(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for row in snapshot.log.badRows {
            let user = Datum.number(row.user)
            let place: [Datum] = [
                user, .zero, .wide(row.table), .wide(row.startMicroseconds), .number(row.session), .number(row.query),
                .text(row.error.file), .number(row.error.line), .text(row.error.column), .text(row.error.type),
            ]
            let facts: [Datum] = [
                .text(row.error.length), .number(row.error.position), .text(row.error.rawLine),
                .text(row.error.rawField), .number(row.error.code), .text(row.error.reason), .zero, .zero,
                .wide(row.copyJob),
            ]
            try sink.add(place + facts)
        }
    }

    /// The field that failed; those before it, which were well, are not kept.
    private static func failedFields(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for row in snapshot.log.badRows {
            let table = snapshot.tables.first { $0.id.raw == row.table }
            let field = table?.columns.firstIndex { $0.name == row.error.column }
            try sink.add([
                .number(row.user), .zero, .number(row.session), .number(row.query), .text(row.error.file),
                .number(row.error.line), .number(field ?? 0), .text(row.error.column), .text(row.error.rawField), .zero,
                .text(row.error.type), .text(row.error.length),
            ])
        }
    }

    private static func errorDetails(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for row in snapshot.log.badRows {
            let user = Datum.number(row.user)
            try sink.add([
                user, .number(row.query), .number(row.query), .number(row.session),
                snapshot.databaseName(ofTable: ObjectID(row.table)), .wide(row.table), .wide(row.startMicroseconds),
                .text(row.error.file), .number(row.error.line),
                .text(row.error.column), .text(row.error.type), .text(row.error.length), .number(row.error.position),
                .number(row.error.code), .text(row.error.reason),
            ])
        }
    }

    private static func commits(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for file in snapshot.log.loadedFiles {
            let user = Datum.number(file.user)
            try sink.add([
                user, .number(file.query), .zero, .text(file.name), .text(file.name), .zero, .number(file.rows),
                .number(file.errors), .wide(file.endMicroseconds), .number(1), .text(file.format), .zero, .zero,
                .wide(file.copyJob),
            ])
        }
    }

    /// One row a COPY statement.
    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let files = Dictionary(grouping: snapshot.log.loadedFiles, by: \.query)
        var badRows: [Int: (table: Int64, count: Int)] = [:]
        for row in snapshot.log.badRows { badRows[row.query] = (row.table, (badRows[row.query]?.count ?? 0) + 1) }
        for query in snapshot.log.queries where QueryText.kind(query.text).type == "COPY" {
            let own = files[query.id] ?? []
            let bytes = own.reduce(Int64(0)) { $0 + $1.bytes }
            let first: [Datum] = [
                .number(query.user), .number(query.id), .wide(query.transaction),
                .number(query.session),
                snapshot.loggedDatabase(query.database), .text(query.errorMessage == nil ? "completed" : "aborted"),
                .text(tableName(query.text, own.first, snapshot)), .wide(query.startMicroseconds),
                .wide(query.endMicroseconds), .wide(query.endMicroseconds - query.startMicroseconds),
                .optional(own.first?.name), .text("text"),
            ]
            let second: [Datum] = [
                .number(query.rows), .wide(bytes), .number(own.count), .wide(bytes), .number(own.count), .wide(bytes),
                .number(badRows[query.id]?.count ?? 0), .wide(own.first?.copyJob ?? 0),
            ]
            try sink.add(first + second)
        }
    }

    /// The word behind COPY, without its schema; of a job its table.
    private static func tableName(
        _ text: String, _ file: WarehouseLog.LoadedFile?, _ snapshot: SystemSnapshot
    ) -> String {
        if let file, file.copyJob != 0 {
            guard case .copyJob(let job)? = snapshot.store.catalog.object(id: ObjectID(file.copyJob)) else { return "" }
            return snapshot.store.catalog.relation(id: job.table)?.name ?? ""
        }
        let words = text.split { $0.isWhitespace || $0 == "(" }
        guard let index = words.firstIndex(where: { $0.lowercased() == "copy" }), index + 1 < words.count else {
            return ""
        }
        return CatalogArray.nameParts(String(words[index + 1])).last ?? ""
    }
}
