import SQLTypes

/// What the planner knows of one column. Bounds are exact (zone maps); the rest is estimated.
package struct ColumnStatistics: Hashable, Sendable {
    package var nullCount: Int64
    /// Exact bounds over all rows; `null` when every value is NULL or the type has none. Strings may be truncated
    /// prefixes for `minimum` (rounded down) and `maximum` (rounded up).
    package var minimum: Datum
    package var maximum: Datum
    package var distinctCount: Double
    /// Mean bytes of a value: string bytes, else the type's width.
    package var averageWidth: Double
    /// Mean number of neighbouring rows with the same value, 1 for scattered columns.
    package var averageRunLength: Double
    /// Bounds of equal-frequency buckets from ANALYZE, empty before.
    package var histogram: [Datum]
    /// Most common values and their share of all rows, from ANALYZE.
    package var mostCommon: [MostCommonValue]
    /// True when some value ends in a blank, which comparisons ignore.
    package var hasTrailingBlanks: Bool

    package struct MostCommonValue: Hashable, Sendable {
        package var value: Datum
        package var fraction: Double
        package init(value: Datum, fraction: Double) {
            self.value = value
            self.fraction = fraction
        }
    }

    package init(
        nullCount: Int64 = 0, minimum: Datum = .null, maximum: Datum = .null, distinctCount: Double = 0,
        averageWidth: Double = 8, averageRunLength: Double = 1, histogram: [Datum] = [],
        mostCommon: [MostCommonValue] = [], hasTrailingBlanks: Bool = false
    ) {
        self.nullCount = nullCount
        self.minimum = minimum
        self.maximum = maximum
        self.distinctCount = distinctCount
        self.averageWidth = averageWidth
        self.averageRunLength = averageRunLength
        self.histogram = histogram
        self.mostCommon = mostCommon
        self.hasTrailingBlanks = hasTrailingBlanks
    }
}

/// Statistics of a table at one snapshot, kept up to date by every load.
package struct TableStatistics: Hashable, Sendable {
    package var rowCount: Int64
    package var columns: [ColumnStatistics]
    /// Rows per slice, for skew and for choosing between merging and slice-local grouping.
    package var sliceRows: [Int64]
    package init(rowCount: Int64, columns: [ColumnStatistics], sliceRows: [Int64] = []) {
        self.rowCount = rowCount
        self.columns = columns
        self.sliceRows = sliceRows
    }
}

/// Gives the planner a table's statistics; nil for a table without data.
package protocol StatisticsProvider: Sendable {
    func statistics(of table: ObjectID) -> TableStatistics?
}
