import Binder
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

extension Session {
    /// Binds without values, for parameter types and columns.
    func describe(_ parsed: ParsedStatement?, text: String, parameterTypes: [SQLType]) throws -> PreparedStatement {
        try limited { try describe(parsed, text: text, parameterTypes: parameterTypes, $0) }
    }

    private func describe(
        _ parsed: ParsedStatement?, text: String, parameterTypes: [SQLType], _ budget: PlanningBudget
    ) throws -> PreparedStatement {
        guard let parsed else {
            return PreparedStatement(
                text: text, parsed: nil, givenTypes: parameterTypes, parameterTypes: parameterTypes, columns: nil,
                isReusable: false)
        }
        let execution = StatementExecution(
            session: self, queryID: 0, text: text, budget: budget, handler: ColumnCapture())
        try execution.checkUser(parsed.statement)
        if transactionStatus == .failed {
            guard case .transaction = parsed.statement else { throw StatementExecution.failedBlock() }
        }
        let snapshot = currentSnapshot
        defer { execution.endOwnTransaction() }
        let count = max(parsed.parameterCount, parameterTypes.count)
        let (bound, types, isReusable) = try execution.binder(snapshot, parameterTypes: parameterTypes)
            .describe(parsed.statement, parameterCount: count)
        var isQuery = false
        if case .query = bound { isQuery = true }
        return PreparedStatement(
            text: text, parsed: parsed, givenTypes: parameterTypes, parameterTypes: types,
            columns: try columns(bound, text, snapshot, budget), isReusable: isReusable && isQuery)
    }

    private func columns(
        _ statement: BoundStatement, _ text: String, _ snapshot: StoreSnapshot, _ budget: PlanningBudget
    ) throws -> [ResultColumn]? {
        switch statement {
        case .query(let query): return query.outputs.map { ResultColumn(name: $0.name, type: $0.type) }
        case .explain:
            return [ResultColumn(name: "QUERY PLAN", type: .varchar(SQLType.maximumVarcharLength))]
        case .fetch(let statement): return cursors[statement.cursor.text]?.columns
        case .execute(let statement): return prepared[statement.name.text]?.columns
        case .show:
            // Which columns SHOW has, only running it tells; it reads nothing but definitions.
            let capture = ColumnCapture()
            let execution = StatementExecution(
                session: self, queryID: 0, text: text, budget: budget, handler: capture)
            defer { execution.endOwnTransaction() }
            do {
                try execution.execute(statement, snapshot, ColumnIDSource())
            } catch ColumnCapture.Stop.columnsKnown {}
            return capture.columns
        default: return nil
        }
    }
}

/// Takes the columns of a result and stops the statement.
private final class ColumnCapture: ResultHandler {
    enum Stop: Error { case columnsKnown }
    private(set) var columns: [ResultColumn]?
    func begin(columns: [ResultColumn]) throws {
        self.columns = columns
        throw Stop.columnsKnown
    }
    func rows(_ batch: ColumnBatch) throws {}
    func end(tag: String) throws {}
}

/// PREPARE, EXECUTE, DEALLOCATE.
extension StatementExecution {
    /// Of an execution that only looked, or leaves the work to another.
    func endOwnTransaction() {
        if let own = ownTransaction { session.end(own, failed: true) }
        ownTransaction = nil
    }

    func prepare(_ statement: PrepareStatement) throws {
        let name = statement.name.text
        if session.prepared[name] != nil {
            throw SQLError("42P05", "prepared statement \"\(name)\" already exists")
        }
        var types: [SQLType] = []
        for type in statement.parameterTypes { types.append(try type.resolve()) }
        let parsed = try Parser.parse(statement.statementText, budget: budget).first
        session.prepared[name] = try session.describe(parsed, text: statement.statementText, parameterTypes: types)
        try handler.end(tag: "PREPARE")
    }

    func executePrepared(_ statement: ExecuteStatement, _ snapshot: StoreSnapshot) throws {
        let name = statement.name.text
        guard let prepared = session.prepared[name] else {
            throw SQLError("26000", "prepared statement \"\(name)\" does not exist")
        }
        guard let parsed = prepared.parsed else { return try handler.end(tag: "EXECUTE") }
        if case .execute = parsed.statement {
            throw SQLError(.featureNotSupported, "EXECUTE cannot run a prepared EXECUTE")
        }
        guard statement.arguments.count == prepared.parameterTypes.count else {
            throw SQLError(
                .syntaxError, "wrong number of parameters for prepared statement \"\(name)\"",
                detail: "Expected \(prepared.parameterTypes.count) parameters but got \(statement.arguments.count).")
        }
        var values: [StatementParameter] = []
        for (argument, type) in zip(statement.arguments, prepared.parameterTypes) {
            let bound = try binder(snapshot).bindConstant(argument, as: type)
            values.append(StatementParameter(type: type, value: try constant(bound, snapshot)))
        }
        let inner = StatementExecution(
            session: session, queryID: queryID, text: prepared.text, budget: budget, handler: handler)
        inner.parameters = values
        endOwnTransaction()
        try inner.run(parsed.statement)
        rowCount = inner.rowCount
        resultBytes = inner.resultBytes
        runs = inner.runs
    }

    func deallocate(_ statement: DeallocateStatement) throws {
        guard let name = statement.name else {
            session.prepared = [:]
            return try handler.end(tag: "DEALLOCATE")
        }
        guard session.prepared.removeValue(forKey: name.text) != nil else {
            throw SQLError("26000", "prepared statement \"\(name.text)\" does not exist")
        }
        try handler.end(tag: "DEALLOCATE")
    }
}
