import Platform
import SQLSyntax
import SQLTypes

/// A parsed statement with what its first binding told: parameter types and result columns. It is bound again when
/// tables have changed, or when values need a plan of their own, so it survives changes as far as it still makes sense.
public struct PreparedStatement: Sendable {
    public let text: String
    /// nil for a text without a statement.
    let parsed: ParsedStatement?
    /// As given when it was prepared.
    let givenTypes: [SQLType]
    public let parameterTypes: [SQLType]
    /// Parameters that are arrays, by zero-based number: `pg_type`'s oids. Their values are the arrays' texts.
    package var parameterArrays: [Int: Int32]
    /// nil for statements that return no rows.
    public let columns: [ResultColumn]?
    /// A query that means the same while catalog and settings stay, so that its plan may be kept.
    let isReusable: Bool
    let slot = PreparedSlot()

    init(
        text: String, parsed: ParsedStatement?, givenTypes: [SQLType] = [], parameterTypes: [SQLType] = [],
        parameterArrays: [Int: Int32] = [:], columns: [ResultColumn]?, isReusable: Bool = true
    ) {
        self.parameterArrays = parameterArrays
        self.text = text
        self.parsed = parsed
        self.givenTypes = givenTypes
        self.parameterTypes = parameterTypes
        self.columns = columns
        self.isReusable = isReusable
    }

    public var isEmpty: Bool { parsed == nil }
}

/// A value for `$n`.
public struct StatementParameter: Sendable, Hashable {
    public var type: SQLType
    public var value: Datum
    public init(type: SQLType, value: Datum) {
        self.type = type
        self.value = value
    }
}

extension Session {
    /// Parses and binds one statement.
    /// - Parameter parameterTypes: as far as the client knows them; ``SQLType/unknown`` where the context decides.
    public func prepare(_ sql: String, parameterTypes: [SQLType] = []) throws -> PreparedStatement {
        try onThread(sql) {
            try self.limited { budget in
                if let known = try self.keptDescription(sql, parameterTypes, budget) { return known }
                let statements = try self.parse(sql, budget)
                guard statements.count <= 1 else {
                    throw SQLError(.syntaxError, "cannot insert multiple commands into a prepared statement")
                }
                return try self.describe(statements.first, text: sql, parameterTypes: parameterTypes)
            }
        }
    }

    /// Runs a prepared statement; an empty one calls nothing of the handler.
    public func execute(
        _ prepared: PreparedStatement, parameters: [StatementParameter] = [], _ handler: any ResultHandler
    ) throws {
        guard let statement = prepared.parsed else { return }
        guard parameters.count == prepared.parameterTypes.count else {
            throw SQLError(
                "08P01",
                "the prepared statement needs \(prepared.parameterTypes.count) parameters, "
                    + "but \(parameters.count) were given")
        }
        try onThread(prepared.text) {
            try self.receive(.prepared(prepared, statement, parameters), handler)
        }
    }

    /// As it was prepared from this text before, in any session.
    private func keptDescription(
        _ sql: String, _ types: [SQLType], _ budget: PlanningBudget
    ) throws -> PreparedStatement? {
        let looking = StatementExecution(
            session: self, queryID: 0, text: sql, budget: budget, handler: QueryResult())
        return try looking.keptDescription(sql, parameterTypes: types)
    }

    // MARK: By name, shared by PREPARE and the protocol

    package func preparedStatement(_ name: String) -> PreparedStatement? { prepared[name] }
    package var preparedStatementCount: Int { prepared.count }
    package func setPrepared(_ name: String, _ statement: PreparedStatement?) { prepared[name] = statement }

    /// Gives the session's thread to a server: see ``StatementThread/serve(_:)``.
    package func serve(_ next: @escaping @Sendable () -> (@Sendable () -> Void)?) { thread.serve(next) }

    /// An error outside of statements, such as a parameter that is no number, fails the block as well.
    package func failTransaction() {
        if let transaction { end(transaction, failed: true) }
    }

    private func onThread<Result>(_ text: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try thread.run { try self.attributed(to: text, body) }
        } catch {
            throw SQLError(error)
        }
    }
}
