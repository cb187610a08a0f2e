import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE, ALTER and DROP DATABASE, USE.
extension StatementBinder {
    func bindCreateDatabase(_ node: CreateDatabaseStatement) throws -> BoundStatement {
        try checkNewName(node.name)
        let made = session.catalog.databases.keys.count { $0 != DatabaseDefinition.firstID }
        guard made < DatabaseDefinition.mostOfUsers else {
            throw SQLError(
                .limitExceeded, "cannot create more than \(DatabaseDefinition.mostOfUsers) databases",
                at: node.position)
        }
        var definition = DatabaseDefinition(id: ObjectID(0), name: node.name.text, owner: session.settings.user.id)
        for option in node.options {
            switch option.name {
            case "OWNER": definition.owner = try owner(option)
            case "FROM", "ARN", "INTEGRATION":
                throw SQLError(
                    .featureNotSupported, "CREATE DATABASE ... FROM is not supported yet", at: option.position)
            default:
                guard let change = try attribute(option) else { throw unknown(option) }
                definition.apply(change)
            }
        }
        return .createDatabase(BoundCreateDatabase(definition: definition))
    }

    func bindAlterDatabase(_ node: AlterDatabaseStatement) throws -> BoundStatement {
        let database = try session.requireDatabase(node.name)
        let changes = try node.options.map { option -> BoundAlterDatabase.Change in
            switch option.name {
            case "RENAME TO":
                guard case .names(let names)? = option.values.first, let name = names.first else {
                    throw unknown(option)
                }
                try checkNewName(name)
                return .name(name.text)
            case "OWNER TO": return .owner(try owner(option))
            case "INTEGRATION":
                throw SQLError(
                    .featureNotSupported, "ALTER DATABASE ... INTEGRATION is not supported yet", at: option.position)
            default:
                guard let change = try attribute(option) else { throw unknown(option) }
                return change
            }
        }
        if changes.isEmpty {
            throw SQLError(.syntaxError, "ALTER DATABASE says nothing to change", at: node.position)
        }
        return .alterDatabase(BoundAlterDatabase(database: database, changes: changes))
    }

    func bindDropDatabase(_ node: DropStatement) throws -> BoundStatement {
        var result = BoundDropDatabase(databases: [], missing: [])
        for target in node.targets {
            guard target.name.parts.count == 1 else {
                throw SQLError(
                    .syntaxError, "improper database name: \(target.name)", at: target.name.position)
            }
            if node.ifExists && session.catalog.database(named: target.name.name) == nil {
                result.missing.append(target.name.name)
                continue
            }
            let database = try session.requireDatabase(target.name.last)
            result.databases.append(database)
            for case .table(let table) in session.catalog.within(database.id)?.allRelations ?? [] {
                result.tables.append(table.id)
            }
        }
        return .dropDatabase(result)
    }

    func bindUse(_ node: UseStatement) throws -> BoundStatement {
        .use(BoundUse(database: try session.requireDatabase(node.database)))
    }

    // MARK: Options

    /// Databases that every cluster has are there by name.
    private func checkNewName(_ name: Identifier) throws {
        let isTaken =
            session.catalog.database(named: name.text) != nil
            || DatabaseDefinition.systemNames.contains { $0.name == name.text }
        if !isTaken { return }
        throw DatabaseDefinition.alreadyExists("\(name)").at(name.position)
    }

    private func owner(_ option: StatementOption) throws -> Int {
        guard case .names(let names)? = option.values.first, let name = names.first else { throw unknown(option) }
        return try PrincipalLookup(session.catalog.accounts, at: name.position).user(name).id
    }

    /// What both statements can say; nil for what neither knows.
    private func attribute(_ option: StatementOption) throws -> BoundAlterDatabase.Change? {
        let word = option.values.first?.text?.lowercased() ?? ""
        switch option.name {
        case "CONNECTION LIMIT":
            if word == "unlimited" || word == "-1" { return .connectionLimit(nil) }
            guard let limit = Int(word), (0...1_000_000).contains(limit) else {
                throw SQLError(
                    .invalidParameterValue, "invalid connection limit: \(word)", at: option.position)
            }
            return .connectionLimit(limit)
        case "COLLATE":
            switch word {
            case "case_sensitive", "cs": return .collation(.caseSensitive)
            case "case_insensitive", "ci": return .collation(.caseInsensitive)
            default:
                throw SQLError(
                    .syntaxError, "the collation of a database is CASE_SENSITIVE or CASE_INSENSITIVE",
                    at: option.position)
            }
        case "ISOLATION LEVEL":
            guard let level = IsolationLevel(words: word) else {
                throw SQLError(
                    .syntaxError, "the isolation level of a database is SNAPSHOT or SERIALIZABLE", at: option.position)
            }
            return .isolation(level)
        default: return nil
        }
    }

    private func unknown(_ option: StatementOption) -> SQLError {
        SQLError(.syntaxError, "option \"\(option.name.lowercased())\" not recognized", at: option.position)
    }
}

extension BindingSession {
    func requireDatabase(_ name: Identifier) throws -> DatabaseDefinition {
        if let found = catalog.database(named: name.text) { return found }
        throw DatabaseDefinition.isUnknown("\(name)").at(name.position)
    }
}

extension DatabaseDefinition {
    package mutating func apply(_ change: BoundAlterDatabase.Change) {
        switch change {
        case .name(let name): self.name = name
        case .owner(let owner): self.owner = owner
        case .connectionLimit(let limit): connectionLimit = limit
        case .collation(let collation): self.collation = collation
        case .isolation(let level): isolation = level
        }
    }
}
