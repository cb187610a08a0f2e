import Catalog
import SQLTypes

/// How a column's values are distributed, as far as its statistics tell: most common values first, then buckets of
/// equal frequency, then a straight line between the bounds. Shares are of all rows, NULLs included.
struct ValueDistribution {
    let statistics: ColumnStatistics
    let nullFraction: Double
    let distinct: Double

    private var commonShare: Double { statistics.mostCommon.reduce(0) { $0 + $1.fraction } }
    /// Share of the rows whose value is not a common one.
    private var otherShare: Double { max(0, 1 - nullFraction - commonShare) }
    /// All values are among the common ones.
    private var isEnumerated: Bool { statistics.histogram.isEmpty && !statistics.mostCommon.isEmpty }

    // MARK: One value

    func equal(to value: Datum) -> Double {
        if value.isNull || isOutside(value) { return 0 }
        let wanted = ValueDistribution.trimmed(value)
        for common in statistics.mostCommon where common.value == wanted { return common.fraction }
        return equalToOther()
    }

    /// As common values are kept.
    private static func trimmed(_ value: Datum) -> Datum {
        guard case .string(let bytes) = value, bytes.last == 0x20 else { return value }
        return .string(Array(bytes[..<(bytes.lastIndex { $0 != 0x20 }.map { $0 + 1 } ?? 0)]))
    }

    /// A value that is not among the common ones, or not known.
    func equalToOther() -> Double {
        let others = max(1, distinct - Double(statistics.mostCommon.count))
        let share = otherShare / others
        guard let rarest = statistics.mostCommon.last?.fraction else { return share }
        return min(share, rarest)
    }

    private func isOutside(_ value: Datum) -> Bool {
        if let order = ConstantComparison.order(value, statistics.minimum), order < 0 { return true }
        if let order = ConstantComparison.order(value, statistics.maximum), order > 0 { return true }
        return false
    }

    // MARK: Ranges

    /// Share of the rows that lie below a value; nil when nothing is known.
    func below(_ value: Datum, inclusive: Bool) -> Double? {
        if value.isNull { return 0 }
        if let order = ConstantComparison.order(value, statistics.minimum), order < 0 { return 0 }
        if let order = ConstantComparison.order(value, statistics.maximum), order > 0 { return 1 - nullFraction }
        var common = 0.0
        for item in statistics.mostCommon {
            guard let order = ConstantComparison.order(item.value, value) else { return nil }
            if order < 0 || (order == 0 && inclusive) { common += item.fraction }
        }
        if isEnumerated { return common }
        guard let part = otherBelow(value, inclusive: inclusive) else { return nil }
        return common + part * otherShare
    }

    /// Share of the uncommon values that lie below.
    private func otherBelow(_ value: Datum, inclusive: Bool) -> Double? {
        let bounds = statistics.histogram
        guard bounds.count >= 2 else {
            return ValueDistribution.place(value, statistics.minimum, statistics.maximum, inclusive: inclusive)
        }
        // The first bound that is not below the value.
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            guard let order = ConstantComparison.order(bounds[middle], value) else { return nil }
            if order < 0 || (order == 0 && inclusive) { low = middle + 1 } else { high = middle }
        }
        if low == 0 { return 0 }
        if low == bounds.count { return 1 }
        let within = ValueDistribution.place(value, bounds[low - 1], bounds[low], inclusive: inclusive) ?? 0.5
        return (Double(low - 1) + within) / Double(bounds.count - 1)
    }

    /// Where a value lies between two bounds, 0 to 1.
    private static func place(_ value: Datum, _ low: Datum, _ high: Datum, inclusive: Bool) -> Double? {
        switch (value, low, high) {
        case (.integer(let point), .integer(let first), .integer(let last)):
            if point < first { return 0 }
            if point > last { return 1 }
            return (Double(point) - Double(first) + (inclusive ? 1 : 0)) / (Double(last) - Double(first) + 1)
        case (.double(let point), .double(let first), .double(let last)):
            guard point.isFinite, first.isFinite, last.isFinite else { return nil }
            return last > first ? min(1, max(0, (point - first) / (last - first))) : 0.5
        case (.string(let point), .string(let first), .string(let last)):
            return place(point, first, last)
        default: return nil
        }
    }

    /// Strings lie by the seven bytes behind what the bounds have in common.
    private static func place(_ point: [UInt8], _ first: [UInt8], _ last: [UInt8]) -> Double {
        var shared = 0
        while shared < first.count && shared < last.count && first[shared] == last[shared] { shared += 1 }
        func number(_ bytes: [UInt8]) -> Double {
            var number = 0.0
            for index in shared..<(shared + 7) {
                number = number * 256 + (index < bytes.count ? Double(bytes[index]) : 0x20)
            }
            return number
        }
        let low = number(first), high = number(last)
        return high > low ? min(1, max(0, (number(point) - low) / (high - low))) : 0.5
    }

    // MARK: Patterns

    /// Share of the rows that match a LIKE pattern; nil when nothing is known of the values.
    func matching(_ pattern: LikeEstimate) -> Double? {
        guard !statistics.mostCommon.isEmpty || statistics.histogram.count >= 2 else { return nil }
        var common = 0.0
        for item in statistics.mostCommon {
            if case .string(let bytes) = item.value, pattern.matches(bytes) { common += item.fraction }
        }
        if isEnumerated { return common }
        return common + otherShare * otherMatching(pattern)
    }

    private func otherMatching(_ pattern: LikeEstimate) -> Double {
        if pattern.isPrefixOnly, let (low, high) = pattern.prefixRange,
            let start = otherBelow(low, inclusive: false), let end = otherBelow(high, inclusive: false)
        {
            return max(end - start, 1 / max(1, distinct))
        }
        // The bounds are a sample of the values: small counts say little.
        var hits = 0
        for case .string(let bytes) in statistics.histogram where pattern.matches(bytes) { hits += 1 }
        let guess = pattern.guess
        return (Double(hits) + guess * 5) / (Double(statistics.histogram.count) + 5)
    }
}
