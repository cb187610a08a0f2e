import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// WITH RECURSIVE: the first query's rows, then what the step makes of the rows made last, until it makes none. Each
/// round compiles the step's pipelines over exactly these rows, so that joins know their counts and bounds. Rounds have
/// executors of their own: what one has kept or put into the temporary area says nothing about the next, and the step
/// is told of in no profile, whose records would grow with the rounds. Short rounds without joins share a pipeline
/// (``RepeatedRound``). What only the step reads, such as the ways of CONNECT BY NOCYCLE, is kept for a round and not
/// for all rows.
extension QueryExecutor {
    func openRecursiveWith(_ plan: PhysicalPlan, _ recursion: PhysicalRecursion) throws -> Pipeline {
        let types = recursion.columns.map(\.type)
        var read: Set<ColumnID> = []
        plan.children[2].addSources(of: recursion.id, to: &read)
        let kept = recursion.columns.indices.filter { read.contains(recursion.columns[$0].id) }
        var all = ColumnBatch(types: kept.map { types[$0] })
        let reservation = Reservation(context)
        let silent = context.withoutProfile
        var known = withResults
        var rows = try gathered(plan.children[0], recursion.columns.map(\.id), types)
        // A step without rows is not compiled: it may hold what fails.
        let repeated = rows.rowCount == 0 ? nil : try RepeatedRound.make(plan.children[1], recursion, silent)
        let sides = context.takes(.repeatedRounds) ? RepeatedSides(recursion) : nil
        while rows.rowCount > 0 {
            try context.cancellation.check()
            for (column, place) in zip(all.columns, kept) { try column.append(rows.columns[place]) }
            all.rowsWithoutColumns += kept.isEmpty ? rows.rowCount : 0
            try keep(all, in: reservation)
            if let repeated, rows.rowCount <= RepeatedRound.largestRound {
                rows = try repeated.run(over: rows)
                continue
            }
            known[recursion.workingID] = (recursion.columns, .memory(RowSet(rows, context: silent)))
            let round = QueryExecutor(context: silent)
            round.withResults = known
            round.repeatedSides = sides
            do {
                rows = try round.gathered(plan.children[1], recursion.stepColumns, types)
            } catch {
                for reference in round.opened { reference.pipeline?.dissolve() }
                throw error
            }
        }
        let found = RowSet(all, context: context)
        withResults[recursion.id] = (
            kept.map { recursion.columns[$0] },
            .memory(RowSet(columns: found.columns, count: found.count, owners: [found, reservation]))
        )
        return try open(plan.children[2], filters: [])
    }

    /// All rows are kept until the recursion is over: a recursion without an end fails as in Redshift.
    private func keep(_ rows: ColumnBatch, in reservation: Reservation) throws {
        do {
            try reservation.raise(to: rows.reservedBytes)
        } catch let error as SQLError where error.state == .outOfMemory {
            throw SQLError(
                .outOfMemory, "Recursive CTE out of working buffers.", detail: error.detail, hint: error.hint)
        }
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

extension PhysicalPlan {
    /// The columns of a common table expression that the plan reads.
    fileprivate func addSources(of id: Int, to read: inout Set<ColumnID>) {
        if case .withReference(id, _, let sources) = operation { read.formUnion(sources) }
        for child in children { child.addSources(of: id, to: &read) }
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
