import ColumnVectors
import Glibc
import SQLTypes

/// Sums of integers and decimals, exact. Accumulators start as narrow as is likely to do (32 bits in large domains,
/// where bytes per group decide; 64 bits otherwise); a batch that overflows one is taken back, all accumulators are
/// widened, and the batch is added again. Where bounds and row counts prove that 64 bits do, nothing is checked.
final class SumState: AggregateState {
    private let startWidth: Int
    /// 64 bits hold every sum.
    private let proved: Bool

    init(_ argument: Register, startWidth: Int, proved: Bool, context: ExecutionContext) {
        self.startWidth = startWidth
        self.proved = proved
        super.init(argument, width: startWidth, context: context)
    }

    /// The narrowest start for an argument; `narrow` asks for 32 bits where the values allow it.
    static func make(_ argument: Register, rowBound: Int, narrow: Bool, context: ExecutionContext) -> SumState {
        let extent = max(argument.lower.magnitude, argument.upper.magnitude)
        let (most, overflow) = extent.multipliedReportingOverflow(by: UInt128(max(rowBound, 1)))
        let proved = !overflow && most < UInt128(Int64.max) && argument.physical != .int128
        let start =
            switch argument.physical {
            case .int128: 16
            case .int64: 8
            default: narrow ? 4 : 8
            }
        return SumState(argument, startWidth: start, proved: proved, context: context)
    }

    override func fresh(final: Bool) -> AggregateState {
        guard let argument else { return self }
        return SumState(
            argument, startWidth: final ? (proved ? 8 : 16) : startWidth, proved: proved, context: context)
    }

    override func update(_ input: StateInput) throws {
        guard let argument else { return }
        switch argument.physical {
        case .uint8: try add(input, input.batch.values(argument.index, UInt8.self))
        case .uint16: try add(input, input.batch.values(argument.index, UInt16.self))
        case .int32: try add(input, input.batch.values(argument.index, Int32.self))
        case .int64: try add(input, input.batch.values(argument.index, Int64.self))
        default: try add(input, input.batch.values(argument.index, Int128.self))
        }
    }

    @inline(__always)
    private func add<Value: FixedWidthInteger>(_ input: StateInput, _ from: UnsafePointer<Value>) throws {
        switch width {
        case 4:
            if addChecked(from, input, values(Int32.self)) {
                try widen()
                try add8(input, from)
            }
        case 8: try add8(input, from)
        default: try add16(input, from)
        }
    }
    @inline(__always)
    private func add8<Value: FixedWidthInteger>(_ input: StateInput, _ from: UnsafePointer<Value>) throws {
        if Value.bitWidth > 64 {
            if width == 8 { try widen() }
            return try add16(input, from)
        }
        if proved {
            addUnchecked(from, input, values(Int64.self))
        } else if addChecked(from, input, values(Int64.self)) {
            try widen()
            try add16(input, from)
        }
    }
    @inline(__always)
    private func add16<Value: FixedWidthInteger>(_ input: StateInput, _ from: UnsafePointer<Value>) throws {
        if addChecked(from, input, values(Int128.self)) { throw DecimalArithmetic.overflow() }
    }

    /// Doubles the width of all accumulators.
    fileprivate func widen() throws {
        let count = groups
        let old = width
        let copy = try TableMemory(context, bytes: count * old + 64)
        defer { withExtendedLifetime(copy) {} }
        memcpy(copy.address, memory.address, count * old)
        width = old * 2
        try memory.grow(to: count * width + 64, keeping: 0)
        forgetRoom()
        if old == 4 {
            let from = copy.values(Int32.self), to = values(Int64.self)
            for i in 0..<count { to[i] = Int64(from[i]) }
        } else {
            let from = copy.values(Int64.self), to = values(Int128.self)
            for i in 0..<count { to[i] = Int128(from[i]) }
        }
    }

    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        switch other.width {
        case 4: try merge(map, other.values(Int32.self))
        case 8: try merge(map, other.values(Int64.self))
        default: try merge(map, other.values(Int128.self))
        }
    }
    @inline(__always)
    private func merge<Value: FixedWidthInteger>(_ map: GroupMap, _ source: UnsafeMutablePointer<Value>) throws {
        if width == 8 {
            let target = values(Int64.self)
            map.forEach { target[$1] &+= Int64(truncatingIfNeeded: source[$0]) }
            return
        }
        let target = values(Int128.self)
        var wrong: Int128 = 0
        map.forEach { from, to in
            let a = target[to], b = Int128(truncatingIfNeeded: source[from])
            let sum = a &+ b
            wrong |= (a ^ sum) & (b ^ sum)
            target[to] = sum
        }
        if wrong < 0 { throw DecimalArithmetic.overflow() }
    }
}

@inline(__always)
private func addUnchecked<Value: FixedWidthInteger>(
    _ from: UnsafePointer<Value>, _ input: StateInput, _ sums: UnsafeMutablePointer<Int64>
) {
    let count = input.count, groups = input.groups
    if input.single {
        var total: Int64 = 0
        if let valid = input.valid {
            for i in 0..<count { total &+= Int64(truncatingIfNeeded: from[i]) & (0 &- Int64(valid[i])) }
        } else {
            for i in 0..<count { total &+= Int64(truncatingIfNeeded: from[i]) }
        }
        sums[0] &+= total
    } else if let valid = input.valid {
        for i in 0..<count { sums[Int(groups[i])] &+= Int64(truncatingIfNeeded: from[i]) & (0 &- Int64(valid[i])) }
    } else {
        for i in 0..<count { sums[Int(groups[i])] &+= Int64(truncatingIfNeeded: from[i]) }
    }
}

/// True when a sum overflowed; then nothing has been added.
@inline(__always)
private func addChecked<Value: FixedWidthInteger, Sum: FixedWidthInteger & SignedInteger>(
    _ from: UnsafePointer<Value>, _ input: StateInput, _ sums: UnsafeMutablePointer<Sum>
) -> Bool {
    let count = input.count, groups = input.groups
    var wrong: Sum = 0
    if let valid = input.valid {
        for i in 0..<count {
            let group = Int(groups[i])
            let value = Sum(truncatingIfNeeded: from[i]) & (0 &- Sum(truncatingIfNeeded: valid[i]))
            let old = sums[group], new = old &+ value
            wrong |= (old ^ new) & (value ^ new)
            sums[group] = new
        }
    } else {
        for i in 0..<count {
            let group = Int(groups[i])
            let value = Sum(truncatingIfNeeded: from[i])
            let old = sums[group], new = old &+ value
            wrong |= (old ^ new) & (value ^ new)
            sums[group] = new
        }
    }
    if wrong >= 0 { return false }
    for i in 0..<count {
        let keep = input.valid.map { 0 &- Sum(truncatingIfNeeded: $0[i]) } ?? -1
        sums[Int(groups[i])] &-= Sum(truncatingIfNeeded: from[i]) & keep
    }
    return true
}

extension SumState {
    /// Adds one non-negative amount to each of the first groups.
    @inline(__always)
    func addTotals(_ count: Int, _ amount: (Int) -> Int64) throws {
        if width == 4 { try widen() }
        if width == 8 {
            let sums = values(Int64.self)
            var wrong = false
            for group in 0..<count {
                let (sum, overflow) = sums[group].addingReportingOverflow(amount(group))
                sums[group] = sum
                wrong = wrong || overflow
            }
            if !wrong { return }
            for group in 0..<count { sums[group] &-= amount(group) }
            try widen()
        }
        let sums = values(Int128.self)
        for group in 0..<count { sums[group] &+= Int128(amount(group)) }
    }
}
