import Binder
import Catalog
import Cluster
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// EXPLAIN shows a statement's plan; EXPLAIN ANALYZE runs it and adds what each step did.
struct ExplainProgram: StatementProgram {
    let options: ExplainStatement
    let inner: any StatementProgram
    let plan: PhysicalQuery

    var kind: StatementKind { StatementKind("EXPLAIN") }
    var effects: StatementEffects {
        var effects = StatementEffects.query
        effects.isReadOnly = !options.analyze || inner.effects.isReadOnly
        effects.usesRows = options.analyze && inner.effects.usesRows
        effects.admission = options.analyze ? inner.effects.admission : nil
        return effects
    }
    func check(_ rights: StatementRights) throws { try inner.check(rights) }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let actuals = options.analyze ? try execution.measure(plan, snapshot) : nil
        let analyses = execution.store.analyses
        let isChange = !inner.effects.isReadOnly
        let lines = ExplainText.render(plan, verbose: options.verbose, actuals: actuals, isChange: isChange) {
            analyses.analyzed($0) != nil
        }
        try execution.send(lines, column: "QUERY PLAN", tag: "EXPLAIN")
    }
}

extension StatementExecution {
    fileprivate func measure(_ plan: PhysicalQuery, _ snapshot: StoreSnapshot) throws -> ExplainActuals {
        let profile = ExecutionProfile(slices: warehouse.shape.slices, time: warehouse.time)
        let start = Stopwatch.nanoseconds
        let leader = Leader(context: context(snapshot, profile: profile))
        var actuals = try leader.measure(plan, profile: profile, consumer: DiscardedRows())
        actuals.totalMicroseconds = (Stopwatch.nanoseconds - start) / 1000
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
final class DiscardedRows: BatchConsumer {
    func consume(worker: Int, _ batch: ColumnBatch) throws {}
}
