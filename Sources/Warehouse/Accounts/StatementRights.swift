import Binder
import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// The rights of whoever runs a statement, and the words in which they are refused: each ``StatementProgram`` checks
/// what it does by these, and all that is read is checked by ``check(_:)``. Statements about accounts and grants carry
/// rules of their own, in ``AccountChange``.
struct StatementRights {
    /// Of the session's user.
    let session: AccessRights
    let catalog: CatalogSnapshot

    /// In the name of a view's owner, or of the session's user.
    func of(_ owner: Int?) -> AccessRights { owner.map { AccessRights.ofUser($0, session.accounts) } ?? session }

    // MARK: What is read

    func check(_ access: ReadAccess) throws {
        for use in access.systemUses where SystemVisibility.isRestricted(use.name) && !of(use.owner).seesAllActivity {
            throw denied("relation \(use.name)")
        }
        for use in access.functionUses {
            let function = use.function
            if of(use.owner).privileges(on: .function(function), in: catalog).contains(.execute) { continue }
            throw denied("function \(function.name)")
        }
        for use in access.uses {
            let rights = of(use.owner)
            if rights.privileges(on: use.relation, in: catalog.within(databaseOf: use.relation)).contains(.select) {
                continue
            }
            if use.needed.isEmpty && use.readColumns.isEmpty { continue }
            func maySelect(_ column: Int) -> Bool {
                rights.privileges(onColumn: column, of: use.relation).contains(.select)
            }
            let isAllowed =
                use.readColumns.isEmpty
                ? (0..<use.relation.columnCount).contains(where: maySelect) : use.readColumns.allSatisfy(maySelect)
            if !isAllowed { throw denied("relation \(use.relation.name)") }
        }
    }

    // MARK: New objects

    func checkCreation(of table: TableDefinition) throws {
        if table.isTemporary {
            guard session.privileges(on: catalog.database).contains(.temporary) else {
                throw denied(
                    "database \(catalog.database.name)", "permission denied to create temporary tables in database")
            }
        } else if !session.has(system: "CREATE TABLE") {
            try requireCreate(inSchema: table.schema)
        }
        for constraint in table.constraints { try checkReference(constraint) }
    }

    func checkReference(_ constraint: Catalog.TableConstraint) throws {
        guard case .foreignKey(let target, _) = constraint.kind, case .table(let table)? = catalog.relation(id: target)
        else { return }
        try require(.references, on: table)
    }

    func requireCreate(inSchema name: String) throws {
        guard let schema = catalog.schema(named: name) else { return }
        if !session.privileges(on: schema, in: catalog).contains(.create) { throw denied("schema \(name)") }
    }

    func requireCreateOnDatabase() throws {
        if session.privileges(on: catalog.database).contains(.create) { return }
        throw denied("database \(catalog.database.name)")
    }

    /// Objects are given away by superusers only.
    func requireSelf(_ owner: String) throws {
        if owner != session.user.name { throw notSelf() }
    }
    func notSelf() -> SQLError {
        SQLError(.insufficientPrivilege, "must be superuser to give objects to other users")
    }

    /// The tables that VACUUM and ANALYZE may touch. Of all tables those of others are left out without a word, of
    /// named ones with a warning.
    func maintained(
        _ tables: [TableDefinition], _ command: String, names: Bool, _ notice: (String) -> Void
    ) -> [TableDefinition] {
        if session.has(system: command) { return tables }
        return tables.filter { table in
            if session.owns(table.owner) || session.owns(catalog.database.owner) { return true }
            if names {
                let verb = command.lowercased()
                notice("WARNING:  skipping \"\(table.name)\" --- only table or database owner can \(verb) it")
            }
            return false
        }
    }

    // MARK: Requirements

    func require(_ privilege: PrivilegeSet, on table: TableDefinition) throws {
        if session.privileges(on: .table(table), in: catalog).contains(privilege) { return }
        throw denied("relation \(table.name)")
    }

    func requireOwner(of relation: Relation) throws { try requireOwner(of: .relation(relation)) }
    func requireOwner(of object: CatalogObject) throws {
        if !session.owns(object.owner) { throw notOwner(of: object) }
    }
    func notOwner(of object: CatalogObject) -> SQLError {
        let noun = object.kind.facts.relationKind == nil ? object.kind.noun : "relation"
        return notOwner("\(noun) \(object.name)")
    }

    func notSuperuser(_ purpose: String) -> SQLError {
        SQLError(.insufficientPrivilege, "must be superuser to \(purpose)")
    }
    func denied(_ object: String, _ message: String? = nil) -> SQLError {
        SQLError(.insufficientPrivilege, message ?? "permission denied for \(object)")
    }
    func notOwner(_ object: String) -> SQLError {
        SQLError(.insufficientPrivilege, "must be owner of \(object)")
    }
}
