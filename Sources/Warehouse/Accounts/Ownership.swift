import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// Owners of objects, and what new objects of an owner start with.
extension CatalogSnapshot {
    /// ALTER DEFAULT PRIVILEGES at work.
    mutating func grantDefaults(on relation: Relation) {
        guard !accounts.defaultAccess.isEmpty, let owner = accounts.userID(named: relation.owner) else { return }
        let object = SecuredObject.relation(relation.id)
        let list = accounts.initialAccess(
            to: object, kind: .relation, owner: owner, schema: schemas[relation.schema]?.id)
        if let list { accounts.access[object] = list }
    }

    mutating func changeOwner(of table: inout TableDefinition, to name: String) throws {
        try moveAccess(to: .relation(table.id), from: table.owner, to: Identifier(name))
        for column in table.columns {
            try moveAccess(to: .column(table.id, column.id), from: table.owner, to: Identifier(name))
        }
        table.owner = name
    }

    mutating func changeOwner(of view: inout ViewDefinition, to name: String) throws {
        try moveAccess(to: .relation(view.id), from: view.owner, to: Identifier(name))
        for column in view.columnNames.indices {
            try moveAccess(
                to: .column(view.id, Int32(truncatingIfNeeded: column)), from: view.owner, to: Identifier(name))
        }
        view.owner = name
    }

    mutating func changeOwner(of schema: SchemaDefinition, to name: Identifier) throws {
        try moveAccess(to: .schema(schema.id), from: schema.owner, to: name)
        var changed = schema
        changed.owner = name.text
        put(changed)
    }

    private mutating func moveAccess(to object: SecuredObject, from old: String, to name: Identifier) throws {
        let new = try PrincipalLookup(accounts, at: .unknown).user(name)
        guard let old = accounts.userID(named: old) else { return }
        accounts.access[object]?.moveOwner(from: old, to: new.id)
    }
}
