import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// Owners of objects, and what new objects of an owner start with.
extension CatalogSnapshot {
    /// ALTER DEFAULT PRIVILEGES at work.
    mutating func grantDefaults(on object: CatalogObject) {
        if accounts.defaultAccess.isEmpty { return }
        let secured = object.definition.secured
        let list = accounts.initialAccess(
            to: secured, kind: object.kind.facts.defaults, owner: object.owner, database: databaseID,
            schema: schema(named: object.schema)?.id)
        if let list { accounts.access[secured] = list }
    }

    /// Gives the privileges that the owner of the object has and gave to another owner.
    ///
    /// - Returns: the new owner's id, for the definition.
    mutating func handOver(_ object: some ObjectDefinition, to name: String) throws -> Int {
        let new = try user(Identifier(name))
        moveAccess(to: object.secured, from: object.owner, to: new)
        for column in object.columnIDs { moveAccess(to: .column(object.id, column), from: object.owner, to: new) }
        return new
    }

    mutating func changeOwner(of schema: SchemaDefinition, to name: Identifier) throws {
        let new = try user(name)
        moveAccess(to: .schema(schema.id), from: schema.owner, to: new)
        var changed = schema
        changed.owner = new
        put(changed)
    }

    mutating func changeOwner(of database: DatabaseDefinition, to new: Int) {
        moveAccess(to: .database(database.id), from: database.owner, to: new)
        var changed = database
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
