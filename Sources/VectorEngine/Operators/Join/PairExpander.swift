import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// Makes a row of every pair of a probe row and a matching build row (of all pairs in a nested loop) and hands them on
/// in full batches. With a residual condition the pairs run through its steps to the ``PairGate``, which notes which
/// probe rows matched; after the last pair, rows that the join keeps for themselves follow, and the gate lets them
/// pass.
final class PairExpander: Step {
    struct Registers {
        /// Place of the probe row in the batch before expansion.
        var probeRow: Register
        /// Row number of the build side; NULL where there is none.
        var buildRow: Register
        /// 1 for pairs, 0 for rows that are kept for themselves.
        var isPair: Register
    }
    /// Which rows follow after the pairs.
    enum Kept { case none, unmatched, matched, all }

    private let index: JoinIndex?
    private let buildRows: Int
    private let registers: Registers
    private let kept: Kept
    /// Rows without any pair go on at once with NULL; only without a residual.
    private let padsAtOnce: Bool
    private let carry: CarrySet
    private let context: ExecutionContext
    private var states: [State] = []
    override var expands: Bool { true }
    override var rowNumbers: [Int] { [registers.probeRow.index, registers.buildRow.index] }
    override var carried: CarrySet? { carry }

    /// One worker's progress; the gate writes the flags.
    final class State {
        let heads: TableMemory
        let positions: TableMemory
        let selection: TableMemory
        /// Per probe row: 1 matched, 2 unknown.
        let flags: TableMemory
        var phase = Phase.pairs
        enum Phase { case pairs, kept }
        init(_ context: ExecutionContext) throws {
            let rows = context.batchRows + 128
            heads = try TableMemory(context, bytes: rows * 4)
            positions = try TableMemory(context, bytes: rows * 2)
            selection = try TableMemory(context, bytes: rows * 2)
            flags = try TableMemory(context, bytes: rows)
        }
    }

    init(
        _ index: JoinIndex?, buildRows: Int, keys: [Register], registers: Registers, kept: Kept, padsAtOnce: Bool,
        carry: CarrySet, context: ExecutionContext
    ) {
        self.index = index
        self.buildRows = buildRows
        self.registers = registers
        self.kept = kept
        self.padsAtOnce = padsAtOnce
        self.carry = carry
        self.context = context
        super.init(
            inputs: keys.map(\.index),
            outputs: [registers.probeRow.index, registers.buildRow.index, registers.isPair.index])
    }

    func state(_ worker: Int) -> State { states[worker] }

    override func prepare(workers: Int) throws {
        try index?.prepare(workers: workers)
        states = try (0..<workers).map { _ in try State(context) }
    }

    override func expand(_ batch: Batch, _ rest: (Batch) throws -> Void) throws {
        let state = states[batch.worker]
        let saved = ExpandedRows(batch)
        state.phase = .pairs
        memset(state.flags.address, 0, saved.count)
        if let index {
            index.lookup(batch, state.heads.values(Int32.self))
            try expandMatches(batch, state, index.matches, saved, rest)
        } else {
            try expandAll(batch, state, saved, rest)
        }
        if kept != .none { try emitKept(batch, state, saved, rest) }
        saved.restore(batch)
    }

    private func expandMatches(
        _ batch: Batch, _ state: State, _ matches: UnsafePointer<Int32>?, _ saved: ExpandedRows,
        _ rest: (Batch) throws -> Void
    ) throws {
        let heads = state.heads.values(Int32.self), positions = state.positions.values(UInt16.self)
        let numbers = batch.slots[registers.buildRow.index].ownData.assumingMemoryBound(to: Int32.self)
        let capacity = batch.capacity
        var out = 0, row = 0
        var current = heads[0]
        var fresh = true
        while true {
            if fresh && padsAtOnce && current == 0 {
                positions[out] = UInt16(truncatingIfNeeded: row)
                numbers[out] = -1
                out &+= 1
            }
            while current != 0 && out < capacity {
                positions[out] = UInt16(truncatingIfNeeded: row)
                if let matches {
                    // The last row of a key is inverted.
                    let match = matches[Int(current) &- 1]
                    numbers[out] = match < 0 ? ~match : match
                    current = match < 0 ? 0 : current &+ 1
                } else {
                    numbers[out] = current &- 1
                    current = 0
                }
                out &+= 1
            }
            if current == 0 {
                row &+= 1
                fresh = true
                if row == saved.count { break }
                current = heads[row]
            } else {
                fresh = false
            }
            if out == capacity {
                try flush(batch, state, out, saved, rest)
                out = 0
            }
        }
        if out > 0 { try flush(batch, state, out, saved, rest) }
    }

    private func expandAll(
        _ batch: Batch, _ state: State, _ saved: ExpandedRows, _ rest: (Batch) throws -> Void
    ) throws {
        let positions = state.positions.values(UInt16.self)
        let numbers = batch.slots[registers.buildRow.index].ownData.assumingMemoryBound(to: Int32.self)
        let capacity = batch.capacity, total = buildRows
        var out = 0
        for row in 0..<saved.count {
            var inner = 0
            while inner < total {
                let take = min(total &- inner, capacity &- out)
                for i in 0..<take {
                    positions[out &+ i] = UInt16(truncatingIfNeeded: row)
                    numbers[out &+ i] = Int32(truncatingIfNeeded: inner &+ i)
                }
                out &+= take
                inner &+= take
                if out == capacity {
                    try flush(batch, state, out, saved, rest)
                    out = 0
                }
            }
            if total == 0 && padsAtOnce {
                positions[out] = UInt16(truncatingIfNeeded: row)
                numbers[out] = -1
                out &+= 1
                if out == capacity {
                    try flush(batch, state, out, saved, rest)
                    out = 0
                }
            }
        }
        if out > 0 { try flush(batch, state, out, saved, rest) }
    }

    private func emitKept(
        _ batch: Batch, _ state: State, _ saved: ExpandedRows, _ rest: (Batch) throws -> Void
    ) throws {
        state.phase = .kept
        let flags = state.flags.values(UInt8.self), positions = state.positions.values(UInt16.self)
        let numbers = batch.slots[registers.buildRow.index].ownData.assumingMemoryBound(to: Int32.self)
        var out = 0
        for row in 0..<saved.count {
            let matched = flags[row] & 1 != 0
            let wanted =
                switch kept {
                case .none: false
                case .unmatched: !matched
                case .matched: matched
                case .all: true
                }
            positions[out] = UInt16(truncatingIfNeeded: row)
            numbers[out] = -1
            out &+= b2i(wanted)
        }
        if out > 0 { try flush(batch, state, out, saved, rest) }
    }

    private func flush(
        _ batch: Batch, _ state: State, _ rows: Int, _ saved: ExpandedRows, _ rest: (Batch) throws -> Void
    ) throws {
        try context.cancellation.check()
        let positions = UnsafePointer(state.positions.values(UInt16.self))
        batch.count = rows
        let probeRows = batch.output(registers.probeRow.index, UInt16.self)
        probeRows.update(from: positions, count: rows)
        let numbers = batch.output(registers.buildRow.index, Int32.self)
        let valid = batch.outputValidity(registers.buildRow.index)
        for i in 0..<rows {
            valid[i] = b2u(numbers[i] >= 0)
            numbers[i] = max(numbers[i], 0)
        }
        memset(batch.output(registers.isPair.index, UInt8.self), state.phase == .pairs ? 1 : 0, rows)
        for pair in carry.pairs { saved.carry(batch, pair, positions, rows) }
        saved.select(batch, positions, rows, into: state.selection.values(UInt16.self))
        try rest(batch)
        saved.restore(batch)
    }
}

/// The end of a residual condition: drops the pairs that fail it and notes which rows matched.
final class PairGate: Step {
    override var dropsRows: Bool { true }
    private let expander: PairExpander
    private let registers: PairExpander.Registers
    private let conditions: [Register]
    /// Pairs that satisfy the condition go on.
    private let passesPairs: Bool
    private let allowsOneMatch: Bool
    private let matched: UnsafeMutablePointer<UInt8>?
    /// The answer per kept row, for mark joins.
    private let mark: Register?
    private let nullAware: Bool

    init(
        _ expander: PairExpander, _ registers: PairExpander.Registers, conditions: [Register], passesPairs: Bool,
        allowsOneMatch: Bool = false, matched: UnsafeMutablePointer<UInt8>? = nil, mark: Register? = nil,
        nullAware: Bool = false
    ) {
        self.expander = expander
        self.registers = registers
        self.conditions = conditions
        self.passesPairs = passesPairs
        self.allowsOneMatch = allowsOneMatch
        self.matched = matched
        self.mark = mark
        self.nullAware = nullAware
        super.init(
            inputs: conditions.map(\.index) + [registers.probeRow.index, registers.buildRow.index],
            outputs: mark.map { [$0.index] } ?? [])
    }

    override func run(_ batch: Batch) throws {
        let state = expander.state(batch.worker)
        let flags = state.flags.values(UInt8.self), count = batch.count
        let probeRows = batch.values(registers.probeRow.index, UInt16.self)
        if state.phase == .kept {
            if let mark { writeMarks(batch, mark, probeRows, flags) }
            return
        }
        if nullAware { noteUnknown(batch, probeRows, flags) }
        let mask = batch.scratchMask
        memset(mask, 1, count)
        for condition in conditions { andBytes(mask, batch.values(condition.index, UInt8.self), count) }
        let kept = positionsOfSetBytes(mask, count, batch.positions)
        let positions = batch.positions
        for i in 0..<kept {
            let row = Int(probeRows[Int(positions[i])])
            if allowsOneMatch && flags[row] & 1 != 0 { throw severalRows() }
            flags[row] |= 1
        }
        if let matched {
            let numbers = batch.values(registers.buildRow.index, Int32.self)
            for i in 0..<kept { matched[Int(numbers[Int(positions[i])])] = 1 }
        }
        if passesPairs { batch.keep(positions, kept, live: live) } else { batch.count = 0 }
    }

    /// The condition is one conjunction here: where it is NULL the pair is unknown.
    private func noteUnknown(
        _ batch: Batch, _ probeRows: UnsafePointer<UInt16>, _ flags: UnsafeMutablePointer<UInt8>
    ) {
        guard let valid = batch.validity(conditions[0].index) else { return }
        for i in 0..<batch.count where valid[i] == 0 { flags[Int(probeRows[i])] |= 2 }
    }

    private func writeMarks(
        _ batch: Batch, _ mark: Register, _ probeRows: UnsafePointer<UInt16>, _ flags: UnsafePointer<UInt8>
    ) {
        let marks = batch.output(mark.index, UInt8.self), count = batch.count
        for i in 0..<count { marks[i] = flags[Int(probeRows[i])] & 1 }
        if !nullAware { return }
        let valid = batch.outputValidity(mark.index)
        for i in 0..<count { valid[i] = b2u(flags[Int(probeRows[i])] != 2) }
    }
}

/// For NOT IN with a condition on pairs: drops rows that matched or are unknown.
final class UnknownFilter: Step {
    override var dropsRows: Bool { true }
    private let mark: Register
    init(_ mark: Register) {
        self.mark = mark
        super.init(inputs: [mark.index], outputs: [])
    }
    override func run(_ batch: Batch) throws {
        let marks = batch.values(mark.index, UInt8.self), valid = batch.validity(mark.index)
        let positions = batch.positions
        var kept = 0
        for i in 0..<batch.count {
            positions[kept] = UInt16(truncatingIfNeeded: i)
            kept &+= Int((1 ^ marks[i]) & (valid.map { $0[i] } ?? 1))
        }
        batch.keep(positions, kept, live: live)
    }
}

func severalRows() -> SQLError {
    SQLError(.cardinalityViolation, "more than one row returned by a subquery used as an expression")
}
