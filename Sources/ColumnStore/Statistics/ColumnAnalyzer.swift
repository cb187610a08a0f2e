import Catalog
import ColumnVectors
import SQLTypes

/// Turns a column's sampled values into most common values and a histogram.
///
/// A value is common when it is clearly more frequent than the average one: a quarter more, and more than chance would
/// explain. All other values go into buckets of equal frequency.
package struct ColumnAnalyzer {
    package static let mostCommonLimit = 100
    package static let bucketCount = 100
    /// Longer strings are cut in histograms and left out of the most common values.
    static let longestValue = 128

    private let type: SQLType
    private let facts: ColumnStatistics
    private let sample: ColumnBuffer
    private let isComplete: Bool

    /// - Parameter facts: the column's exact statistics.
    package static func analyze(
        _ sample: ColumnBuffer, type: SQLType, facts: ColumnStatistics, rowCount: Int64, isComplete: Bool
    ) -> ColumnAnalysis {
        let analyzer = ColumnAnalyzer(type: type, facts: facts, sample: sample, isComplete: isComplete)
        var result = ColumnAnalysis(
            nullFraction: rowCount > 0 ? Double(facts.nullCount) / Double(rowCount) : 0,
            distinctCount: facts.distinctCount, averageWidth: facts.averageWidth)
        analyzer.fill(&result)
        return result
    }

    private func fill(_ result: inout ColumnAnalysis) {
        switch sample.physical {
        case .uint8: fill(integers(UInt8.self), &result)
        case .uint16: fill(integers(UInt16.self), &result)
        case .int32: fill(integers(Int32.self), &result)
        case .int64: fill(integers(Int64.self), &result)
        // The packed form's order is not that of intervals.
        case .int128: if type != .interval { fill(integers(Int128.self), &result) }
        case .float64:
            let numbers = present(Double.self).filter { !$0.isNaN }.sorted()
            fill(Runs(numbers, same: ==) { .double($0) }, &result)
        case .string:
            let views = present(StringView.self).map(\.trimmed).sorted { StringView.compare($0, $1) < 0 }
            fill(Runs(views, same: StringView.equal) { .string(Array($0.bytes)) }, &result)
        }
    }

    private func present<Value>(_ type: Value.Type) -> [Value] {
        let values = sample.values(as: Value.self)
        guard let validity = sample.validity else {
            return Array(UnsafeBufferPointer(start: values, count: sample.count))
        }
        var result: [Value] = []
        result.reserveCapacity(sample.count)
        for row in 0..<sample.count where validity[row] != 0 { result.append(values[row]) }
        return result
    }

    private func integers<Value: FixedWidthInteger>(_ type: Value.Type) -> Runs<Value> {
        Runs(present(Value.self).sorted(), same: ==) { .integer(Int128($0)) }
    }

    /// Equal neighbours of the sorted sample.
    private struct Runs<Value> {
        var values: [Value] = []
        var counts: [Int] = []
        var datum: (Value) -> Datum

        init(_ sorted: [Value], same: (Value, Value) -> Bool, _ datum: @escaping (Value) -> Datum) {
            self.datum = datum
            var start = 0
            while start < sorted.count {
                var end = start + 1
                while end < sorted.count && same(sorted[start], sorted[end]) { end += 1 }
                values.append(sorted[start])
                counts.append(end - start)
                start = end
            }
        }

        func value(_ place: Int) -> Datum { datum(values[place]) }
        func isShort(_ place: Int) -> Bool {
            if case .string(let bytes) = value(place) { bytes.count <= ColumnAnalyzer.longestValue } else { true }
        }
    }

    private func fill<Value>(_ runs: Runs<Value>, _ result: inout ColumnAnalysis) {
        if runs.counts.isEmpty { return }
        let common = commonPlaces(runs)
        let total = Double(sample.count)
        result.mostCommon = common.map {
            .init(value: runs.value($0), fraction: Double(runs.counts[$0]) / total)
        }
        let isCommon = Set(common)
        result.histogram = histogram(runs, runs.counts.indices.filter { !isCommon.contains($0) })
    }

    /// Places of the most common values, most frequent first.
    private func commonPlaces<Value>(_ runs: Runs<Value>) -> [Int] {
        let counts = runs.counts
        let byCount = counts.indices.sorted { (counts[$1], $0) < (counts[$0], $1) }
        let seenAll = isComplete || Double(counts.count) * 1.05 + 1 >= facts.distinctCount
        if counts.count <= ColumnAnalyzer.mostCommonLimit, seenAll, counts.indices.allSatisfy(runs.isShort) {
            return byCount
        }
        let values = counts.reduce(0, +)
        let average = Double(values) / max(facts.distinctCount, Double(counts.count))
        let chance = isComplete ? 2 : max(average + 4 * average.squareRoot(), 10)
        let least = max(average * 1.25, chance)
        return byCount.prefix(ColumnAnalyzer.mostCommonLimit).filter { Double(counts[$0]) >= least && runs.isShort($0) }
    }

    private func histogram<Value>(_ runs: Runs<Value>, _ places: [Int]) -> [Datum] {
        guard places.count >= 2 else { return [] }
        let values = places.reduce(0) { $0 + runs.counts[$1] }
        let buckets = min(ColumnAnalyzer.bucketCount, places.count - 1)
        var bounds: [Datum] = []
        var seen = 0
        for place in places {
            seen += runs.counts[place]
            // The values at ranks i * (n - 1) / buckets.
            while bounds.count <= buckets && bounds.count * (values - 1) / buckets < seen {
                bounds.append(cut(runs.value(place)))
            }
        }
        return bounds
    }

    private func cut(_ value: Datum) -> Datum {
        guard case .string(let bytes) = value, bytes.count > ColumnAnalyzer.longestValue else { return value }
        return .string(Array(bytes.prefix(ColumnAnalyzer.longestValue)))
    }
}
