import ColumnVectors
import QueryPlan
import SQLTypes
import Synchronization

/// The best known upper bound of the last wanted row's first key word; only ever falls. Shared by the workers.
final class TopNBoundary: Sendable {
    private let word = Atomic<UInt64>(.max)
    var value: UInt64 { word.load(ordering: .relaxed) }
    func lower(to candidate: UInt64) {
        var current = word.load(ordering: .relaxed)
        while candidate < current {
            let (exchanged, original) = word.compareExchange(
                expected: current, desired: candidate, ordering: .relaxed)
            if exchanged { return }
            current = original
        }
    }
}

/// Computes the first 64 bits of the rows' normalised keys and drops the rows above the boundary.
final class TopNFilter: Step {
    override var dropsRows: Bool { true }
    private let keys: [Register]
    private let layout: SortKeyLayout
    private let word: Register
    private let boundary: TopNBoundary?

    /// - Parameter boundary: nil: no row is dropped.
    init(_ keys: [Register], _ items: [SortItem], word: Register, boundary: TopNBoundary?) {
        self.keys = keys
        self.word = word
        self.boundary = boundary
        let fields = zip(keys, items).map { register, item in
            SortField(
                form: register, lower: register.lower, upper: register.upper, nullable: register.nullable,
                descending: item.descending, nullsFirst: item.nullsFirst, saturates: true)
        }
        layout = SortKeyLayout(fields, limit: 64)
        super.init(inputs: keys.map(\.index), outputs: [word.index])
    }

    override func run(_ batch: Batch) throws {
        let words = batch.output(word.index, UInt64.self)
        words.update(repeating: 0, count: batch.count)
        let columns = keys.map {
            (data: UnsafeRawPointer(batch.slots[$0.index].data), validity: batch.validity($0.index))
        }
        layout.encode(columns, start: 0, count: batch.count, scratch: batch.hashes, out: [words])
        guard let limit = boundary?.value, limit != .max else { return }
        let positions = batch.positions
        let kept = keepWordsUpTo(limit, words, batch.count, positions)
        batch.keep(positions, kept, live: live)
    }
}

/// Moves the words as well: a step's own outputs are not among the live registers that dropping rows moves.
/// Nearly all rows go once the boundary is good, so blocks are asked first whether one of their rows stays.
private func keepWordsUpTo(
    _ limit: UInt64, _ words: UnsafeMutablePointer<UInt64>, _ count: Int, _ positions: UnsafeMutablePointer<UInt16>
) -> Int {
    let block = 32
    var kept = 0
    var start = 0
    while start < count {
        let end = min(start &+ block, count)
        if anyUpTo(limit, words + start, end &- start) {
            for i in start..<end {
                positions[kept] = UInt16(truncatingIfNeeded: i)
                kept &+= b2i(words[i] <= limit)
            }
        }
        start = end
    }
    // Apart from the search: a load behind a store to the same array waits for it.
    for i in 0..<kept { words[i] = words[Int(positions[i])] }
    return kept
}

@inline(__always)
private func anyUpTo(_ limit: UInt64, _ words: UnsafeMutablePointer<UInt64>, _ count: Int) -> Bool {
    var found = 0
    for i in 0..<count { found |= b2i(words[i] <= limit) }
    return found != 0
}

/// Keeps the rows that passed, and throws away all but the first ones whenever enough have come together.
final class TopNSink: Step {
    private let forms: [Register]
    private let word: Register
    private let items: [SortItem]
    private let keys: [Int]
    private let wanted: Int
    private let boundary: TopNBoundary
    private let executor: QueryExecutor
    private let context: ExecutionContext
    private var states: [State] = []
    /// Rows that make a worker sort what it has.
    private let most: Int

    private final class State {
        var buffers: [ColumnBuffer]
        let reservation: Reservation
        init(_ forms: [Register], _ context: ExecutionContext) {
            buffers = forms.map { ColumnBuffer($0.physical) }
            reservation = Reservation(context)
        }
    }

    init(
        _ input: SortInput, word: Register, items: [SortItem], wanted: Int, boundary: TopNBoundary,
        executor: QueryExecutor
    ) {
        forms = input.registers + [word]
        self.word = word
        self.items = items
        keys = input.expressions
        self.wanted = wanted
        self.boundary = boundary
        self.executor = executor
        context = executor.context
        most = max(wanted * 2, wanted + 1024)
        super.init(inputs: forms.map(\.index), outputs: [])
    }

    override func prepare(workers: Int) throws { states = (0..<workers).map { _ in State(forms, context) } }

    override func run(_ batch: Batch) throws {
        if wanted == 0 { return }
        let state = states[batch.worker]
        var bytes = 0
        for (buffer, form) in zip(state.buffers, forms) {
            let slot = batch.slots[form.index]
            try buffer.append(
                values: UnsafeRawPointer(slot.data), validity: slot.validity.map { UnsafePointer($0) }, selection: nil,
                count: batch.count)
            bytes += buffer.reservedBytes
        }
        try state.reservation.raise(to: bytes)
        if let count = state.buffers.last?.count, count >= most { try shrink(state) }
    }

    private func shrink(_ state: State) throws {
        let rows = try RowSet.joining([state.buffers], forms: forms)
        defer { withExtendedLifetime(rows) {} }
        let sortKeys = zip(keys, items).map { index, item in
            RowSortKey(column: rows.columns[index], descending: item.descending, nullsFirst: item.nullsFirst)
        }
        // Inside of a parallel section, so this worker sorts alone.
        let order = try RowSorter(rows, keys: sortKeys, context: context).order()
        let kept = min(wanted, rows.count)
        let words = rows.columns[forms.count - 1].values.assumingMemoryBound(to: UInt64.self)
        assert(
            (1..<max(kept, 1)).allSatisfy { words[order.row($0 - 1)] <= words[order.row($0)] },
            "the boundary's words are not those of the rows")
        boundary.lower(to: words[order.row(kept - 1)])
        let best = try rows.arranged(order, places: 0..<kept, columns: Array(forms.indices), context: context)
        // The values are copied by their address: without this the set may go before, and its memory to another worker.
        defer { withExtendedLifetime(best) {} }
        let fresh = forms.map { ColumnBuffer($0.physical) }
        for (buffer, column) in zip(fresh, best.columns) {
            try buffer.append(
                values: UnsafeRawPointer(column.values), validity: column.validity.map { UnsafePointer($0) },
                selection: nil, count: kept)
        }
        state.buffers = fresh
    }

    /// All workers' rows; once, after the pipeline has run.
    func rows() throws -> RowSet {
        try RowSet.joining(states.map(\.buffers), forms: forms, accounted: states.map(\.reservation))
    }
}
