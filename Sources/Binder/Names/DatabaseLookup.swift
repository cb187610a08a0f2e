import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Names that say their database: `database.schema.name`.
extension BindingSession {
    /// The database that a name says, when it is another one than that of the session; nil otherwise.
    func otherDatabase(of name: ObjectName) throws -> DatabaseDefinition? {
        try checkParts(name)
        guard let database = name.database, database != catalog.database.name else { return nil }
        guard let found = catalog.database(named: database) else {
            throw DatabaseDefinition.isUnknown(database).at(name.position)
        }
        return found
    }

    /// What is not only read is of the session's database.
    func checkDatabase(_ name: ObjectName) throws {
        if try otherDatabase(of: name) == nil { return }
        var error = name.isOfAnotherDatabase
        error.hint = "Other databases can be read only. USE the database, or connect to it."
        throw error
    }

    private func checkParts(_ name: ObjectName) throws {
        guard name.parts.count <= 3 else {
            throw SQLError(
                .syntaxError, "improper qualified name (too many dotted names): \(name)", at: name.position)
        }
    }

    /// Names in `body` are those of another database.
    func inDatabase<Result>(_ database: ObjectID, _ body: () throws -> Result) throws -> Result {
        guard let seen = catalog.within(database) else { throw DatabaseDefinition.isUnknown("") }
        let before = catalog
        catalog = seen
        defer { catalog = before }
        return try body()
    }

    /// The schema of a statement about schemas, which may say its database.
    func checkDatabase(ofSchema name: ObjectName) throws {
        guard let database = name.schema, database != catalog.database.name else { return }
        throw name.isOfAnotherDatabase
    }
}

extension ObjectName {
    /// What is said where a name of another database cannot be used.
    package var isOfAnotherDatabase: SQLError {
        SQLError(
            .featureNotSupported, "cross-database references are not implemented: \"\(self)\"", at: position)
    }
    /// The name inside of its database.
    var withoutDatabase: ObjectName { parts.count > 2 ? ObjectName(parts: Array(parts.suffix(2))) : self }
}
