import Catalog
import ColumnStore
import QueryPlan
import SQLTypes
import Workload

/// CREATE TABLE AS and SELECT INTO.
struct CreateTableAsProgram: StatementProgram {
    let definition: TableDefinition
    let plan: PhysicalQuery
    let ifNotExists: Bool

    var kind: StatementKind { StatementKind("CREATE TABLE AS") }
    var effects: StatementEffects {
        var effects = StatementEffects.definition()
        effects.usesRows = true
        effects.admission = .createTableAs
        return effects
    }
    func check(_ rights: StatementRights) throws { try rights.checkCreation(of: definition) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if try execution.skipExisting(definition, ifNotExists, snapshot) { return }
        var catalog = snapshot.catalog
        catalog.nextObjectID = execution.store.reserveObjectIDs(4)
        let table = execution.place(definition, in: &catalog)
        let rows = InsertProgram(table: table, source: .plan(plan), identityColumns: [])
        let written = try execution.write(rows, snapshot, replacing: true)
        catalog.put(.table(table))
        catalog.grantDefaults(on: table.object)
        var change = StoreChange()
        change.catalog = catalog
        change.added = [written.parts]
        try execution.apply(change, on: snapshot)
        execution.rowCount = written.parts.rowCount
        try execution.handler.end(tag: "SELECT \(execution.rowCount)")
    }
}
