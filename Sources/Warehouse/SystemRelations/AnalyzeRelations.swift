import Catalog
import SQLTypes

/// What ANALYZE and ANALYZE COMPRESSION did.
enum AnalyzeRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_analyze",
            """
            userid int, xid bigint, database char(30), table_id int, status char(15), rows double,
            modified_rows double, threshold_percent int, is_auto char(1), starttime ts, endtime ts, prevtime ts,
            num_predicate_cols int, num_new_predicate_cols int, is_background char(1), auto_analyze_phase char(100),
            schema_name char(128), table_name char(136)
            """, rows: analyzes),
        SystemRelation(
            "sys_analyze_history",
            """
            user_id int, transaction_id bigint, query_id bigint, database_name char(30), schema_name char(128),
            table_name char(136), table_id int, is_automatic char(1), status char(15), start_time ts, end_time ts,
            rows double, modified_rows double, analyze_threshold_percent int, last_analyze_time ts
            """, rows: history),
        SystemRelation(
            "stl_analyze_compression",
            """
            userid int, start_time ts, xid bigint, tbl int, tablename char(128), col int, old_encoding char(15),
            new_encoding char(15), mode char(14)
            """, rows: compressions),
        SystemRelation(
            "sys_analyze_compression_history",
            """
            user_id int, start_time ts, transaction_id bigint, table_id int, table_name char(128), column_position int,
            old_encoding char(15), new_encoding char(15), mode char(14)
            """, rows: compressions),
    ]

    private static func analyzes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.analyzes.entries {
            let flag = Datum.text(entry.isAutomatic ? "t" : "f")
            let first: [Datum] = [
                .number(entry.user), .wide(entry.transaction),
                snapshot.databaseName(ofTable: entry.table.id), .wide(entry.table.id.raw), .text(entry.status),
                .double(Double(entry.rows)),
                .double(Double(entry.changedRows)), .number(entry.shownThreshold), flag, .wide(entry.startMicroseconds),
                .wide(entry.endMicroseconds), entry.previousMicroseconds.map { .wide($0) } ?? .null,
            ]
            try sink.add(
                first + [
                    .number(entry.predicateColumns), .number(entry.newPredicateColumns), flag, .null,
                    .text(entry.table.schema), .text(entry.table.name),
                ])
        }
    }

    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.analyzes.entries {
            try sink.add([
                .number(entry.user), .wide(entry.transaction), .number(entry.query),
                snapshot.databaseName(ofTable: entry.table.id), .text(entry.table.schema), .text(entry.table.name),
                .wide(entry.table.id.raw), .text(entry.isAutomatic ? "t" : "f"), .text(entry.status),
                .wide(entry.startMicroseconds), .wide(entry.endMicroseconds), .double(Double(entry.rows)),
                .double(Double(entry.changedRows)), .number(entry.shownThreshold),
                entry.previousMicroseconds.map { .wide($0) } ?? .null,
            ])
        }
    }

    private static func compressions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.compressions.entries {
            try sink.add([
                .number(entry.user), .wide(entry.startMicroseconds), .wide(entry.transaction),
                .wide(entry.table.id.raw), .text(entry.table.name), .number(entry.column), .text(entry.old.rawValue),
                .text(entry.new.rawValue), .text("ANALYZE ONLY"),
            ])
        }
    }
}
