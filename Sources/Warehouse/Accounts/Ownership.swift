import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// Owners of objects, and what new objects of an owner start with.
extension CatalogSnapshot {
    /// ALTER DEFAULT PRIVILEGES at work.
    mutating func grantDefaults(on relation: Relation) {
        if accounts.defaultAccess.isEmpty { return }
        let object = SecuredObject.relation(relation.id)
        let list = accounts.initialAccess(
            to: object, kind: .relation, owner: relation.owner, schema: schemas[relation.schema]?.id)
        if let list { accounts.access[object] = list }
    }

    mutating func changeOwner(of table: inout TableDefinition, to name: String) throws {
        let new = try user(Identifier(name))
        moveAccess(to: .relation(table.id), from: table.owner, to: new)
        for column in table.columns { moveAccess(to: .column(table.id, column.id), from: table.owner, to: new) }
        table.owner = new
    }

    mutating func changeOwner(of view: inout ViewDefinition, to name: String) throws {
        let new = try user(Identifier(name))
        moveAccess(to: .relation(view.id), from: view.owner, to: new)
        for column in view.columnNames.indices {
            moveAccess(to: .column(view.id, Int32(truncatingIfNeeded: column)), from: view.owner, to: new)
        }
        view.owner = new
    }

    mutating func changeOwner(of schema: SchemaDefinition, to name: Identifier) throws {
        let new = try user(name)
        moveAccess(to: .schema(schema.id), from: schema.owner, to: new)
        var changed = schema
        changed.owner = new
        put(changed)
    }

    private func user(_ name: Identifier) throws -> Int {
        try PrincipalLookup(accounts, at: .unknown).user(name).id
    }

    private mutating func moveAccess(to object: SecuredObject, from old: Int, to new: Int) {
        accounts.access[object]?.moveOwner(from: old, to: new)
    }
}
