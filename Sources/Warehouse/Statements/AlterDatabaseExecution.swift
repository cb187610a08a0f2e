import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

extension AlterDatabaseStatement: StatementProgram {
    var kind: StatementKind { StatementKind("ALTER DATABASE", .outside("ALTER DATABASE")) }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        let session = rights.session
        if session.owns(rights.catalog.databaseOwner) { return }
        if session.privilegesOnDatabase(rights.catalog).contains(.alter) { return }
        throw rights.notOwner("database \(name.text)")
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.alterDatabase(self, snapshot)
    }
}

extension StatementExecution {
    /// ALTER DATABASE ... ISOLATION LEVEL: for the transactions that begin afterwards.
    fileprivate func alterDatabase(_ statement: AlterDatabaseStatement, _ snapshot: StoreSnapshot) throws {
        guard statement.name.text == snapshot.catalog.database else {
            throw SQLError(
                "3D000", "database \"\(statement.name.text)\" does not exist", at: statement.name.position)
        }
        for option in statement.options {
            if option.name == "OWNER TO", case .names(let names)? = option.values.first, let name = names.first {
                try changeDatabaseOwner(to: name)
                continue
            }
            guard option.name == "ISOLATION LEVEL", case .word(let words, _)? = option.values.first else {
                throw SQLError(
                    .featureNotSupported, "ALTER DATABASE ... \(option.name) is not supported yet",
                    at: option.position)
            }
            guard let level = IsolationLevel(words: words) else {
                throw SQLError(
                    .syntaxError, "the isolation level of a database is SNAPSHOT or SERIALIZABLE", at: option.position)
            }
            try commit { $0.isolation = level }
        }
        try handler.end(tag: "ALTER DATABASE")
    }

    private func changeDatabaseOwner(to name: Identifier) throws {
        if !user.isSuperuser {
            throw SQLError(.insufficientPrivilege, "must be superuser to give objects to other users")
        }
        try commit { catalog in
            let new = try PrincipalLookup(catalog.accounts, at: name.position).user(name)
            catalog.accounts.access[.database]?.moveOwner(from: catalog.accounts.databaseOwner, to: new.id)
            catalog.accounts.databaseOwner = new.id
        }
    }
}
