import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// Probes without making more rows than come in: unique keys, or only the question whether there is a match.
final class JoinProbe: Step {
    override var dropsRows: Bool { true }
    enum Mode {
        /// Keeps rows with a match; the row number stands in the output.
        case inner
        /// Keeps all rows; the row number is NULL without a match.
        case left
        case semi, anti
        /// The output is a boolean; the flag says that an unmatched row is unknown.
        case mark
        /// NOT IN: the row is kept when its key is not NULL and has no match.
        case antiNullAware
        /// Marks build rows and ends the pipeline.
        case flagOnly

        var writes: Bool {
            switch self {
            case .inner, .left, .mark: true
            case .semi, .anti, .antiNullAware, .flagOnly: false
            }
        }
    }
    private let mode: Mode
    private let index: JoinIndex
    private let keys: [Register]
    private let output: Register
    /// Unmatched rows are unknown (the build side has a NULL key).
    private let unmatchedIsNull: Bool
    /// A NULL probe key is unknown (the build side is not empty).
    private let nullIsUnknown: Bool
    /// Flags of matched build rows, where the join needs them.
    private let matched: UnsafeMutablePointer<UInt8>?
    private var heads: [TableMemory] = []
    private let context: ExecutionContext

    init(
        _ mode: Mode, _ index: JoinIndex, keys: [Register], output: Register, context: ExecutionContext,
        unmatchedIsNull: Bool = false, nullIsUnknown: Bool = false, matched: UnsafeMutablePointer<UInt8>? = nil
    ) {
        self.mode = mode
        self.index = index
        self.keys = keys
        self.output = output
        self.context = context
        self.unmatchedIsNull = unmatchedIsNull
        self.nullIsUnknown = nullIsUnknown
        self.matched = matched
        super.init(inputs: keys.map(\.index), outputs: mode.writes ? [output.index] : [])
    }
    override var rowNumbers: [Int] { mode == .mark ? [] : outputs }

    override func prepare(workers: Int) throws {
        try index.prepare(workers: workers)
        heads = try (0..<workers).map { _ in try TableMemory(context, bytes: (context.batchRows + 128) * 4) }
    }

    override func run(_ batch: Batch) throws {
        let heads = self.heads[batch.worker].values(Int32.self), count = batch.count
        index.lookup(batch, heads)
        switch mode {
        case .inner: keepMatches(batch, heads)
        case .left: numberRows(batch, heads)
        case .semi: keep(batch, heads, count, matching: true)
        case .anti: keep(batch, heads, count, matching: false)
        case .antiNullAware: keepNotIn(batch, heads, count)
        case .mark: markRows(batch, heads, count)
        case .flagOnly:
            if let matched { flagMatches(heads, count, index.matches, matched) }
            batch.count = 0
        }
    }

    private func keepMatches(_ batch: Batch, _ heads: UnsafePointer<Int32>) {
        let positions = batch.positions, count = batch.count
        let numbers = batch.output(output.index, Int32.self)
        var kept = 0
        for i in 0..<count {
            let head = heads[i]
            positions[kept] = UInt16(truncatingIfNeeded: i)
            numbers[kept] = head &- 1
            kept &+= b2i(head != 0)
        }
        if let matched { for i in 0..<kept { matched[Int(numbers[i])] = 1 } }
        batch.keep(positions, kept, live: live)
    }

    private func numberRows(_ batch: Batch, _ heads: UnsafePointer<Int32>) {
        let count = batch.count
        let numbers = batch.output(output.index, Int32.self)
        let valid = batch.outputValidity(output.index)
        for i in 0..<count {
            let head = heads[i]
            valid[i] = b2u(head != 0)
            numbers[i] = max(head &- 1, 0)
        }
        if let matched { for i in 0..<count where heads[i] != 0 { matched[Int(heads[i]) &- 1] = 1 } }
    }

    private func keep(_ batch: Batch, _ heads: UnsafePointer<Int32>, _ count: Int, matching: Bool) {
        let positions = batch.positions
        let flip = b2i(!matching)
        var kept = 0
        for i in 0..<count {
            positions[kept] = UInt16(truncatingIfNeeded: i)
            kept &+= b2i(heads[i] != 0) ^ flip
        }
        batch.keep(positions, kept, live: live)
    }

    private func keepNotIn(_ batch: Batch, _ heads: UnsafePointer<Int32>, _ count: Int) {
        if unmatchedIsNull {
            batch.count = 0
            return
        }
        let positions = batch.positions
        let validity = nullIsUnknown ? batch.validity(keys[0].index) : nil
        var kept = 0
        for i in 0..<count {
            positions[kept] = UInt16(truncatingIfNeeded: i)
            kept &+= b2i(heads[i] == 0) & (validity.map { Int($0[i]) } ?? 1)
        }
        batch.keep(positions, kept, live: live)
    }

    private func markRows(_ batch: Batch, _ heads: UnsafePointer<Int32>, _ count: Int) {
        let marks = batch.output(output.index, UInt8.self)
        for i in 0..<count { marks[i] = b2u(heads[i] != 0) }
        let keyValidity = nullIsUnknown ? batch.validity(keys[0].index) : nil
        guard unmatchedIsNull || keyValidity != nil else { return }
        let valid = batch.outputValidity(output.index)
        for i in 0..<count {
            let known = unmatchedIsNull ? 0 : keyValidity.map { $0[i] } ?? 1
            valid[i] = marks[i] | known
        }
    }
}

/// Flags all build rows of the matches.
func flagMatches(
    _ heads: UnsafePointer<Int32>, _ count: Int, _ matches: UnsafePointer<Int32>?,
    _ matched: UnsafeMutablePointer<UInt8>
) {
    for i in 0..<count where heads[i] != 0 {
        guard let matches else {
            matched[Int(heads[i]) &- 1] = 1
            continue
        }
        var place = Int(heads[i]) &- 1
        // A key's rows are flagged from the last to the first, so that a flagged first row means that all are.
        let first = Int(matches[place] < 0 ? ~matches[place] : matches[place])
        if matched[first] != 0 { continue }
        while matches[place] >= 0 { place &+= 1 }
        let last = place
        place = Int(heads[i]) &- 1
        var row = last
        while row >= place {
            matched[Int(matches[row] < 0 ? ~matches[row] : matches[row])] = 1
            row &-= 1
        }
    }
}
