import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// WITH RECURSIVE: the first query's rows, then what the step makes of the rows made last, until it makes none. Each
/// round compiles the step's pipelines over exactly these rows, so that joins know their counts and bounds. Rounds have
/// executors of their own: what one has kept or put into the temporary area says nothing about the next, and the step
/// is told of in no profile, whose records would grow with the rounds.
extension QueryExecutor {
    func openRecursiveWith(_ plan: PhysicalPlan, _ recursion: PhysicalRecursion) throws -> Pipeline {
        let types = recursion.columns.map(\.type)
        let all = ColumnBatch(types: types)
        let reservation = Reservation(context)
        let silent = context.withoutProfile
        var known = withResults
        var rows = try gathered(plan.children[0], recursion.columns.map(\.id), types)
        while rows.rowCount > 0 {
            try context.cancellation.check()
            try all.append(rows)
            try reservation.raise(to: all.reservedBytes)
            known[recursion.workingID] = (recursion.columns, .memory(RowSet(rows, context: silent)))
            let round = QueryExecutor(context: silent)
            round.withResults = known
            do {
                rows = try round.gathered(plan.children[1], recursion.stepColumns, types)
            } catch {
                for reference in round.opened { reference.pipeline?.dissolve() }
                throw error
            }
        }
        let kept = RowSet(all, context: context)
        withResults[recursion.id] = (
            recursion.columns, .memory(RowSet(columns: kept.columns, count: kept.count, owners: [kept, reservation]))
        )
        return try open(plan.children[2], filters: [])
    }

    /// The plan's rows in canonical forms.
    private func gathered(_ plan: PhysicalPlan, _ columns: [ColumnID], _ types: [SQLType]) throws -> ColumnBatch {
        let pipeline = try open(plan, filters: [])
        let registers = try columns.map { try pipeline.canonical(pipeline.value(of: $0)) }
        let consumer = GatheredRows(types, context)
        pipeline.emit(ResultSink(registers, types: types, consumer: consumer))
        try pipeline.run(inOrder: plan.isOrdered)
        return consumer.rows
    }
}

/// What all workers made, in one batch.
private final class GatheredRows: BatchConsumer {
    let rows: ColumnBatch
    private let reservation: Reservation
    private let turn = Lock(())

    init(_ types: [SQLType], _ context: ExecutionContext) {
        rows = ColumnBatch(types: types)
        reservation = Reservation(context)
    }

    func consume(worker: Int, _ batch: ColumnBatch) throws {
        try turn.withLock { _ in
            try rows.append(batch)
            try reservation.raise(to: rows.reservedBytes)
        }
    }
}
