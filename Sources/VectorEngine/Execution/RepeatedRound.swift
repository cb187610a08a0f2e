import ColumnVectors
import QueryPlan
import SQLTypes

/// Rounds of a recursion whose step filters and computes from the rows made last, and does nothing else: one pipeline,
/// compiled once, runs over each round's rows on the query's thread. Compiling takes many times as long as a few rows
/// do. Rounds of more rows are for the pool.
final class RepeatedRound {
    static let largestRound = 4_096
    private let source: WorkingRows
    private let sink: RoundSink
    private let pipeline: Pipeline
    private let batch: Batch
    /// In turn: a round reads the rows that the one before has made.
    private let results: [ColumnBatch]
    private let reservation: Reservation
    private var turn = 0

    /// nil: the step does more than that.
    static func make(
        _ step: PhysicalPlan, _ recursion: PhysicalRecursion, _ context: ExecutionContext
    ) throws -> RepeatedRound? {
        guard context.takes(.repeatedRounds), step.readsOnly(recursion.workingID) else { return nil }
        let executor = QueryExecutor(context: context)
        do {
            return try RepeatedRound(step, recursion, executor)
        } catch {
            for reference in executor.opened { reference.pipeline?.dissolve() }
            throw error
        }
    }

    private init(_ step: PhysicalPlan, _ recursion: PhysicalRecursion, _ executor: QueryExecutor) throws {
        let types = recursion.columns.map(\.type)
        source = WorkingRows(types, executor.context)
        executor.working = (recursion.workingID, recursion.columns, source)
        pipeline = try executor.open(step, filters: [])
        let registers = try recursion.stepColumns.map { [pipeline] in
            try pipeline.canonical(pipeline.value(of: $0))
        }
        results = [ColumnBatch(types: types), ColumnBatch(types: types)]
        reservation = Reservation(executor.context)
        sink = RoundSink(registers, into: results[0])
        pipeline.emit(sink)
        batch = try pipeline.beginRepeating()
    }

    deinit { pipeline.dissolve() }

    /// - Returns: what the step makes of the rows; valid until the round after the next.
    func run(over rows: ColumnBatch) throws -> ColumnBatch {
        turn ^= 1
        let result = results[turn]
        result.removeAll()
        sink.result = result
        source.take(rows)
        try pipeline.repeatRun(batch)
        try reservation.raise(to: results[0].reservedBytes + results[1].reservedBytes)
        return result
    }
}

extension PhysicalPlan {
    /// Whether the plan computes from the rows of this common table expression and from nothing else.
    fileprivate func readsOnly(_ id: Int) -> Bool {
        switch operation {
        case .filter, .project, .gather: children[0].readsOnly(id)
        case .withReference(let other, _, _): other == id
        default: false
        }
    }
}

/// The working rows in memory that stays where it is, so that compiled steps find each round's rows there. Texts stay
/// with the rows that they are from.
final class WorkingRows: PipelineSource {
    private let memory: [UnsafeMutableRawPointer]
    private let validity: [UnsafeMutablePointer<UInt8>]
    let columns: [RowSet.Column]
    private var count = 0

    init(_ types: [SQLType], _ context: ExecutionContext) {
        let maker = Pipeline(context: context, source: PipelineSource())
        let rows = RepeatedRound.largestRound
        memory = types.map {
            UnsafeMutableRawPointer.allocate(byteCount: $0.physical.byteWidth * rows, alignment: 64)
        }
        validity = types.map { _ in UnsafeMutablePointer<UInt8>.allocate(capacity: rows) }
        columns = zip(types, zip(memory, validity)).map { type, place in
            RowSet.Column(
                form: maker.makeRegister(type, type.physical, nullable: true), values: place.0, validity: place.1)
        }
        super.init()
    }

    deinit {
        for address in memory { address.deallocate() }
        for address in validity { address.deallocate() }
    }

    override var rowCount: Int { RepeatedRound.largestRound }
    override var morselCount: Int { 1 }

    /// The rows outlive the round. At most ``RepeatedRound/largestRound``.
    func take(_ rows: ColumnBatch) {
        count = min(rows.rowCount, RepeatedRound.largestRound)
        for (index, column) in rows.columns.enumerated() {
            memory[index].copyMemory(from: column.values, byteCount: count * column.physical.byteWidth)
            if let valid = column.validity {
                validity[index].update(from: valid, count: count)
            } else {
                validity[index].update(repeating: 1, count: count)
            }
        }
    }

    override func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {
        var at = 0
        while at < count {
            batch.arena.removeAll()
            batch.count = min(batch.capacity, count - at)
            batch.identity = true
            batch.masked = false
            batch.window = at
            try body(batch)
            at += batch.capacity
        }
    }

    /// The columns of the expression that a reference reads, by their places in it.
    func bind(_ outputs: [OutputColumn], _ places: [Int], in pipeline: Pipeline) {
        for (output, place) in zip(outputs, places) {
            let column = columns[place]
            pipeline.bind(
                output.id,
                .fetch { pipeline in
                    let register = pipeline.makeRegister(like: column.form, nullable: true)
                    pipeline.emit(RowSetFetch(column, register))
                    return register
                })
        }
    }
}

/// Keeps what a round makes.
private final class RoundSink: Step {
    private let registers: [Register]
    var result: ColumnBatch

    init(_ registers: [Register], into result: ColumnBatch) {
        self.registers = registers
        self.result = result
        super.init(inputs: registers.map(\.index), outputs: [])
    }

    override func run(_ batch: Batch) throws {
        for (column, register) in zip(result.columns, registers) {
            let slot = batch.slots[register.index]
            try column.append(
                values: UnsafeRawPointer(slot.data), as: register.physical,
                validity: slot.validity.map { UnsafePointer($0) }, selection: nil, count: batch.count)
        }
    }
}
