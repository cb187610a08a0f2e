import Catalog
import ColumnStore
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
    ]

    private static func tables(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for relation in SystemRelations.all where !relation.isView {
            try sink.add([.text(relation.schema), .text(relation.name), .text("rdsdb"), .null, .no, .no, .no])
        }
        for table in snapshot.tables where table.materialized == nil {
            try sink.add([
                .text(table.schema), .text(table.name), .text(snapshot.userName(table.owner)), .null,
                .boolean(!table.keys.isEmpty), .no, .no,
            ])
        }
    }

    private static func views(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (view, text) in snapshot.shownViews {
            try sink.add([
                .text(view.schema), .text(view.name), .text(snapshot.userName(view.owner)), .text(text),
            ])
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
}
