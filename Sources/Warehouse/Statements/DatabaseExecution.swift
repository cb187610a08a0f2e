import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

extension BoundCreateDatabase: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE DATABASE", .outside("CREATE DATABASE")) }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        if !rights.session.user.canCreateDatabases { throw rights.denied("", "permission denied to create database") }
        if definition.owner != rights.session.user.id {
            throw rights.denied("", "must be superuser to create database for another user")
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            if catalog.database(named: definition.name) != nil { throw definition.alreadyExists }
            catalog.makeDatabase(definition)
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundAlterDatabase: StatementProgram {
    var kind: StatementKind { StatementKind("ALTER DATABASE", .outside("ALTER DATABASE")) }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        let session = rights.session
        let mayAlter = session.owns(database.owner) || session.privileges(on: database).contains(.alter)
        if !mayAlter { throw rights.notOwner("database \(database.name)") }
        for change in changes {
            switch change {
            case .owner: throw rights.notSelf()
            case .name:
                if !session.user.canCreateDatabases {
                    throw rights.denied("", "permission denied to rename database")
                }
            case .connectionLimit, .collation, .isolation: break
            }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if changes.contains(where: { if case .name = $0 { true } else { false } }) {
            try execution.checkRename(of: database)
        }
        try execution.commit { catalog in
            for change in changes {
                guard var changed = catalog.databases[database.id] else {
                    throw DatabaseDefinition.isUnknown(database.name)
                }
                if case .owner(let owner) = change {
                    catalog.changeOwner(of: changed, to: owner)
                } else {
                    changed.apply(change)
                    catalog.put(changed)
                }
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundDropDatabase: StatementProgram {
    var kind: StatementKind { StatementKind("DROP DATABASE", .outside("DROP DATABASE")) }
    /// Its tables are locked when nobody is in the database any more: a block there would be waited for without end.
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        for database in databases where !rights.session.owns(database.owner) {
            throw rights.notOwner("database \(database.name)")
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        for name in missing {
            execution.handler.notice("INFO:  Database \"\(name)\" does not exist and will be skipped")
        }
        for database in databases { try execution.checkDrop(of: database) }
        _ = try execution.lock(tables, .exclusive)
        try execution.commit { catalog in
            for database in databases { catalog.removeDatabase(database.id) }
            catalog.forgetAccessOfDropped()
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundUse: StatementProgram {
    var kind: StatementKind { StatementKind("USE") }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        execution.session.use(database.id)
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementExecution {
    fileprivate func checkDrop(of database: DatabaseDefinition) throws {
        try checkLeft(
            database, by: "dropped", otherwise: SQLError(.objectInUse, "cannot drop the currently open database"))
    }

    fileprivate func checkRename(of database: DatabaseDefinition) throws {
        try checkLeft(
            database, by: "renamed",
            otherwise: SQLError(.featureNotSupported, "current database may not be renamed"))
    }

    /// Nobody is in it, and it is not the one that came with the warehouse.
    private func checkLeft(_ database: DatabaseDefinition, by verb: String, otherwise isCurrent: SQLError) throws {
        if database.id == session.database || database.id == session.usedDatabase { throw isCurrent }
        if database.id == DatabaseDefinition.firstID {
            throw SQLError(
                .featureNotSupported, "database \"\(database.name)\" cannot be \(verb)",
                detail: "It came with the warehouse.")
        }
        if try warehouse.sessions.becomesUnused(database.id, cancellation) { return }
        throw database.isInUse
    }

    /// SHOW USE: the database of the last USE; nothing when names mean the session's own database.
    func showUse(_ snapshot: StoreSnapshot) throws {
        let name = session.usedDatabase.flatMap { snapshot.catalog.databases[$0]?.name }
        try send([name ?? ""], column: "Use Database", tag: "SHOW")
    }
}

extension CatalogSnapshot {
    /// With a schema `public` that is everybody's, as the first database has it.
    fileprivate mutating func makeDatabase(_ definition: DatabaseDefinition) {
        var made = definition
        made.id = makeObjectID()
        put(made)
        let (schema, seen) = (makeObjectID(), databaseID)
        enter(made.id)
        put(SchemaDefinition(id: schema, name: "public", owner: UserDefinition.firstID))
        enter(seen)
        accounts.open(publicSchema: schema)
    }
}
