import Binder
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

/// What a statement takes and returns, before it runs: for PREPARE and the protocol's Describe.
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
        let snapshot = try currentSnapshot
        defer { execution.endOwnTransaction() }
        let binding = try execution.binder(snapshot, parameterTypes: parameterTypes).bind(parsed.statement)
        let isQuery = if case .query = binding.statement { true } else { false }
        return PreparedStatement(
            text: text, parsed: parsed, givenTypes: parameterTypes,
            parameterTypes: binding.parameterTypes(count: max(parsed.parameterCount, parameterTypes.count)),
            parameterArrays: binding.parameterArrays,
            columns: try columns(binding.statement, text, snapshot, budget), isReusable: binding.isReusable && isQuery)
    }

    private func columns(
        _ statement: BoundStatement, _ text: String, _ snapshot: StoreSnapshot, _ budget: PlanningBudget
    ) throws -> [ResultColumn]? {
        switch statement {
        case .query(let query): return query.outputs.map { ResultColumn($0) }
        case .call(let call): return call.procedure.outputs.isEmpty ? nil : call.columns
        case .explain:
            return [ResultColumn(name: "QUERY PLAN", type: .varchar(SQLType.maximumVarcharLength))]
        case .copyJob(.show), .copyJob(.list): return CopyJobProgram.columns
        case .fetch(let statement): return cursors[statement.cursor.text]?.columns
        case .execute(let statement): return prepared[statement.name.text]?.columns
        case .show(let statement):
            // Which columns SHOW has, only running it tells; it reads nothing but definitions.
            let capture = ColumnCapture()
            let execution = StatementExecution(
                session: self, queryID: 0, text: text, budget: budget, handler: capture)
            defer { execution.endOwnTransaction() }
            do {
                try statement.run(execution, snapshot)
            } catch ColumnCapture.Stop.columnsKnown {}
            return capture.columns
        // ANALYZE COMPRESSION tells its columns when it runs.
        case .insert, .delete, .update, .merge, .truncate, .copy, .copyOut, .copyJob, .unload, .createTable,
            .createTableAs,
            .alterTable, .createView, .createMaterializedView, .refreshMaterializedView, .createFunction,
            .createProcedure, .alterObject, .drop, .createSchema,
            .alterSchema,
            .createDatabase, .alterDatabase, .dropDatabase, .use, .comment, .grant, .account, .analyze, .vacuum, .lock,
            .declareCursor, .transaction, .set, .reset, .prepare, .deallocate, .closeCursor,
            .alterSystem, .cancel, .snapshot, .resize:
            return nil
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
