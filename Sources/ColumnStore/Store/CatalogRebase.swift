import Catalog
import SQLTypes

/// Carries the changes of one catalog over to a newer state of what it was made from.
struct CatalogRebase {
    let base: CatalogSnapshot
    let mine: CatalogSnapshot

    func onto(_ current: CatalogSnapshot) throws -> CatalogSnapshot {
        // From where they are seen makes no difference.
        let base = self.base.within(current.databaseID) ?? self.base
        let mine = self.mine.within(current.databaseID) ?? self.mine
        if current == base { return mine }
        var result = current
        try moveDatabases(&result)
        for id in Set(base.databases.keys).union(mine.databases.keys).sorted()
        where mine.databases[id] != nil && base.contents(of: id) != mine.contents(of: id) {
            try moveContents(of: id, &result, current)
        }
        result.enter(current.databaseID)
        guard let accounts = mine.accounts.rebased(from: base.accounts, onto: current.accounts) else {
            throw SQLError(
                "40001", "could not serialize access due to concurrent change of users or privileges",
                hint: "Run the transaction again.")
        }
        result.accounts = accounts
        try checkOwners(&result)
        result.nextObjectID = max(current.nextObjectID, mine.nextObjectID)
        return result
    }

    private func moveDatabases(_ result: inout CatalogSnapshot) throws {
        for (id, database) in base.databases where mine.databases[id] != database {
            guard let now = result.databases[id] else { throw DatabaseDefinition.isUnknown(database.name) }
            let isUntouched = now == database && result.contents(of: id) == base.contents(of: id)
            guard let changed = mine.databases[id] else {
                guard isUntouched else { throw database.isInUse }
                result.removeDatabase(id)
                continue
            }
            guard now == database else {
                throw SQLError("40001", "could not serialize access due to concurrent change of a database")
            }
            result.put(changed)
        }
        for (id, database) in mine.databases where base.databases[id] == nil { result.put(database) }
        for (id, database) in mine.databases where base.databases[id]?.name != database.name {
            if result.databases.values.contains(where: { $0.name == database.name && $0.id != id }) {
                throw database.alreadyExists
            }
        }
    }

    private func moveContents(
        of database: ObjectID, _ result: inout CatalogSnapshot, _ current: CatalogSnapshot
    ) throws {
        guard result.databases[database] != nil, let mine = self.mine.within(database) else {
            throw DatabaseDefinition.isUnknown(self.mine.databases[database]?.name ?? "")
        }
        result.enter(database)
        try moveSchemas(&result, of: database, current)
        let before = byID(base.contents(of: database)), after = byID(mine.contents(of: database))
        let now = byID(current.contents(of: database))
        for (id, object) in before where after[id] != object {
            guard now[id] == object else { throw StoreConflict(table: id) }
            result.remove(object)
        }
        for (id, object) in after where before[id] != object {
            guard result.schema(named: object.schema) != nil else {
                throw SQLError("3F000", "Schema \"\(object.schema)\" does not exist")
            }
            if let occupant = result.occupant(ofPlaceOf: object) { throw occupant.alreadyExists }
            for needed in object.references.map(\.object) where now[needed] == nil {
                // What the object needs is of the same transaction, or somebody has dropped it since.
                if before[needed] != nil || after[needed] == nil { throw StoreConflict(table: needed) }
            }
            result.put(object)
        }
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

    private func moveSchemas(
        _ result: inout CatalogSnapshot, of database: ObjectID, _ current: CatalogSnapshot
    ) throws {
        let before = base.contents(of: database), after = mine.contents(of: database)
        let now = current.contents(of: database)
        for (name, schema) in before.schemas where after.schemas[name] != schema && after.schemas[name] == nil {
            let known = Set(before.objectIDs(inSchema: name))
            if let added = now.objectIDs(inSchema: name).first(where: { !known.contains($0) }) {
                throw StoreConflict(table: added)
            }
            result.removeSchema(name)
        }
        for (name, schema) in after.schemas where before.schemas[name] != schema {
            if before.schemas[name] == nil && now.schemas[name] != nil {
                throw SQLError(.duplicateSchema, "Schema \"\(name)\" already exists")
            }
            result.put(schema)
        }
    }

    private func byID(_ contents: DatabaseContents) -> [ObjectID: CatalogObject] {
        var result: [ObjectID: CatalogObject] = [:]
        for relation in contents.relations.values.flatMap(\.values) { result[relation.id] = .relation(relation) }
        for function in contents.functions.values.flatMap(\.values) { result[function.id] = .function(function) }
        for procedure in contents.procedures.values.flatMap(\.values) { result[procedure.id] = .procedure(procedure) }
        for job in contents.copyJobs.values { result[job.id] = .copyJob(job) }
        return result
    }
}
