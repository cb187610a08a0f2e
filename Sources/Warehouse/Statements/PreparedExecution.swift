import Binder
import ColumnStore
import SQLSyntax
import SQLTypes

extension PrepareStatement: StatementProgram {
    var kind: StatementKind { StatementKind("PREPARE") }
    var effects: StatementEffects { .session }
    /// The statement that was prepared is checked when it runs.
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let name = self.name.text, session = execution.session
        if session.prepared[name] != nil {
            throw SQLError("42P05", "prepared statement \"\(name)\" already exists")
        }
        let types = try parameterTypes.map { try $0.resolve() }
        let parsed = try Parser.parse(
            statementText, options: session.settings.syntax, budget: execution.budget
        ).first
        session.prepared[name] = try session.describe(parsed, text: statementText, parameterTypes: types)
        try execution.handler.end(tag: kind.name)
    }
}

extension ExecuteStatement: StatementProgram {
    /// The statement that it runs goes the whole way itself.
    var kind: StatementKind { StatementKind("EXECUTE", .ownRule) }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let name = self.name.text
        guard let key = execution.session.preparedName(name), let prepared = execution.session.prepared[key] else {
            throw SQLError("26000", "prepared statement \"\(name)\" does not exist")
        }
        guard let parsed = prepared.parsed else { return try execution.handler.end(tag: kind.name) }
        if case .execute = parsed.statement {
            throw SQLError(.featureNotSupported, "EXECUTE cannot run a prepared EXECUTE")
        }
        guard arguments.count == prepared.parameterTypes.count else {
            throw SQLError(
                .syntaxError, "wrong number of parameters for prepared statement \"\(name)\"",
                detail: "Expected \(prepared.parameterTypes.count) parameters but got \(arguments.count).")
        }
        let values = try zip(arguments, prepared.parameterTypes).map { argument, type in
            let bound = try execution.binder(snapshot).bindConstant(argument, as: type)
            return StatementParameter(type: type, value: try execution.constant(bound, snapshot))
        }
        try execution.follow(inner: .prepared(prepared, parsed, values))
    }
}

extension DeallocateStatement: StatementProgram {
    var kind: StatementKind { StatementKind("DEALLOCATE") }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if let name {
            guard let key = execution.session.preparedName(name.text) else {
                throw SQLError("26000", "prepared statement \"\(name.text)\" does not exist")
            }
            execution.session.prepared[key] = nil
        } else {
            execution.session.prepared = [:]
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension Session {
    /// The prepared statement that a statement means. Names that came in messages keep their case, while those in
    /// statements are folded even in quotes: ODBC's driver prepares by message and deallocates by statement.
    fileprivate func preparedName(_ name: String) -> String? {
        if prepared[name] != nil { return name }
        return prepared.keys.first { $0.lowercased() == name }
    }
}
