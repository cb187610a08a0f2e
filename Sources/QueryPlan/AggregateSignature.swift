import SQLTypes

/// How an aggregate function is called and what it returns.
package struct AggregateSignature: Sendable {
    /// SQL names in lower case. The first one labels result columns.
    package var names: [String]
    package var function: AggregateFunction
    package var parameters: [Parameter]
    package var result: ResultRule
    /// Its value comes from WITHIN GROUP (ORDER BY value), before the arguments in parentheses.
    package var ordersItsValue: Bool
    /// WITHIN GROUP (ORDER BY ...) may be written.
    package var acceptsOrder: Bool
    package var acceptsDistinct: Bool

    package init(
        _ names: [String], _ function: AggregateFunction, _ parameters: [Parameter], returns result: ResultRule,
        ordersItsValue: Bool = false, acceptsOrder: Bool = false, acceptsDistinct: Bool = true
    ) {
        self.names = names
        self.function = function
        self.parameters = parameters
        self.result = result
        self.ordersItsValue = ordersItsValue
        self.acceptsOrder = acceptsOrder
        self.acceptsDistinct = acceptsDistinct
    }

    package static let all: [AggregateSignature] = [
        AggregateSignature(["count"], .count, [.any], returns: .bigint),
        AggregateSignature(["sum"], .sum, [Parameter(.any)], returns: .computed(sumType)),
        AggregateSignature(["avg"], .average, [Parameter(.any)], returns: .computed(sumType)),
        AggregateSignature(["min"], .minimum, [.any], returns: .argument(0)),
        AggregateSignature(["max"], .maximum, [.any], returns: .argument(0)),
        AggregateSignature(["stddev_samp", "stddev"], .standardDeviationSample, [.double], returns: .double),
        AggregateSignature(["stddev_pop"], .standardDeviationPopulation, [.double], returns: .double),
        AggregateSignature(["var_samp", "variance"], .varianceSample, [.double], returns: .double),
        AggregateSignature(["var_pop"], .variancePopulation, [.double], returns: .double),
        AggregateSignature(["bool_and"], .boolAnd, [.boolean], returns: .boolean),
        AggregateSignature(["bool_or"], .boolOr, [.boolean], returns: .boolean),
        AggregateSignature(["bit_and"], .bitAnd, [.anyInteger], returns: .argument(0)),
        AggregateSignature(["bit_or"], .bitOr, [.anyInteger], returns: .argument(0)),
        AggregateSignature(["any_value"], .anyValue, [.any], returns: .argument(0)),
        AggregateSignature(["median"], .median, [.any], returns: .computed(medianType), acceptsDistinct: false),
        AggregateSignature(
            ["percentile_cont"], .percentileContinuous, [.any, .double], returns: .computed(medianType),
            ordersItsValue: true, acceptsOrder: true, acceptsDistinct: false),
        AggregateSignature(
            ["percentile_disc"], .percentileDiscrete, [.any, .double], returns: .argument(0), ordersItsValue: true,
            acceptsOrder: true, acceptsDistinct: false),
        // The second name is PostgreSQL's, for psql's questions.
        AggregateSignature(
            ["listagg", "string_agg"], .listAggregate, [.text, .string.defaulting(.text(""))], returns: .longText,
            acceptsOrder: true),
        AggregateSignature(["approximate count"], .approximateCountDistinct, [.any], returns: .bigint),
        // The sketch is the aggregate; the binder takes its cardinality.
        AggregateSignature(["hll"], .hllSketch, [.any], returns: .bigint),
        AggregateSignature(["hll_create_sketch"], .hllSketch, [.any], returns: .fixed(.hllsketch)),
        AggregateSignature(
            ["hll_combine"], .hllCombine, [Parameter(.exactly(.hllsketch))], returns: .fixed(.hllsketch)),
    ]

    /// Integers to BIGINT (AVG truncates), decimals to 38 digits of the same scale, floats to DOUBLE PRECISION.
    private static let sumType: @Sendable ([SQLType]) -> SQLType = { types in
        switch types[0] {
        case .smallint, .integer, .bigint: .bigint
        case .decimal(_, let scale): .decimal(precision: 38, scale: scale)
        case .interval: .interval
        default: .double
        }
    }

    /// Interpolated values: integers become DECIMAL, decimals get at least a few digits to interpolate in.
    private static let medianType: @Sendable ([SQLType]) -> SQLType = { types in
        switch types[0] {
        case .smallint, .integer, .bigint: .decimal(precision: 38, scale: 1)
        case .decimal(_, let scale): .decimal(precision: 38, scale: min(37, scale + 1))
        case .real, .double: .double
        case let other: other
        }
    }
}

/// How a function that exists only over windows is called.
package struct WindowSignature: Sendable {
    package var names: [String]
    package var function: WindowFunction
    package var parameters: [Parameter]
    package var result: ResultRule
    package var requiresOrder: Bool
    package var acceptsFrame: Bool
    /// IGNORE NULLS and RESPECT NULLS may be written.
    package var acceptsNullTreatment: Bool

    package init(
        _ names: [String], _ function: WindowFunction, _ parameters: [Parameter], returns result: ResultRule,
        requiresOrder: Bool = false, acceptsFrame: Bool = false, acceptsNullTreatment: Bool = false
    ) {
        self.names = names
        self.function = function
        self.parameters = parameters
        self.result = result
        self.requiresOrder = requiresOrder
        self.acceptsFrame = acceptsFrame
        self.acceptsNullTreatment = acceptsNullTreatment
    }

    package static func all(of function: WindowFunction) -> [WindowSignature] { all.filter { $0.function == function } }

    package static let all: [WindowSignature] = [
        WindowSignature(["row_number"], .rowNumber, [], returns: .bigint),
        WindowSignature(["rank"], .rank, [], returns: .bigint),
        WindowSignature(["dense_rank"], .denseRank, [], returns: .bigint),
        WindowSignature(["percent_rank"], .percentRank, [], returns: .double, requiresOrder: true),
        WindowSignature(["cume_dist"], .cumulativeDistribution, [], returns: .double, requiresOrder: true),
        WindowSignature(["ntile"], .ntile, [.bigint], returns: .bigint),
        WindowSignature(
            ["lag"], .lag, [.any, .integer.defaulting(.integer(1)), .any.optional], returns: .argument(0),
            requiresOrder: true, acceptsNullTreatment: true),
        WindowSignature(
            ["lead"], .lead, [.any, .integer.defaulting(.integer(1)), .any.optional], returns: .argument(0),
            requiresOrder: true, acceptsNullTreatment: true),
        WindowSignature(
            ["first_value"], .firstValue, [.any], returns: .argument(0), acceptsFrame: true,
            acceptsNullTreatment: true),
        WindowSignature(
            ["last_value"], .lastValue, [.any], returns: .argument(0), acceptsFrame: true,
            acceptsNullTreatment: true),
        WindowSignature(
            ["nth_value"], .nthValue, [.any, .integer], returns: .argument(0), acceptsFrame: true,
            acceptsNullTreatment: true),
        WindowSignature(["ratio_to_report"], .ratioToReport, [.double], returns: .double),
    ]
}
