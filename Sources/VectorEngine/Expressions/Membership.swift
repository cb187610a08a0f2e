import ColumnVectors
import QueryPlan
import SQLTypes

extension Pipeline {
    /// value IN (members). A NULL member makes NULL of what would be false.
    func inList(_ value: BoundExpression, _ members: [BoundExpression]) throws -> Register {
        let constants = members.compactMap { member -> Datum? in
            if case .constant(let datum, _) = member { datum } else { nil }
        }
        let register = try compile(value)
        guard constants.count == members.count, constants.count > 2, register.physical != .float64,
            register.physical != .int128, register.constant == nil
        else { return try combine(members.map { .comparison(.equal, value, $0) }, conjunction: false) }
        let known = constants.filter { !$0.isNull }
        let hasNull = known.count < constants.count
        let nullable = register.nullable || hasNull
        let source = register.dictionary == nil ? register : decoded(register)
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: nullable)
        if source.physical == .string {
            emit(try StringMembership(source, known, output, hasNull: hasNull))
        } else {
            let values = known.compactMap { datum -> Int64? in
                if case .integer(let value) = datum { Int64(exactly: value) } else { nil }
            }
            emit(IntegerMembership(source, values, output, hasNull: hasNull))
        }
        return output
    }
}

/// A sorted list for binary search, or one bit a value where the members lie close together.
private final class IntegerMembership: Step {
    private let input: Register, output: Register
    private let members: [Int64]
    private let bits: KeyBitmap?
    private let hasNull: Bool
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ members: [Int64], _ output: Register, hasNull: Bool) {
        self.input = input
        self.output = output
        self.members = Array(Set(members)).sorted()
        self.hasNull = hasNull
        if let low = self.members.first, let high = self.members.last, let span = high.subtractingChecked(low),
            span < 1 << 20, let bitmap = try? KeyBitmap(lower: low, upper: high)
        {
            for member in self.members { bitmap.insert(member) }
            bits = bitmap
        } else {
            bits = nil
        }
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch input.physical {
        case .uint8: go(batch, UInt8.self)
        case .uint16: go(batch, UInt16.self)
        case .int32: go(batch, Int32.self)
        case .int64: go(batch, Int64.self)
        case .int128, .float64, .string: throw unexpectedForm(input)
        }
        finishMembership(batch, input.index, output.index, hasNull)
    }
    @inline(__always) private func go<T: FixedWidthInteger>(_ batch: Batch, _: T.Type) {
        let x = batch.values(input.index, T.self), o = batch.output(output.index, UInt8.self), n = batch.count
        if let bits {
            for i in 0..<n { o[i] = b2u(bits.contains(Int64(truncatingIfNeeded: x[i]))) }
            return
        }
        members.withUnsafeBufferPointer { list in
            for i in 0..<n { o[i] = b2u(contains(list, Int64(truncatingIfNeeded: x[i]))) }
        }
    }
}

extension Int64 {
    fileprivate func subtractingChecked(_ other: Int64) -> Int64? {
        let (result, overflow) = subtractingReportingOverflow(other)
        return overflow ? nil : result
    }
}

@inline(__always) private func contains(_ list: UnsafeBufferPointer<Int64>, _ value: Int64) -> Bool {
    var low = 0, high = list.count
    while low < high {
        let middle = (low + high) >> 1
        if list[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low < list.count && list[low] == value
}

private func finishMembership(_ batch: Batch, _ input: Int, _ output: Int, _ hasNull: Bool) {
    batch.combineValidity(output, [input])
    zeroNulls(batch, output)
    guard hasNull else { return }
    // Not found among the members may still be equal to the NULL one.
    let found = batch.values(output, UInt8.self)
    let valid = batch.outputValidity(output)
    for i in 0..<batch.count { valid[i] = found[i] }
}

/// Members hashed into an open-addressing table; trailing blanks of texts do not count.
private final class StringMembership: Step {
    private let input: Register, output: Register
    private let hasNull: Bool
    private let trims: Bool
    private let arena = StringArena()
    private var table: [StringView]
    private var used: [Bool]
    private let mask: Int
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ members: [Datum], _ output: Register, hasNull: Bool) throws {
        self.input = input
        self.output = output
        self.hasNull = hasNull
        let trims = !input.type.family.isBinaryString
        self.trims = trims
        var capacity = 16
        while capacity < members.count * 2 { capacity <<= 1 }
        mask = capacity - 1
        table = Array(repeating: .empty, count: capacity)
        used = Array(repeating: false, count: capacity)
        let arena = self.arena
        for case .string(let bytes) in members {
            let member = try bytes.withUnsafeBufferPointer { try arena.copy($0) }
            let view = trims ? member.trimmed : member
            var slot = Int(truncatingIfNeeded: view.hash) & mask
            while used[slot] && !StringView.equal(table[slot], view) { slot = (slot + 1) & mask }
            table[slot] = view
            used[slot] = true
        }
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(input.index, StringView.self), o = batch.output(output.index, UInt8.self)
        let valid = batch.validity(input.index), n = batch.count, mask = self.mask, trims = self.trims
        table.withUnsafeBufferPointer { table in
            used.withUnsafeBufferPointer { used in
                for i in 0..<n {
                    o[i] = 0
                    if let valid, valid[i] == 0 { continue }
                    let view = trims ? x[i].trimmed : x[i]
                    var slot = Int(truncatingIfNeeded: view.hash) & mask
                    while used[slot] {
                        if StringView.equal(table[slot], view) {
                            o[i] = 1
                            break
                        }
                        slot = (slot &+ 1) & mask
                    }
                }
            }
        }
        finishMembership(batch, input.index, output.index, hasNull)
    }
}
