import Catalog
import SQLTypes

/// The views of pg_catalog that show names instead of oids.
enum NamedRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_tables",
            """
            schemaname name, tablename name, tableowner name, tablespace name, hasindexes bool, hasrules bool,
            hastriggers bool
            """, rows: tables),
        SystemRelation("pg_views", "schemaname name, viewname name, viewowner name, definition text", rows: views),
        SystemRelation(
            "pg_indexes", "schemaname name, tablename name, indexname name, tablespace name, indexdef text",
            rows: indexes),
        SystemRelation(
            "pg_stat_user_tables",
            """
            relid oid, schemaname name, relname name, seq_scan bigint, seq_tup_read bigint, idx_scan bigint,
            idx_tup_fetch bigint, n_tup_ins bigint, n_tup_upd bigint, n_tup_del bigint
            """, rows: tableCounts),
        SystemRelation(
            "pg_stats",
            """
            schemaname name, tablename name, attname name, null_frac real, avg_width int, n_distinct real,
            most_common_vals text, most_common_freqs text, histogram_bounds text, correlation real
            """, rows: statistics),
    ]

    private static func tables(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for relation in SystemRelations.all where !relation.isView {
            try sink.add([.text(relation.schema), .text(relation.name), .text("rdsdb"), .null, .no, .no, .no])
        }
        for table in snapshot.tables {
            try sink.add([
                .text(table.schema), .text(table.name), .text(table.owner), .null, .boolean(!table.keys.isEmpty), .no,
                .no,
            ])
        }
    }

    private static func views(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for view in snapshot.views {
            try sink.add([.text(view.schema), .text(view.name), .text(view.owner), .text(view.shownText)])
        }
    }

    private static func indexes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            for key in table.keys {
                try sink.add([
                    .text(table.schema), .text(table.name), .text(key.constraint.name), .null,
                    .text(indexText(key.constraint, of: table)),
                ])
            }
        }
    }

    static func indexText(_ key: TableConstraint, of table: TableDefinition) -> String {
        "CREATE UNIQUE INDEX \(CatalogArray.quoted(key.name)) ON \(CatalogArray.quoted(table.schema))."
            + "\(CatalogArray.quoted(table.name)) USING btree \(ConstraintRelations.list(key.columns, of: table))"
    }

    private static func tableCounts(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            let rows = snapshot.store.table(table.id)?.rowCount ?? 0
            try sink.add([
                .wide(table.id.raw), .text(table.schema), .text(table.name), .zero, .zero, .zero, .zero, .number(rows),
                .zero, .zero,
            ])
        }
    }

    private static func statistics(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            guard let data = snapshot.store.table(table.id), data.rowCount > 0 else { continue }
            let total = Double(data.rowCount)
            for (column, facts) in zip(table.columns, data.statistics.columns) {
                let distinct = facts.distinctCount > total * 0.1 ? -facts.distinctCount / total : facts.distinctCount
                try sink.add([
                    .text(table.schema), .text(table.name), .text(column.name),
                    .double(Double(Float(Double(facts.nullCount) / total))),
                    .number(Int(min(max(facts.averageWidth, 0), 65_535))),
                    .double(Double(Float(distinct))), .null, .null, .null, .null,
                ])
            }
        }
    }
}
