import SQLTypes

/// Aggregate functions. Argument and result types follow redshift's table (SUM of INTEGER is BIGINT, of DECIMAL is
/// DECIMAL(38, s), AVG of integers is BIGINT or DECIMAL ...); the binder has set them.
package enum AggregateFunction: String, Sendable, Hashable, CaseIterable {
    case countRows, count, sum, average, minimum, maximum
    case standardDeviationSample, standardDeviationPopulation, varianceSample, variancePopulation
    case boolAnd, boolOr, bitAnd, bitOr
    case median, percentileContinuous, percentileDiscrete, listAggregate, anyValue
    case approximateCountDistinct
    /// Of hashes: the binder writes `hll_hash(x)`. No value makes the empty sketch, not NULL.
    case hllSketch
    /// Of sketches.
    case hllCombine
}

/// One aggregate of an Aggregate operator (or of a window, then `distinct` and `orderBy` are not used).
package struct AggregateCall: Hashable, Sendable {
    package var function: AggregateFunction
    /// percentile: [value, fraction]; listagg: [value, separator]; count(*): [].
    package var arguments: [BoundExpression]
    package var distinct: Bool
    package var filter: BoundExpression?
    /// WITHIN GROUP (ORDER BY ...).
    package var orderBy: [SortItem]
    package var type: SQLType
    package init(
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
package struct SortItem: Hashable, Sendable {
    package var expression: BoundExpression
    package var descending: Bool
    package var nullsFirst: Bool
    package init(expression: BoundExpression, descending: Bool, nullsFirst: Bool) {
        self.expression = expression
        self.descending = descending
        self.nullsFirst = nullsFirst
    }
}

package enum WindowFunction: Hashable, Sendable {
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

package struct WindowFrame: Hashable, Sendable {
    package enum Unit: Hashable, Sendable { case rows, range }
    package enum Bound: Hashable, Sendable {
        case unboundedPreceding
        case preceding(Int64)
        case currentRow
        case following(Int64)
        case unboundedFollowing
    }
    package var unit: Unit
    package var start: Bound
    package var end: Bound
    package init(unit: Unit, start: Bound, end: Bound) {
        self.unit = unit
        self.start = start
        self.end = end
    }
}

/// One window function; calls with equal partitioning and ordering share an operator.
package struct WindowCall: Hashable, Sendable {
    package var function: WindowFunction
    package var arguments: [BoundExpression]
    package var ignoreNulls: Bool
    /// nil: the function ignores frames, or the default frame (RANGE UNBOUNDED PRECEDING TO CURRENT ROW with ORDER BY,
    /// all rows without) applies.
    package var frame: WindowFrame?
    package var type: SQLType
    package init(
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
