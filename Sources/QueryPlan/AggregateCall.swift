import SQLTypes

/// Aggregate functions. Argument and result types follow redshift's table (SUM of INTEGER is BIGINT, of DECIMAL is
/// DECIMAL(38, s), AVG of integers is BIGINT or DECIMAL ...); the binder has set them.
public enum AggregateFunction: String, Sendable, Hashable, CaseIterable {
    case countRows, count, sum, average, minimum, maximum
    case standardDeviationSample, standardDeviationPopulation, varianceSample, variancePopulation
    case boolAnd, boolOr, bitAnd, bitOr
    case median, percentileContinuous, percentileDiscrete, listAggregate, anyValue
    case approximateCountDistinct
}

/// One aggregate of an Aggregate operator (or of a window, then `distinct` and `orderBy` are not used).
public struct AggregateCall: Hashable, Sendable {
    public var function: AggregateFunction
    /// percentile: [value, fraction]; listagg: [value, separator]; count(*): [].
    public var arguments: [BoundExpression]
    public var distinct: Bool
    public var filter: BoundExpression?
    /// WITHIN GROUP (ORDER BY ...).
    public var orderBy: [SortItem]
    public var type: SQLType
    public init(
        function: AggregateFunction, arguments: [BoundExpression], distinct: Bool = false,
        filter: BoundExpression? = nil, orderBy: [SortItem] = [], type: SQLType
    ) {
        self.function = function
        self.arguments = arguments
        self.distinct = distinct
        self.filter = filter
        self.orderBy = orderBy
        self.type = type
    }
}

/// One key of an ORDER BY. NULLs sort as the largest value unless said otherwise; the binder has resolved the default.
public struct SortItem: Hashable, Sendable {
    public var expression: BoundExpression
    public var descending: Bool
    public var nullsFirst: Bool
    public init(expression: BoundExpression, descending: Bool, nullsFirst: Bool) {
        self.expression = expression
        self.descending = descending
        self.nullsFirst = nullsFirst
    }
}

public enum WindowFunction: Hashable, Sendable {
    case rowNumber, rank, denseRank, percentRank, cumulativeDistribution
    case ntile
    /// arguments: [value, offset, default?]
    case lag, lead
    case firstValue, lastValue
    /// arguments: [value, n]
    case nthValue
    case ratioToReport
    case aggregate(AggregateFunction)
}

public struct WindowFrame: Hashable, Sendable {
    public enum Unit: Hashable, Sendable { case rows, range }
    public enum Bound: Hashable, Sendable {
        case unboundedPreceding
        case preceding(Int64)
        case currentRow
        case following(Int64)
        case unboundedFollowing
    }
    public var unit: Unit
    public var start: Bound
    public var end: Bound
    public init(unit: Unit, start: Bound, end: Bound) {
        self.unit = unit
        self.start = start
        self.end = end
    }
}

/// One window function; calls with equal partitioning and ordering share an operator.
public struct WindowCall: Hashable, Sendable {
    public var function: WindowFunction
    public var arguments: [BoundExpression]
    public var ignoreNulls: Bool
    /// nil: the function ignores frames, or the default frame (RANGE UNBOUNDED PRECEDING TO CURRENT ROW with ORDER BY,
    /// all rows without) applies.
    public var frame: WindowFrame?
    public var type: SQLType
    public init(
        function: WindowFunction, arguments: [BoundExpression], ignoreNulls: Bool = false, frame: WindowFrame? = nil,
        type: SQLType
    ) {
        self.function = function
        self.arguments = arguments
        self.ignoreNulls = ignoreNulls
        self.frame = frame
        self.type = type
    }
}
