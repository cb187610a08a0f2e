import SQLTypes

/// What the planner knows of one column. Bounds are exact (zone maps); the rest is estimated.
public struct ColumnStatistics: Hashable, Sendable {
    public var nullCount: Int64
    /// Exact bounds over all rows; `null` when every value is NULL or the type has none. Strings may be truncated
    /// prefixes for `minimum` (rounded down) and `maximum` (rounded up).
    public var minimum: Datum
    public var maximum: Datum
    public var distinctCount: Double
    /// Mean bytes of a value: string bytes, else the type's width.
    public var averageWidth: Double
    /// Mean number of neighbouring rows with the same value, 1 for scattered columns.
    public var averageRunLength: Double
    /// Bounds of equal-frequency buckets from ANALYZE, empty before.
    public var histogram: [Datum]
    /// Most common values and their share of all rows, from ANALYZE.
    public var mostCommon: [MostCommonValue]
    /// True when some value ends in a blank, which comparisons ignore.
    public var hasTrailingBlanks: Bool

    public struct MostCommonValue: Hashable, Sendable {
        public var value: Datum
        public var fraction: Double
        public init(value: Datum, fraction: Double) {
            self.value = value
            self.fraction = fraction
        }
    }

    public init(
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
public struct TableStatistics: Hashable, Sendable {
    public var rowCount: Int64
    public var columns: [ColumnStatistics]
    /// Rows per slice, for skew and for choosing between merging and slice-local grouping.
    public var sliceRows: [Int64]
    public init(rowCount: Int64, columns: [ColumnStatistics], sliceRows: [Int64] = []) {
        self.rowCount = rowCount
        self.columns = columns
        self.sliceRows = sliceRows
    }
}

/// Gives the planner a table's statistics; nil for a table without data.
public protocol StatisticsProvider: Sendable {
    func statistics(of table: ObjectID) -> TableStatistics?
}

/// Nodes and slices of a warehouse; fixed at creation.
public struct ClusterShape: Hashable, Sendable {
    public var nodes: Int
    public var slicesPerNode: Int
    public var slices: Int { nodes * slicesPerNode }
    public init(nodes: Int, slicesPerNode: Int) {
        self.nodes = nodes
        self.slicesPerNode = slicesPerNode
    }
}
