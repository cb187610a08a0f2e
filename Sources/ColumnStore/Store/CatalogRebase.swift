import Catalog
import SQLTypes

/// Carries the changes of one catalog over to a newer state of what it was made from.
struct CatalogRebase {
    let base: CatalogSnapshot
    let mine: CatalogSnapshot

    func onto(_ current: CatalogSnapshot) throws -> CatalogSnapshot {
        if current == base { return mine }
        var result = current
        try moveSchemas(&result, current)
        let before = byID(base), after = byID(mine), now = byID(current)
        for (id, object) in before where after[id] != object {
            guard now[id] == object else { throw StoreConflict(table: id) }
            result.remove(object)
        }
        for (id, object) in after where before[id] != object {
            guard result.schemas[object.schema] != nil else {
                throw SQLError("3F000", "Schema \"\(object.schema)\" does not exist")
            }
            if let occupant = result.occupant(ofPlaceOf: object) { throw occupant.alreadyExists }
            for needed in object.references.map(\.object) where now[needed] == nil {
                // What the object needs is of the same transaction, or somebody has dropped it since.
                if before[needed] != nil || after[needed] == nil { throw StoreConflict(table: needed) }
            }
            result.put(object)
        }
        guard let accounts = mine.accounts.rebased(from: base.accounts, onto: current.accounts) else {
            throw SQLError(
                "40001", "could not serialize access due to concurrent change of users or privileges",
                hint: "Run the transaction again.")
        }
        result.accounts = accounts
        try checkOwners(&result)
        result.nextObjectID = max(current.nextObjectID, mine.nextObjectID)
        if mine.isolation != base.isolation { result.isolation = mine.isolation }
        return result
    }

    /// One transaction drops a user, another makes something in that user's name: the second to commit fails. What was
    /// granted meanwhile goes.
    private func checkOwners(_ result: inout CatalogSnapshot) throws {
        for (id, user) in base.accounts.users where result.accounts.users[id] == nil {
            if result.isOwner(id) || result.accounts.roles.values.contains(where: { $0.owner == id }) {
                throw mine.accounts.users[id] == nil
                    ? SQLError(
                        .objectInUse, "user \"\(user.name)\" can't be dropped because the user owns some object")
                    : SQLError(.undefinedObject, "user \"\(user.name)\" was concurrently dropped")
            }
            result.accounts.removeGrants(to: .user(id))
        }
    }

    private func moveSchemas(_ result: inout CatalogSnapshot, _ current: CatalogSnapshot) throws {
        for (name, schema) in base.schemas where mine.schemas[name] != schema {
            let before = Set(base.objects(inSchema: name).map(\.id))
            if let added = current.objects(inSchema: name).first(where: { !before.contains($0.id) }),
                mine.schemas[name] == nil
            {
                throw StoreConflict(table: added.id)
            }
            if mine.schemas[name] == nil { result.removeSchema(name) }
        }
        for (name, schema) in mine.schemas where base.schemas[name] != schema {
            if base.schemas[name] == nil && current.schemas[name] != nil {
                throw SQLError(.duplicateSchema, "Schema \"\(name)\" already exists")
            }
            result.put(schema)
        }
    }

    private func byID(_ catalog: CatalogSnapshot) -> [ObjectID: CatalogObject] {
        var result: [ObjectID: CatalogObject] = [:]
        for relation in catalog.relations.values.flatMap(\.values) { result[relation.id] = .relation(relation) }
        for function in catalog.functions.values.flatMap(\.values) { result[function.id] = .function(function) }
        return result
    }
}
