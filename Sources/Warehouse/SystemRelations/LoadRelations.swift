import Binder
import SQLTypes

/// What COPY leaves behind.
enum LoadRelations {
    static let all: [SystemRelation] = [loadErrors, loadErrorDetail, loadCommits]

    private static let loadErrors = SystemRelation(
        schema: "pg_catalog", name: "stl_load_errors",
        columns: [
            .init("userid", .integer), .init("slice", .integer), .init("tbl", .integer), .init("starttime", .timestamp),
            .init("session", .integer), .init("query", .integer), .init("filename", .char(256)),
            .init("line_number", .bigint), .init("colname", .char(127)), .init("type", .char(10)),
            .init("col_length", .char(10)), .init("position", .integer), .init("raw_line", .char(1024)),
            .init("raw_field_value", .char(1024)), .init("err_code", .integer), .init("err_reason", .char(100)),
            .init("is_partial", .integer), .init("start_offset", .bigint), .init("copy_job_id", .bigint),
        ],
        rows: { snapshot in
            snapshot.log.badRows.map { row in
                [
                    .number(100), .number(0), .number(row.table), .number(row.startMicroseconds), .number(row.session),
                    .number(row.query), .text(row.error.file), .number(row.error.line), .text(row.error.column),
                    .text(row.error.type), .text(row.error.length), .number(row.error.position),
                    .text(row.error.rawLine), .text(row.error.rawField), .number(row.error.code),
                    .text(row.error.reason), .number(0), .number(0), .number(0),
                ]
            }
        })

    private static let loadErrorDetail = SystemRelation(
        schema: "pg_catalog", name: "sys_load_error_detail",
        columns: [
            .init("user_id", .integer), .init("query_id", .bigint), .init("transaction_id", .bigint),
            .init("session_id", .integer), .init("database_name", .char(64)), .init("table_id", .integer),
            .init("start_time", .timestamp), .init("file_name", .char(256)), .init("line_number", .bigint),
            .init("column_name", .char(127)), .init("column_type", .char(10)), .init("column_length", .char(10)),
            .init("position", .integer), .init("error_code", .integer), .init("error_message", .char(512)),
        ],
        rows: { snapshot in
            snapshot.log.badRows.map { row in
                [
                    .number(100), .number(row.query), .number(row.query), .number(row.session),
                    .text(snapshot.store.catalog.database), .number(row.table), .number(row.startMicroseconds),
                    .text(row.error.file), .number(row.error.line), .text(row.error.column), .text(row.error.type),
                    .text(row.error.length), .number(row.error.position), .number(row.error.code),
                    .text(row.error.reason),
                ]
            }
        })

    private static let loadCommits = SystemRelation(
        schema: "pg_catalog", name: "stl_load_commits",
        columns: [
            .init("userid", .integer), .init("query", .integer), .init("slice", .integer), .init("name", .char(256)),
            .init("filename", .char(256)), .init("byte_offset", .integer), .init("lines_scanned", .bigint),
            .init("errors", .integer), .init("curtime", .timestamp), .init("status", .integer),
            .init("file_format", .char(16)), .init("bytes", .bigint),
        ],
        rows: { snapshot in
            snapshot.log.files.map { file in
                [
                    .number(100), .number(file.query), .number(0), .text(file.name), .text(file.name), .number(0),
                    .number(file.rows), .number(0), .number(file.endMicroseconds), .number(1), .text("text"),
                    .number(file.bytes),
                ]
            }
        })
}
