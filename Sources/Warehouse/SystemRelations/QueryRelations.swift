import Binder
import SQLTypes

/// Past statements.
enum QueryRelations {
    static let all: [SystemRelation] = [queries, queryLog]

    private static let queries = SystemRelation(
        schema: "pg_catalog", name: "stl_query",
        columns: [
            .init("userid", .integer), .init("query", .integer), .init("label", .varchar(320)), .init("xid", .bigint),
            .init("pid", .integer), .init("database", .char(32)), .init("querytxt", .char(4000)),
            .init("starttime", .timestamp), .init("endtime", .timestamp), .init("aborted", .integer),
            .init("insert_pristine", .integer), .init("concurrency_scaling_status", .integer),
        ],
        rows: { snapshot in
            snapshot.log.queries.map { query in
                [
                    .number(100), .number(query.id), .text("default"), .number(query.id), .number(query.session),
                    .text(snapshot.store.catalog.database), .text(String(query.text.prefix(4000))),
                    .number(query.startMicroseconds), .number(query.endMicroseconds),
                    .number(query.errorMessage == nil ? 0 : 1), .number(0), .number(0),
                ]
            }
        })

    private static let queryLog = SystemRelation(
        schema: "pg_catalog", name: "svl_qlog",
        columns: [
            .init("userid", .integer), .init("query", .integer), .init("xid", .bigint), .init("pid", .integer),
            .init("starttime", .timestamp), .init("endtime", .timestamp), .init("elapsed", .bigint),
            .init("aborted", .integer), .init("label", .varchar(320)), .init("substring", .varchar(60)),
        ],
        rows: { snapshot in
            snapshot.log.queries.map { query in
                [
                    .number(100), .number(query.id), .number(query.id), .number(query.session),
                    .number(query.startMicroseconds), .number(query.endMicroseconds),
                    .number(query.endMicroseconds - query.startMicroseconds),
                    .number(query.errorMessage == nil ? 0 : 1), .text("default"), .text(String(query.text.prefix(60))),
                ]
            }
        })
}
