import ColumnStore
import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// The finished inner side of a join: its rows, keys and the facts that the probe is compiled with.
final class BuildSide {
    let rows: RowSet
    /// The columns kept, by their place in `rows`.
    let columns: [ColumnID: Int]
    /// Places of the keys in `rows`.
    let keys: [Int]
    let bounds: [KeyBounds?]
    /// Some row has a NULL in a key.
    let hasNullKeys: Bool
    private let context: ExecutionContext
    /// Other pipelines will probe the same rows.
    var keepsIndex = false
    /// Of integer keys, which it holds whatever the probing side's are but for their widths.
    private var keptIndex: (parts: JoinIndexBuilder.Parts, probeForms: [PhysicalType])?
    /// One byte a row, set when a probe row matched; all workers store the same value, so no order is needed.
    private(set) var matched: TableMemory?

    init(rows: RowSet, columns: [ColumnID: Int], keys: [Int], context: ExecutionContext) throws {
        self.rows = rows
        self.columns = columns
        self.keys = keys
        self.context = context
        bounds = try keys.map { try KeyBounds.of(rows.columns[$0], rows.count, context) }
        hasNullKeys = keys.contains { key in
            guard let validity = rows.columns[key].validity, rows.count > 0 else { return false }
            return memchr(validity, 0, rows.count) != nil
        }
    }

    func index(_ builder: JoinIndexBuilder) throws -> JoinIndex {
        guard keepsIndex, builder.isOfIntegers else { return try builder.build() }
        let forms = builder.probeKeys.map(\.physical)
        if let kept = keptIndex, kept.probeForms == forms { return builder.index(of: kept.parts) }
        let parts = try builder.makeParts()
        keptIndex = (parts, forms)
        return builder.index(of: parts)
    }

    func trackMatches() throws -> UnsafeMutablePointer<UInt8> {
        let memory = try TableMemory(context, bytes: rows.count + 128, zeroed: true)
        defer { withExtendedLifetime(memory) {} }
        matched = memory
        return memory.values(UInt8.self)
    }

    /// Binds the kept columns as look-ups by row number, done where the value is first used.
    /// - Parameter nullable: the row number may be absent.
    func bind(_ ids: [ColumnID], in pipeline: Pipeline, row: Register, nullable: Bool) {
        for id in ids {
            guard let place = columns[id] else { continue }
            let column = rows.columns[place]
            let owner = rows
            pipeline.bind(
                id,
                .fetch { pipeline in
                    let position = pipeline.use(row.index)
                    let register = pipeline.makeRegister(like: column.form, nullable: nullable || column.hasNulls)
                    pipeline.emit(PayloadFetch(owner, column, row: position, register, nullable: nullable))
                    return register
                })
        }
    }

    /// Binds the columns of the only row (or of none, as NULLs) as constants.
    func bindConstants(_ ids: [ColumnID], in pipeline: Pipeline) {
        for id in ids {
            guard let place = columns[id] else { continue }
            let column = rows.columns[place]
            let datum = rows.count == 0 ? .null : column.datum(row: 0)
            pipeline.bind(id, .expression(.constant(datum, column.form.type)))
        }
    }
}

extension RowSet.Column {
    /// One value, for constants.
    func datum(row: Int) -> Datum {
        if let validity, validity[row] == 0 { return .null }
        if let dictionary = form.dictionary {
            let code =
                form.physical == .uint8
                ? Int(values.assumingMemoryBound(to: UInt8.self)[row])
                : Int(values.assumingMemoryBound(to: UInt16.self)[row])
            return .string(Array(dictionary.views[code].bytes))
        }
        switch form.physical {
        case .uint8: return .integer(Int128(values.assumingMemoryBound(to: UInt8.self)[row]))
        case .uint16: return .integer(Int128(values.assumingMemoryBound(to: UInt16.self)[row]))
        case .int32: return .integer(Int128(values.assumingMemoryBound(to: Int32.self)[row]))
        case .int64: return .integer(Int128(values.assumingMemoryBound(to: Int64.self)[row]))
        case .int128:
            let value = values.assumingMemoryBound(to: Int128.self)[row]
            return form.type == .interval ? .interval(Interval(packed: value)) : .integer(value)
        case .float64: return .double(values.assumingMemoryBound(to: Double.self)[row])
        case .string: return .string(Array(values.assumingMemoryBound(to: StringView.self)[row].bytes))
        }
    }
}

/// Looks values of the build side up by row number.
final class PayloadFetch: Step {
    private let owner: RowSet
    private let column: RowSet.Column
    private let row: Register, output: Register
    private let nullable: Bool
    override var leavesNullsOpen: Bool { true }

    init(_ owner: RowSet, _ column: RowSet.Column, row: Register, _ output: Register, nullable: Bool) {
        self.owner = owner
        self.column = column
        self.row = row
        self.output = output
        self.nullable = nullable
        super.init(inputs: [row.index], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        let width = output.physical.byteWidth, count = batch.count
        let target = UnsafeMutableRawPointer(batch.output(output.index, UInt8.self))
        if owner.count == 0 {
            memset(target, 0, count * width)
            memset(batch.outputValidity(output.index), 0, count)
            return
        }
        let numbers = batch.values(row.index, Int32.self)
        let rowValidity = nullable ? batch.validity(row.index) : nil
        gatherNumbered(column.values, target, width, numbers, count)
        guard column.validity != nil || rowValidity != nil else { return }
        let valid = batch.outputValidity(output.index)
        if let from = column.validity {
            for i in 0..<count { valid[i] = from[Int(numbers[i])] }
            if let rowValidity { andBytes(valid, rowValidity, count) }
        } else if let rowValidity {
            memcpy(valid, rowValidity, count)
        }
    }
}

/// to[i] = from[rows[i]] for values of a width of 1, 2, 4, 8 or 16 bytes.
func gatherNumbered(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ rows: UnsafePointer<Int32>, _ count: Int
) {
    @inline(__always) func move<Value>(_: Value.Type) {
        let source = from.assumingMemoryBound(to: Value.self)
        let target = to.assumingMemoryBound(to: Value.self)
        for i in 0..<count { target[i] = source[Int(rows[i])] }
    }
    switch width {
    case 1: move(UInt8.self)
    case 2: move(UInt16.self)
    case 4: move(UInt32.self)
    case 8: move(UInt64.self)
    default: move(SIMD2<UInt64>.self)
    }
}

/// Drops rows with a NULL in one of the registers.
final class DropNulls: Step {
    override var dropsRows: Bool { true }
    private let registers: [Int]
    init(_ registers: [Register]) {
        self.registers = registers.map(\.index)
        super.init(inputs: self.registers, outputs: [])
    }
    override func run(_ batch: Batch) throws {
        let mask = batch.scratchMask, count = batch.count
        var any = false
        for register in registers {
            guard let valid = batch.validity(register) else { continue }
            if any { andBytes(mask, valid, count) } else { memcpy(mask, valid, count) }
            any = true
        }
        if !any { return }
        batch.keep(batch.positions, positionsOfSetBytes(mask, count, batch.positions), live: live)
    }
}

/// Keeps the rows of a row set whose flag has a value.
final class FlagFilter: Step {
    override var dropsRows: Bool { true }
    private let flags: TableMemory
    private let wanted: UInt8
    init(_ flags: TableMemory, wanted: UInt8) {
        self.flags = flags
        self.wanted = wanted
        super.init(inputs: [], outputs: [])
    }
    override func run(_ batch: Batch) throws {
        let from = UnsafePointer(flags.values(UInt8.self)) + batch.window
        let positions = batch.positions, count = batch.count
        var kept = 0
        for i in 0..<count {
            let row = batch.identity ? i : Int(batch.selection[i])
            positions[kept] = UInt16(truncatingIfNeeded: i)
            kept &+= b2i(from[row] == wanted)
        }
        batch.keep(positions, kept, live: live)
    }
}
