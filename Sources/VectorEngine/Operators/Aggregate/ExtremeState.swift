import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// The least or greatest value of every group: integers (and dictionary codes, whose order is that of the strings) in
/// 64 or 128 bits, doubles with NaN as the greatest, strings without regard to trailing blanks, intervals by their
/// length.
final class ExtremeState: AggregateState {
    /// Any value: of strings the first one, so that no others are compared and copied.
    enum Choice { case least, greatest, any }
    enum Form { case integer, wide, float, string, interval }
    private let choice: Choice
    /// Trailing blanks do not count.
    private let trims: Bool
    private var isMinimum: Bool { choice != .greatest }
    let form: Form
    /// Views are kept as they are; otherwise strings are copied to the arena.
    private let keepsViews: Bool
    private let arena = StringArena()
    private var arenaReserved = 0
    /// Length that no string has: the group has no value yet.
    private static let unset = UInt32.max

    init(_ argument: Register, _ choice: Choice, keepsViews: Bool = false, context: ExecutionContext) {
        self.choice = choice
        trims = !argument.type.family.isBinaryString
        self.keepsViews = keepsViews
        form =
            switch argument.physical {
            case .string: .string
            case .float64: .float
            case .int128: argument.type == .interval ? .interval : .wide
            default: .integer
            }
        super.init(argument, width: form == .integer || form == .float ? 8 : 16, context: context)
    }
    deinit { if arenaReserved > 0 { context.grant.release(arenaReserved) } }

    override func fresh(final: Bool) -> AggregateState {
        argument.map { ExtremeState($0, choice, keepsViews: final, context: context) } ?? self
    }

    override func clear(_ range: Range<Int>) {
        switch form {
        case .integer:
            (values(Int64.self) + range.lowerBound).update(repeating: isMinimum ? .max : .min, count: range.count)
        case .wide, .interval:
            (values(Int128.self) + range.lowerBound).update(repeating: isMinimum ? .max : .min, count: range.count)
        case .float:
            (values(Double.self) + range.lowerBound).update(
                repeating: isMinimum ? .nan : -.infinity, count: range.count)
        case .string:
            var none = StringView.empty
            none.count = ExtremeState.unset
            (values(StringView.self) + range.lowerBound).update(repeating: none, count: range.count)
        }
    }

    override func update(_ input: StateInput) throws {
        guard let argument else { return }
        switch argument.physical {
        case .uint8: integers(input, input.batch.values(argument.index, UInt8.self))
        case .uint16: integers(input, input.batch.values(argument.index, UInt16.self))
        case .int32: integers(input, input.batch.values(argument.index, Int32.self))
        case .int64: integers(input, input.batch.values(argument.index, Int64.self))
        case .int128: wide(input, input.batch.values(argument.index, Int128.self))
        case .float64: floats(input, input.batch.values(argument.index, Double.self))
        case .string: try strings(input, input.batch.values(argument.index, StringView.self))
        }
    }

    @inline(__always)
    private func integers<Value: FixedWidthInteger>(_ input: StateInput, _ from: UnsafePointer<Value>) {
        let best = values(Int64.self), count = input.count, groups = input.groups
        if input.single && input.valid == nil && count > 0 {
            var found = from[0]
            if isMinimum {
                for i in 1..<count { found = min(found, from[i]) }
                best[0] = min(best[0], Int64(truncatingIfNeeded: found))
            } else {
                for i in 1..<count { found = max(found, from[i]) }
                best[0] = max(best[0], Int64(truncatingIfNeeded: found))
            }
            return
        }
        if input.single, let valid = input.valid {
            if memchr(valid, 1, count) == nil { return }
            let found = ExtremeState.masked(from, valid, count, isMinimum: isMinimum)
            best[0] = isMinimum ? min(best[0], found) : max(best[0], found)
            return
        }
        for i in 0..<count {
            if let valid = input.valid, valid[i] == 0 { continue }
            let group = Int(groups[i]), value = Int64(truncatingIfNeeded: from[i])
            best[group] = isMinimum ? min(best[group], value) : max(best[group], value)
        }
    }

    /// Rows that do not count stand for the value that changes nothing, and every value is read, so that the loop has
    /// no branch: 0.3 ns a row of 32 bits, 4 ns with one.
    @inline(__always)
    private static func masked<Value: FixedWidthInteger>(
        _ from: UnsafePointer<Value>, _ valid: UnsafePointer<UInt8>, _ count: Int, isMinimum: Bool
    ) -> Int64 {
        var found = isMinimum ? Value.max : Value.min
        if isMinimum {
            for i in 0..<count {
                let value = from[i], counts = valid[i] != 0
                let candidate = counts ? value : Value.max
                found = candidate < found ? candidate : found
            }
        } else {
            for i in 0..<count {
                let value = from[i], counts = valid[i] != 0
                let candidate = counts ? value : Value.min
                found = candidate > found ? candidate : found
            }
        }
        return Int64(truncatingIfNeeded: found)
    }

    private func wide(_ input: StateInput, _ from: UnsafePointer<Int128>) {
        let best = values(Int128.self)
        for i in 0..<input.count {
            if let valid = input.valid, valid[i] == 0 { continue }
            replace(best + Int(input.groups[i]), from[i])
        }
    }
    @inline(__always)
    private func replace(_ best: UnsafeMutablePointer<Int128>, _ value: Int128) {
        if form == .wide {
            best.pointee = isMinimum ? min(best.pointee, value) : max(best.pointee, value)
        } else if best.pointee == (isMinimum ? Int128.max : Int128.min)
            || (Interval(packed: value).isShorter(than: Interval(packed: best.pointee)) == isMinimum)
        {
            best.pointee = value
        }
    }

    private func floats(_ input: StateInput, _ from: UnsafePointer<Double>) {
        let best = values(Double.self)
        for i in 0..<input.count {
            if let valid = input.valid, valid[i] == 0 { continue }
            replace(best + Int(input.groups[i]), from[i])
        }
    }
    @inline(__always)
    private func replace(_ best: UnsafeMutablePointer<Double>, _ value: Double) {
        let old = best.pointee
        if isMinimum ? (value < old || old.isNaN) : (value > old || value.isNaN) { best.pointee = value }
    }

    private func strings(_ input: StateInput, _ from: UnsafePointer<StringView>) throws {
        let best = values(StringView.self)
        for i in 0..<input.count {
            if let valid = input.valid, valid[i] == 0 { continue }
            let place = best + Int(input.groups[i])
            if !isBetter(from[i], place.pointee) { continue }
            place.pointee = keepsViews ? from[i] : try arena.copy(from[i].bytes)
        }
        if arena.reservedBytes > arenaReserved {
            try context.reserve(arena.reservedBytes - arenaReserved)
            arenaReserved = arena.reservedBytes
        }
    }
    @inline(__always)
    private func isBetter(_ value: StringView, _ old: StringView) -> Bool {
        if old.count == ExtremeState.unset { return true }
        if choice == .any { return false }
        let order = trims ? StringView.compareTrimmed(value, old) : StringView.compare(value, old)
        return isMinimum ? order < 0 : order > 0
    }

    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        switch form {
        case .integer:
            let target = values(Int64.self), source = other.values(Int64.self)
            if isMinimum {
                map.forEach { target[$1] = min(target[$1], source[$0]) }
            } else {
                map.forEach { target[$1] = max(target[$1], source[$0]) }
            }
        case .wide, .interval:
            let target = values(Int128.self), source = other.values(Int128.self)
            let unset = isMinimum ? Int128.max : Int128.min
            map.forEach { if source[$0] != unset { replace(target + $1, source[$0]) } }
        case .float:
            let target = values(Double.self), source = other.values(Double.self)
            map.forEach { replace(target + $1, source[$0]) }
        case .string:
            let target = values(StringView.self), source = other.values(StringView.self)
            map.forEach { from, to in
                if source[from].count != ExtremeState.unset, isBetter(source[from], target[to]) {
                    target[to] = source[from]
                }
            }
        }
    }
}

extension Interval {
    /// Compared as PostgreSQL does: a month counts as 30 days.
    func isShorter(than other: Interval) -> Bool {
        let month: Int128 = 30 * 86_400_000_000
        return Int128(months) * month + Int128(microseconds) < Int128(other.months) * month + Int128(other.microseconds)
    }
}
