import SQLTypes

/// What ANALYZE found out about one column, from a sample of its rows.
package struct ColumnAnalysis: Hashable, Sendable {
    /// Share of rows that are NULL.
    package var nullFraction: Double
    package var distinctCount: Double
    /// Mean bytes of a value.
    package var averageWidth: Double
    /// Most frequent first; fractions are shares of all rows.
    package var mostCommon: [ColumnStatistics.MostCommonValue]
    /// Bounds of equal-frequency buckets over the values that are not among the most common ones, ascending.
    package var histogram: [Datum]
    package var analyzedMicroseconds: Int64

    package init(
        nullFraction: Double = 0, distinctCount: Double = 0, averageWidth: Double = 8,
        mostCommon: [ColumnStatistics.MostCommonValue] = [], histogram: [Datum] = [], analyzedMicroseconds: Int64 = 0
    ) {
        self.nullFraction = nullFraction
        self.distinctCount = distinctCount
        self.averageWidth = averageWidth
        self.mostCommon = mostCommon
        self.histogram = histogram
        self.analyzedMicroseconds = analyzedMicroseconds
    }
}

/// What ANALYZE found out about a table. Estimates only: nothing that decides about results may rely on it.
package struct TableAnalysis: Hashable, Sendable {
    /// Rows when it was made.
    package var rowCount: Int64
    /// By ``ColumnDefinition/id``.
    package var columns: [Int32: ColumnAnalysis]
    package var analyzedMicroseconds: Int64

    package init(rowCount: Int64, columns: [Int32: ColumnAnalysis], analyzedMicroseconds: Int64) {
        self.rowCount = rowCount
        self.columns = columns
        self.analyzedMicroseconds = analyzedMicroseconds
    }
}

/// Rows that came and went since the last ANALYZE.
package struct ChangedRows: Hashable, Sendable {
    package var inserted: Int64
    package var deleted: Int64
    package init(inserted: Int64 = 0, deleted: Int64 = 0) {
        self.inserted = inserted
        self.deleted = deleted
    }
    package var total: Int64 { inserted + deleted }
}

/// When queries used a column to filter, join or group.
package struct PredicateUse: Hashable, Sendable {
    package var firstMicroseconds: Int64
    package var lastMicroseconds: Int64
    package init(firstMicroseconds: Int64, lastMicroseconds: Int64) {
        self.firstMicroseconds = firstMicroseconds
        self.lastMicroseconds = lastMicroseconds
    }
}

extension TableStatistics {
    /// These statistics, exact where parts know them, with what a sample knows beyond.
    ///
    /// - Parameter ids: the columns' ids, in the order of ``columns``.
    package func adding(_ analysis: TableAnalysis, ids: [Int32]) -> TableStatistics {
        var result = self
        for (index, id) in ids.enumerated() where index < result.columns.count {
            guard let known = analysis.columns[id] else { continue }
            result.columns[index].mostCommon = known.mostCommon
            result.columns[index].histogram = result.columns[index].widened(known.histogram)
        }
        return result
    }
}

extension ColumnStatistics {
    /// Bounds are exact, histograms may be of an older state: their ends move outwards to the bounds.
    fileprivate func widened(_ histogram: [Datum]) -> [Datum] {
        guard histogram.count >= 2 else { return histogram }
        var result = histogram
        if case .integer(let low) = minimum, case .integer(let first) = result[0], low < first { result[0] = minimum }
        if case .integer(let high) = maximum, case .integer(let last) = result[result.count - 1], high > last {
            result[result.count - 1] = maximum
        }
        return result
    }
}
