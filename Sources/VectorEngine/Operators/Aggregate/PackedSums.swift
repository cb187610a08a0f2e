import ColumnVectors
import Glibc
import SQLTypes

/// Which sums share a 64-bit word: non-negative narrow values (and the count of rows, a field to which every row adds
/// 1), each with room for a whole batch.
struct PackedSumsPlan {
    struct Field {
        var state: Int
        var register: Register?
        var word: Int
        var shift: Int
        var bits: Int
    }
    var fields: [Field] = []
    var words = 0
    let groups: Int
    private static let mostGroups = 512
    static let mostWords = 4

    /// Plans of up to four words for the states of a grouping into few groups; states that do not fit stay as they are.
    static func make(_ keys: GroupKeys, _ layout: AggregateLayout, _ context: ExecutionContext) -> [PackedSumsPlan] {
        guard context.takes(.packedSums), case .dense(let domain) = keys.form, domain <= mostGroups else { return [] }
        let batchRows = context.batchRows
        var items: [(state: Int, register: Register?, bits: Int)] = []
        for (index, state) in layout.states.enumerated() where state.filter == nil {
            if state.key.kind == .count && state.argument == nil {
                items.append((index, nil, 64 - batchRows.leadingZeroBitCount))
            } else if state.key.kind == .sum, let argument = state.argument, argument.isInteger, !argument.nullable,
                argument.lower >= 0, argument.upper < 1 << 52, !argument.isConstant
            {
                let most = argument.upper * Int128(batchRows)
                let bits = max(128 - most.leadingZeroBitCount, 1)
                if most < 1 << 62 { items.append((index, argument, bits)) }
            }
        }
        if items.count < 2 { return [] }
        return pack(items.sorted { $0.bits > $1.bits }, domain)
    }

    /// First fit, largest first.
    private static func pack(_ items: [(state: Int, register: Register?, bits: Int)], _ groups: Int)
        -> [PackedSumsPlan]
    {
        var room: [Int] = []
        var placed: [Field] = []
        for item in items {
            let word = room.firstIndex { $0 >= item.bits } ?? room.count
            if word == room.count { room.append(63) }
            placed.append(
                Field(
                    state: item.state, register: item.register, word: word, shift: 63 - room[word], bits: item.bits))
            room[word] -= item.bits
        }
        var plans: [PackedSumsPlan] = []
        for start in stride(from: 0, to: room.count, by: mostWords) {
            var plan = PackedSumsPlan(groups: groups)
            plan.words = min(mostWords, room.count - start)
            for field in placed where field.word >= start && field.word < start + mostWords {
                var local = field
                local.word -= start
                plan.fields.append(local)
            }
            plans.append(plan)
        }
        return plans
    }
    private init(groups: Int) { self.groups = groups }
}

/// One worker's packed accumulators: four interleaved sets, so that equal groups in a row do not wait for each other;
/// emptied into the states after every batch.
final class PackedSums {
    private let plan: PackedSumsPlan
    private let states: [AggregateState]
    private let accumulators: TableMemory
    private let packed: TableMemory
    private let rowRoom: Int
    /// By word: the fields with a register, and what every row adds for the count.
    private let inputs: [[PackedSumsPlan.Field]]
    private let ones: [Int64]
    /// By field; nil for the count.
    private let sums: [SumState?]

    init(_ plan: PackedSumsPlan, states: [AggregateState], context: ExecutionContext) throws {
        self.plan = plan
        self.states = states
        rowRoom = context.batchRows + 64
        inputs = (0..<plan.words).map { word in plan.fields.filter { $0.word == word && $0.register != nil } }
        ones = (0..<plan.words).map { word in
            plan.fields.reduce(0) { $1.word == word && $1.register == nil ? 1 &<< Int64($1.shift) : $0 }
        }
        sums = plan.fields.map { states[$0.state] as? SumState }
        accumulators = try TableMemory(context, bytes: (plan.groups + 1) * 4 * 4 * 8, zeroed: true)
        packed = try TableMemory(context, bytes: rowRoom * plan.words * 8)
    }

    func add(_ batch: Batch, _ groups: UnsafePointer<UInt32>) throws {
        let count = batch.count
        for word in 0..<plan.words { pack(batch, word, count) }
        accumulate(groups, count)
        try unpack()
    }

    private func pack(_ batch: Batch, _ word: Int, _ count: Int) {
        let target = packed.values(Int64.self) + word * rowRoom
        let one = ones[word], inputs = self.inputs[word]
        if inputs.isEmpty { target.update(repeating: one, count: count) }
        var first = true
        for field in inputs {
            guard let register = field.register else { continue }
            let shift = Int64(field.shift)
            switch register.physical {
            case .uint8: packValues(batch.values(register.index, UInt8.self), target, count, shift, first, one)
            case .uint16: packValues(batch.values(register.index, UInt16.self), target, count, shift, first, one)
            case .int32: packValues(batch.values(register.index, Int32.self), target, count, shift, first, one)
            case .int64: packValues(batch.values(register.index, Int64.self), target, count, shift, first, one)
            // The bounds say that the lower 64 bits are all there is.
            case .int128: packValues(batch.values(register.index, Int128.self), target, count, shift, first, one)
            case .float64, .string: assertionFailure("a packed sum of no integers")
            }
            first = false
        }
    }

    private func accumulate(_ groups: UnsafePointer<UInt32>, _ count: Int) {
        let set = (plan.groups &+ 1) &* 4
        let a = accumulators.values(Int64.self), b = a + set, c = b + set, d = c + set
        let x0 = UnsafePointer(packed.values(Int64.self))
        let x1 = x0 + rowRoom &* min(1, plan.words &- 1), x2 = x0 + rowRoom &* min(2, plan.words &- 1)
        let x3 = x0 + rowRoom &* (plan.words &- 1)
        @inline(__always) func each(_ add: (UnsafeMutablePointer<Int64>, Int) -> Void) {
            var i = 0
            while i &+ 3 < count {
                add(a + Int(groups[i]) &* 4, i)
                add(b + Int(groups[i &+ 1]) &* 4, i &+ 1)
                add(c + Int(groups[i &+ 2]) &* 4, i &+ 2)
                add(d + Int(groups[i &+ 3]) &* 4, i &+ 3)
                i &+= 4
            }
            while i < count {
                add(a + Int(groups[i]) &* 4, i)
                i &+= 1
            }
        }
        switch plan.words {
        case 1: each { $0[0] &+= x0[$1] }
        case 2:
            each {
                $0[0] &+= x0[$1]
                $0[1] &+= x1[$1]
            }
        case 3:
            each {
                $0[0] &+= x0[$1]
                $0[1] &+= x1[$1]
                $0[2] &+= x2[$1]
            }
        default:
            each {
                $0[0] &+= x0[$1]
                $0[1] &+= x1[$1]
                $0[2] &+= x2[$1]
                $0[3] &+= x3[$1]
            }
        }
    }

    private func unpack() throws {
        let groups = plan.groups &+ 1
        let all = accumulators.values(Int64.self)
        for (index, field) in plan.fields.enumerated() {
            let mask: Int64 = (1 &<< Int64(field.bits)) &- 1
            let shift = Int64(field.shift)
            let from = all + field.word
            @inline(__always) func sum(_ group: Int) -> Int64 {
                let place = from + group &* 4, step = groups &* 4
                return ((place[0] &>> shift) & mask) &+ ((place[step] &>> shift) & mask)
                    &+ ((place[2 &* step] &>> shift) & mask) &+ ((place[3 &* step] &>> shift) & mask)
            }
            if let sums = sums[index] {
                try sums.addTotals(groups) { sum($0) }
            } else {
                let counts = states[field.state].values(Int64.self)
                for group in 0..<groups { counts[group] &+= sum(group) }
            }
        }
        memset(all, 0, groups * 4 * 4 * 8)
    }
}

@inline(__always)
private func packValues<Value: FixedWidthInteger>(
    _ from: UnsafePointer<Value>, _ target: UnsafeMutablePointer<Int64>, _ count: Int, _ shift: Int64, _ first: Bool,
    _ one: Int64
) {
    if first {
        for i in 0..<count { target[i] = (Int64(truncatingIfNeeded: from[i]) &<< shift) &+ one }
    } else {
        for i in 0..<count { target[i] &+= Int64(truncatingIfNeeded: from[i]) &<< shift }
    }
}
