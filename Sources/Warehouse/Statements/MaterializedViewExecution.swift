import Binder
import Catalog
import ColumnStore
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

/// CREATE MATERIALIZED VIEW: a table for the rows of the query, which it keeps together with the query.
struct CreateMaterializedViewProgram: StatementProgram {
    let view: BoundCreateMaterializedView
    let plan: PhysicalQuery

    var kind: StatementKind { StatementKind("CREATE MATERIALIZED VIEW") }
    var effects: StatementEffects {
        var effects = StatementEffects.definition()
        effects.usesRows = true
        effects.admission = .createTableAs
        return effects
    }

    func check(_ rights: StatementRights) throws {
        if rights.session.has(system: view.definition.kind.facts.creation) { return }
        try rights.requireCreate(inSchema: view.definition.schema)
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var definition = view.definition
        if definition.materialized?.isRepeatable == true && !plan.isRepeatable {
            if definition.materialized?.refreshesAutomatically == true {
                throw AutoRefreshRules.mutable.at(view.position)
            }
            definition.materialized?.isRepeatable = false
        }
        _ = try execution.skipExisting(definition, false, snapshot)
        var catalog = snapshot.catalog
        catalog.nextObjectID = execution.store.reserveObjectIDs(4)
        var table = execution.place(definition, in: &catalog)
        let rows = InsertProgram(table: table, source: .plan(plan), identityColumns: [])
        let written = try execution.write(rows, snapshot, replacing: true)
        var change = StoreChange()
        table.materialized?.sources = execution.sources(view.scanned, snapshot, &change)
        table.materialized?.transaction = execution.transactionNumber
        catalog.put(.table(table))
        catalog.grantDefaults(on: table.object)
        change.catalog = catalog
        change.added = [written.parts]
        try execution.apply(change, on: snapshot)
        execution.rowCount = written.parts.rowCount
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    /// The tables with the marks of their rows; those that have none yet get theirs with the change.
    func sources(
        _ tables: [ObjectID], _ snapshot: StoreSnapshot, _ change: inout StoreChange
    ) -> [MaterializedQuery.Source] {
        tables.map { table in
            let key = IdentityKey(markOf: table)
            let mark = snapshot.mark(of: table) ?? change.identity[key] ?? store.makeMark()
            if snapshot.mark(of: table) == nil { change.identity[key] = mark }
            return MaterializedQuery.Source(table: table, mark: mark)
        }
    }
}

extension MaterializedQuery {
    /// Whether the rows are those that the query would have now, as far as can be known without running it.
    func isUpToDate(_ snapshot: StoreSnapshot) -> Bool {
        isRepeatable && sources.allSatisfy { snapshot.mark(of: $0.table) == $0.mark }
            && snapshot.catalog.viewDigest(of: references) == viewDigest
    }
}
