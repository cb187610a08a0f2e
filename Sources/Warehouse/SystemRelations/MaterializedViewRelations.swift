import Catalog
import ColumnStore
import SQLTypes

/// Materialized views, what they depend on, and their refreshes.
enum MaterializedViewRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stv_mv_info",
            """
            db_name char(128), schema char(128), name char(128), updated_upto_xid bigint, is_stale char(1),
            owner_user_name char(128), state int, autorewrite char(1), autorefresh char(1)
            """, rows: states),
        SystemRelation(
            "svv_mv_info",
            """
            database_name char(128), schema_name char(128), user_name char(128), name char(128), is_stale char(1),
            state int, autorewrite char(1), autorefresh char(1)
            """, rows: infos),
        SystemRelation(
            "stv_mv_deps",
            """
            db_name char(128), schema char(128), name char(128), ref_schema char(128), ref_name char(128),
            ref_database_name char(128)
            """,
            rows: { snapshot, sink in
                try forEachDependency(snapshot) { try sink.add([$0, $1, $2, $3, $4, $0]) }
            }),
        SystemRelation(
            "svv_mv_dependency",
            """
            database_name char(128), schema_name char(128), name char(128), dependent_database_name char(128),
            dependent_schema_name char(128), dependent_name char(128)
            """,
            rows: { snapshot, sink in
                try forEachDependency(snapshot) { try sink.add([$0, $1, $2, $0, $3, $4]) }
            }),
        SystemRelation(
            "svl_mv_refresh_status",
            """
            db_name char(128), userid int, schema_name char(128), mv_name char(128), xid bigint, starttime ts,
            endtime ts, status text, refresh_type char(32)
            """, rows: refreshes),
        SystemRelation(
            "sys_mv_refresh_history",
            """
            user_id int, session_id int, transaction_id bigint, database_name char(128), schema_name char(128),
            mv_id bigint, mv_name char(128), refresh_type char(32), start_time ts, end_time ts, duration bigint,
            status text
            """, rows: history),
        // Changes of states are not logged.
        SystemRelation(
            "sys_mv_state",
            """
            user_id int, transaction_id bigint, database_name char(128), event_desc char(500), start_time ts,
            base_table_database_name char(128), base_table_schema char(128), base_table_name char(128),
            mv_schema char(128), mv_name char(128), state char(32)
            """),
    ]

    /// 0: a refresh computes all rows anew.
    private static let recomputed = Datum.zero

    private static func states(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (table, query) in snapshot.materializedViews {
            try sink.add([
                .text(snapshot.database), .text(table.schema), .text(table.name), .wide(query.transaction),
                staleness(query, snapshot), .text(snapshot.userName(table.owner)), recomputed, .text("f"),
                .text(query.refreshesAutomatically ? "t" : "f"),
            ])
        }
    }

    private static func infos(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (table, query) in snapshot.materializedViews {
            try sink.add([
                .text(snapshot.database), .text(table.schema), .text(snapshot.userName(table.owner)),
                .text(table.name), staleness(query, snapshot), recomputed, .text("f"),
                .text(query.refreshesAutomatically ? "t" : "f"),
            ])
        }
    }

    private static func staleness(_ query: MaterializedQuery, _ snapshot: SystemSnapshot) -> Datum {
        .text(query.isUpToDate(snapshot.store) ? "f" : "t")
    }

    /// A materialized view and one that it reads.
    private static func forEachDependency(
        _ snapshot: SystemSnapshot, _ body: (Datum, Datum, Datum, Datum, Datum) throws -> Void
    ) throws {
        let database = Datum.text(snapshot.database)
        for (table, query) in snapshot.materializedViews {
            for object in snapshot.store.catalog.objects(behind: query.references).sorted(by: { $0.id < $1.id })
            where object.kind == .materializedView {
                try body(database, .text(table.schema), .text(table.name), .text(object.schema), .text(object.name))
            }
        }
    }

    private static func refreshes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.refreshes.entries {
            try sink.add([
                snapshot.databaseName(ofTable: entry.view), .number(entry.user), .text(entry.schema),
                .text(entry.name), .wide(entry.transaction), .wide(entry.startMicroseconds),
                .wide(entry.endMicroseconds), .text(entry.outcome.status), .text("Manual"),
            ])
        }
    }

    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.refreshes.entries {
            try sink.add([
                .number(entry.user), .number(entry.session), .wide(entry.transaction),
                snapshot.databaseName(ofTable: entry.view), .text(entry.schema), .wide(entry.view.raw),
                .text(entry.name), .text("Manual"), .wide(entry.startMicroseconds), .wide(entry.endMicroseconds),
                .wide(entry.endMicroseconds - entry.startMicroseconds), .text(entry.outcome.status),
            ])
        }
    }
}

extension SystemSnapshot {
    var materializedViews: [(table: TableDefinition, query: MaterializedQuery)] {
        tables.compactMap { table in table.materialized.map { (table: table, query: $0) } }
    }
    /// Views with the text that catalogs show, materialized ones among them.
    var shownViews: [(view: ViewDefinition, text: String)] {
        var found: [(view: ViewDefinition, text: String)] = []
        for relation in relations {
            switch relation {
            case .view(let view): found.append((view: view, text: view.shownText))
            case .table(let table):
                guard let view = table.materializedText, let text = table.materializedShownText else { continue }
                found.append((view: view, text: text))
            }
        }
        return found
    }
}
