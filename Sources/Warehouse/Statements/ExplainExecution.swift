import Binder
import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

extension StatementExecution {
    /// EXPLAIN shows the plan; EXPLAIN ANALYZE runs it and adds what each step did.
    func explain(
        _ options: ExplainStatement, _ statement: BoundStatement, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource
    ) throws {
        let query: LogicalQuery
        switch statement {
        case .query(let select): query = select
        case .createTableAs(_, let select, _): query = select
        case .insert(let insert): query = insert.source
        case .delete(let delete): query = try StatementExecution.query(of: delete)
        case .update(let update): query = try StatementExecution.query(of: update, ids)
        default:
            throw SQLError(
                .syntaxError, "EXPLAIN needs a SELECT, INSERT, UPDATE, DELETE or CREATE TABLE AS statement")
        }
        let plan = try optimizer(snapshot).optimize(query, ids: ids)
        let actuals = options.analyze ? try measure(plan, snapshot) : nil
        let lines = ExplainText.render(plan, verbose: options.verbose, actuals: actuals)
        try send(lines, column: "QUERY PLAN", tag: "EXPLAIN")
    }

    private func measure(_ plan: PhysicalQuery, _ snapshot: StoreSnapshot) throws -> ExplainActuals {
        let profile = ExecutionProfile(slices: warehouse.shape.slices)
        let start = SystemTime().monotonicNanoseconds()
        let leader = Leader(context: context(snapshot, profile: profile))
        var actuals = try leader.measure(plan, profile: profile, consumer: RowSink())
        actuals.totalMicroseconds = (SystemTime().monotonicNanoseconds() - start) / 1000
        return actuals
    }

    /// Lines of text as a one-column result.
    func send(_ lines: [String], column: String, tag: String) throws {
        try handler.begin(columns: [ResultColumn(name: column, type: .varchar(SQLType.maximumVarcharLength))])
        let batch = ColumnBatch(types: [.varchar(SQLType.maximumVarcharLength)])
        for line in lines { try batch.append([.text(line)]) }
        if !lines.isEmpty { try handler.rows(batch) }
        rowCount = lines.count
        try handler.end(tag: tag)
    }
}

/// Takes rows and forgets them.
final class RowSink: BatchConsumer {
    func consume(worker: Int, _ batch: ColumnBatch) throws {}
}
