import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundCreateTable: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE TABLE") }
    var effects: StatementEffects { .definition() }
    func check(_ rights: StatementRights) throws { try rights.checkCreation(of: definition) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if try !execution.skipExisting(definition, ifNotExists, snapshot) {
            try execution.commit { catalog in
                let table = execution.place(definition, in: &catalog)
                catalog.put(.table(table))
                catalog.grantDefaults(on: table.object)
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    /// Gives a new definition its id, also in foreign keys to itself, and a temporary one its schema.
    func place(_ definition: TableDefinition, in catalog: inout CatalogSnapshot) -> TableDefinition {
        var table = definition
        table.id = catalog.makeObjectID()
        for index in table.constraints.indices {
            guard case .foreignKey(definition.id, let columns) = table.constraints[index].kind else { continue }
            table.constraints[index].kind = .foreignKey(table: table.id, columns: columns)
        }
        if table.isTemporary {
            table.schema = session.temporarySchema
            if catalog.schema(named: table.schema) == nil {
                let (id, seen) = (catalog.makeObjectID(), catalog.databaseID)
                catalog.enter(session.database)
                catalog.put(SchemaDefinition(id: id, name: table.schema, owner: table.owner))
                catalog.enter(seen)
            }
        }
        return table
    }

    /// True when the relation exists and IF NOT EXISTS forgives it.
    func skipExisting(
        _ definition: TableDefinition, _ ifNotExists: Bool, _ snapshot: StoreSnapshot
    ) throws -> Bool {
        let name = definition.name
        let schema = definition.isTemporary ? session.temporarySchema : definition.schema
        guard snapshot.catalog.relation(schema: schema, name: name) != nil else { return false }
        guard ifNotExists else {
            throw SQLError(.duplicateTable, "Relation \"\(name)\" already exists")
        }
        handler.notice("INFO:  Relation \"\(name)\" already exists and will be skipped")
        return true
    }
}
