import Glibc

/// One worker's finished tables of a grouping by hashed keys, and when the one at hand is finished.
///
/// A table that outgrows the caches costs misses for every row. Where keys hardly repeat, the worker puts it aside and
/// begins a new one; all are merged by partitions of the hash, which fit the caches again. Where keys repeat, a larger
/// table is better than many entries for the same group: how many groups there are is estimated from how fast new ones
/// came.
struct AggregateRuns {
    /// Groups of a table that stays in the caches.
    static let groups = 30_000
    /// A table may become larger by this factor, when that is all there will be.
    private static let largestFactor = 8.0

    var finished: [AggregateSink.Part] = []
    private var nextCheck = AggregateRuns.groups
    private var entries = 0
    /// Entries that may be put aside: some for each group, that is all repetition may cost.
    private var budget = Int.max

    /// - Parameter rows: rows that came since the table was begun.
    mutating func ends(groups: Int, rows: Int) -> Bool {
        if groups < nextCheck || entries > budget { return false }
        let isFirst = nextCheck == AggregateRuns.groups
        if isFirst {
            let total = AggregateRuns.estimate(groups: Double(groups), rows: Double(rows))
            if total <= Double(groups) * AggregateRuns.largestFactor {
                nextCheck = Int(total * 2)
                return false
            }
            budget = max(budget == .max ? 0 : budget, total < 1e12 ? Int(total * 3) : .max)
        }
        // A table that became larger than foreseen has keys that come in clusters, so that little repeats later.
        nextCheck = AggregateRuns.groups
        entries += groups
        return true
    }

    /// How many groups there are when so many rows, drawn at random, met so many of them.
    static func estimate(groups: Double, rows: Double) -> Double {
        if groups >= rows { return .infinity }
        var low = groups, high = groups * 1e6
        for _ in 0..<60 {
            let middle = (low * high).squareRoot()
            if middle * (1 - exp(-rows / middle)) < groups { low = middle } else { high = middle }
        }
        return high
    }
}
