import ColumnVectors
import Glibc
import SQLTypes

/// The rows of one batch for one state.
struct StateInput {
    let batch: Batch
    let count: Int
    /// Group of every row.
    let groups: UnsafePointer<UInt32>
    /// There is only group 0.
    let single: Bool
    /// Rows with 0 do not count: NULL arguments, failed FILTER, masked rows. nil: all rows count.
    let valid: UnsafePointer<UInt8>?
}

/// Entry i of a merge: group `sources[i]` of the part goes into group `targets[i]`; nil stands for i itself.
struct GroupMap {
    var sources: UnsafePointer<UInt32>?
    var targets: UnsafePointer<UInt32>?
    var range: Range<Int>
    @inline(__always) func forEach(_ body: (Int, Int) -> Void) {
        for i in range {
            body(sources.map { Int($0[i]) } ?? i, targets.map { Int($0[i]) } ?? i)
        }
    }
}

/// One accumulator for every group: an array that grows with the groups. One worker fills it; parts of several workers
/// are merged into a fresh one, in parallel over disjoint target groups.
class AggregateState {
    let context: ExecutionContext
    private(set) var groups = 0
    private var room = 0
    /// The register of the argument, if it has one.
    let argument: Register?
    let memory: TableMemory
    /// Bytes of a group in `memory`.
    var width: Int

    init(_ argument: Register?, width: Int, context: ExecutionContext) {
        self.argument = argument
        self.width = width
        self.context = context
        memory = TableMemory(context)
    }

    /// An empty state for another worker; `final` for the merged result.
    func fresh(final: Bool) -> AggregateState { self }
    func update(_ input: StateInput) throws {}
    func merge(_ other: AggregateState, _ map: GroupMap) throws {}
    /// Sets new groups to their start value.
    func clear(_ range: Range<Int>) { memset(memory.address + range.lowerBound * width, 0, range.count * width) }

    /// Makes room for so many groups.
    func resize(_ wanted: Int) throws {
        if wanted <= groups { return }
        if wanted > room {
            let size = groups == 0 ? wanted : max(wanted, room * 2)
            // Regions have padding: a partition's power of two stays one.
            try memory.grow(to: size * width, keeping: groups * width)
            room = size
        }
        clear(groups..<wanted)
        groups = wanted
    }

    /// Brings all accumulators into the cache in order, which is faster than one miss after the other.
    func load() {
        let bytes = values(UInt8.self)
        var sum: UInt8 = 0
        for line in stride(from: 0, to: groups * width, by: 64) { sum &+= bytes[line] }
        loaded = sum
    }
    /// So that the compiler does not leave the reads out.
    private var loaded: UInt8 = 0

    /// After `width` changed and `memory` was refilled for exactly the present groups.
    func forgetRoom() { room = groups }

    @inline(__always) func values<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> { memory.values(Value.self) }
}

/// How many rows count, or whether any was seen.
final class CountState: AggregateState {
    init(_ argument: Register?, context: ExecutionContext) { super.init(argument, width: 8, context: context) }
    override func fresh(final: Bool) -> AggregateState { CountState(argument, context: context) }

    override func update(_ input: StateInput) throws {
        let counts = values(Int64.self), count = input.count
        if input.single {
            guard let valid = input.valid else {
                counts[0] &+= Int64(count)
                return
            }
            var total = 0
            for i in 0..<count { total &+= Int(valid[i]) }
            counts[0] &+= Int64(total)
            return
        }
        let groups = input.groups
        if let valid = input.valid {
            for i in 0..<count { counts[Int(groups[i])] &+= Int64(valid[i]) }
        } else {
            for i in 0..<count { counts[Int(groups[i])] &+= 1 }
        }
    }
    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        let target = values(Int64.self), source = other.values(Int64.self)
        map.forEach { target[$1] &+= source[$0] }
    }
}

/// One byte a group, set when a row of it was seen: for groupings without a count.
final class SeenState: AggregateState {
    init(context: ExecutionContext) { super.init(nil, width: 1, context: context) }
    override func fresh(final: Bool) -> AggregateState { SeenState(context: context) }
    override func update(_ input: StateInput) throws {
        let seen = values(UInt8.self), groups = input.groups
        for i in 0..<input.count { seen[Int(groups[i])] = 1 }
    }
    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        let target = values(UInt8.self), source = other.values(UInt8.self)
        map.forEach { target[$1] |= source[$0] }
    }
}

/// Sums of doubles.
final class DoubleSumState: AggregateState {
    init(_ argument: Register, context: ExecutionContext) { super.init(argument, width: 8, context: context) }
    override func fresh(final: Bool) -> AggregateState {
        argument.map { DoubleSumState($0, context: context) } ?? self
    }
    override func update(_ input: StateInput) throws {
        guard let argument else { return }
        let sums = values(Double.self), groups = input.groups
        let from = input.batch.values(argument.index, Double.self)
        if input.single {
            sums[0] += input.valid.map { total(from, $0, input.count) } ?? total(from, input.count)
        } else if let valid = input.valid {
            for i in 0..<input.count where valid[i] != 0 { sums[Int(groups[i])] += from[i] }
        } else {
            for i in 0..<input.count { sums[Int(groups[i])] += from[i] }
        }
    }
    /// Four lanes: one running sum would wait for each addition.
    private func total(_ from: UnsafePointer<Double>, _ count: Int) -> Double {
        var a = 0.0, b = 0.0, c = 0.0, d = 0.0
        var i = 0
        while i &+ 3 < count {
            a += from[i]
            b += from[i &+ 1]
            c += from[i &+ 2]
            d += from[i &+ 3]
            i &+= 4
        }
        while i < count {
            a += from[i]
            i &+= 1
        }
        return (a + b) + (c + d)
    }
    private func total(_ from: UnsafePointer<Double>, _ valid: UnsafePointer<UInt8>, _ count: Int) -> Double {
        var sum = 0.0
        for i in 0..<count where valid[i] != 0 { sum += from[i] }
        return sum
    }
    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        let target = values(Double.self), source = other.values(Double.self)
        map.forEach { target[$1] += source[$0] }
    }
}

/// Count, mean and sum of squared differences from the mean, updated row by row without cancellation.
final class MomentsState: AggregateState {
    init(_ argument: Register, context: ExecutionContext) { super.init(argument, width: 24, context: context) }
    override func fresh(final: Bool) -> AggregateState {
        argument.map { MomentsState($0, context: context) } ?? self
    }
    override func update(_ input: StateInput) throws {
        guard let argument else { return }
        let moments = values(Double.self), groups = input.groups
        let from = input.batch.values(argument.index, Double.self)
        for i in 0..<input.count {
            if let valid = input.valid, valid[i] == 0 { continue }
            let entry = moments + Int(groups[i]) &* 3
            let count = entry[0] + 1
            let difference = from[i] - entry[1]
            let mean = entry[1] + difference / count
            entry[2] += difference * (from[i] - mean)
            entry[0] = count
            entry[1] = mean
        }
    }
    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        let target = values(Double.self), source = other.values(Double.self)
        map.forEach { from, to in
            let a = target + to &* 3, b = source + from &* 3
            if b[0] == 0 { return }
            // Large values have infinite squares, which must not meet the count 0.
            if a[0] == 0 { return a.update(from: b, count: 3) }
            let count = a[0] + b[0], difference = b[1] - a[1]
            a[2] += b[2] + difference * difference * (a[0] * b[0] / count)
            a[1] += difference * (b[0] / count)
            a[0] = count
        }
    }
}

/// Bitwise AND or OR of integers.
final class BitState: AggregateState {
    private let isAnd: Bool
    init(_ argument: Register, isAnd: Bool, context: ExecutionContext) {
        self.isAnd = isAnd
        super.init(argument, width: 8, context: context)
    }
    override func fresh(final: Bool) -> AggregateState {
        argument.map { BitState($0, isAnd: isAnd, context: context) } ?? self
    }
    override func clear(_ range: Range<Int>) {
        values(Int64.self).advanced(by: range.lowerBound).update(repeating: isAnd ? -1 : 0, count: range.count)
    }
    override func update(_ input: StateInput) throws {
        switch argument?.physical {
        case .uint8: add(input, UInt8.self)
        case .uint16: add(input, UInt16.self)
        case .int32: add(input, Int32.self)
        case .int64: add(input, Int64.self)
        // A BIGINT that was computed with more bits.
        case .int128: add(input, Int128.self)
        case .float64, .string, nil: throw SQLError(.internalError, "bits of no integer")
        }
    }
    @inline(__always) private func add<Value: FixedWidthInteger>(_ input: StateInput, _: Value.Type) {
        guard let argument else { return }
        let from = input.batch.values(argument.index, Value.self)
        let target = values(Int64.self)
        for i in 0..<input.count {
            if let valid = input.valid, valid[i] == 0 { continue }
            let group = Int(input.groups[i])
            let value = Int64(truncatingIfNeeded: from[i])
            target[group] = isAnd ? target[group] & value : target[group] | value
        }
    }
    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        let target = values(Int64.self), source = other.values(Int64.self)
        if isAnd { map.forEach { target[$1] &= source[$0] } } else { map.forEach { target[$1] |= source[$0] } }
    }
}
