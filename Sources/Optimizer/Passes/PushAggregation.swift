import Glibc
import QueryPlan
import SQLTypes

/// Groups first and joins afterwards where a join only adds columns to each group: `GROUP BY c_custkey, c_name,
/// c_address` over orders and customers groups orders by their customer's key, and strings are read once for each group
/// instead of once for each row, neither hashed nor copied. ("Eager aggregation", Yan and Larson, VLDB 1995.)
struct PushAggregation: OptimizerPass {
    let name = "push_aggregation"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = push(query.plan, context)
    }

    private func push(_ plan: LogicalPlan, _ context: OptimizerContext) -> LogicalPlan {
        if context.isStopped { return plan }
        let mapped = plan.mapChildren { push($0, context) }
        guard case .aggregate(let aggregate) = mapped, let split = AggregationSplit(aggregate, context) else {
            return mapped
        }
        return EarlyAggregation(split).plan ?? mapped
    }
}

/// The aggregate of a split below its join, and what remains to be done above.
private struct EarlyAggregation {
    private let split: AggregationSplit
    private var context: OptimizerContext { split.context }
    private var aggregate: LogicalAggregate { split.aggregate }
    private var groups: [ProjectedColumn] = []
    private var aggregates: [LogicalAggregate.Aggregate] = []
    private var isComplete = false

    /// Fewer groups than these are found by their strings soon enough.
    private static let fewestGroups = 1000.0
    /// Where grouping by numbers costs 1, a string costs little more, and each further one this much (TPC-DS Q26: one,
    /// early grouping loses a tenth; Q22, Q74, Q11: four and seven, it takes a tenth to a half of the time).
    private static let firstStringCost = 1.3
    private static let furtherStringCost = 5.0
    /// Grouping twice pays when the second time has little left to do.
    private static let smallestShareOfGroups = 0.3
    /// Joins that lose more of the rows had better come first.
    private static let smallestShareJoined = 0.8

    init(_ split: AggregationSplit) { self.split = split }

    /// nil where it does not pay.
    var plan: LogicalPlan? {
        var copy = self
        return copy.make()
    }

    private mutating func make() -> LogicalPlan? {
        let keys = split.links.map { group(.column($0.fact.id, $0.fact.type)) }
        let below = aggregate.groups.map { split.isOfFacts($0.expression) ? group($0.expression) : nil }
        let facts = split.facts
        isComplete =
            aggregate.groupingSets == nil && split.determinesRows(split.joined(early(facts), keys), below, groups)
        guard pays(facts) else { return nil }
        let outputs = zip(aggregate.groups, below).map { group, id in
            ProjectedColumn(id: group.id, expression: id.map { context.column($0) } ?? group.expression)
        }
        if isComplete {
            let values = aggregate.aggregates.map {
                ProjectedColumn(id: $0.id, expression: aggregated($0.call))
            }
            return .project(outputs + values, split.joined(early(facts), keys))
        }
        var merged = aggregate
        merged.groups = outputs
        merged.aggregates = []
        let values = aggregate.aggregates.map { ProjectedColumn(id: $0.id, expression: merge($0, &merged)) }
        merged.input = split.joined(early(facts), keys)
        if values.allSatisfy({ $0.expression.asColumn == $0.id }) { return .aggregate(merged) }
        var columns = outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.expression.type)) }
        if let id = aggregate.groupingColumn {
            columns.append(ProjectedColumn(id: id, expression: .column(id, .integer)))
        }
        return .project(columns + values, .aggregate(merged))
    }

    private func early(_ facts: LogicalPlan) -> LogicalPlan {
        .aggregate(LogicalAggregate(groups: groups, aggregates: aggregates, input: facts))
    }

    /// The column of an aggregate of the early groups.
    private mutating func aggregated(_ call: AggregateCall) -> BoundExpression {
        let id = context.makeColumn(call.function.rawValue, call.type)
        aggregates.append(.init(id: id, call: call))
        return context.column(id)
    }

    /// Puts an aggregate together from those of the early groups: counts are added up, a sum is one of sums, the least
    /// is the least of all.
    private mutating func merge(
        _ item: LogicalAggregate.Aggregate, _ merged: inout LogicalAggregate
    ) -> BoundExpression {
        func add(_ call: AggregateCall, _ value: BoundExpression, _ id: ColumnID) -> BoundExpression {
            let isCount = call.function == .count || call.function == .countRows
            let final = AggregateCall(function: isCount ? .sum : call.function, arguments: [value], type: call.type)
            merged.aggregates.append(.init(id: id, call: final))
            return .column(id, call.type)
        }
        guard let type = Self.sumType(ofAverage: item.call) else {
            return add(item.call, aggregated(item.call), item.id)
        }
        var (sum, count) = (item.call, item.call)
        (sum.function, sum.type) = (.sum, type)
        (count.function, count.type) = (.count, .bigint)
        let total = add(sum, aggregated(sum), context.makeColumn("sum", type))
        let rows = add(count, aggregated(count), context.makeColumn("count", .bigint))
        return Self.quotient(total, rows, item.call.type)
    }

    /// What an average of a type divides; nil for other calls and types.
    private static func sumType(ofAverage call: AggregateCall) -> SQLType? {
        guard call.function == .average, !call.distinct else { return nil }
        switch (call.arguments[0].type, call.type) {
        case (.smallint, .bigint), (.integer, .bigint): return .bigint
        case (.double, .double): return .double
        case (.decimal(_, let scale), .decimal): return .decimal(precision: 38, scale: scale)
        default: return nil
        }
    }

    /// As averages are made: integers cut, decimals rounded to the type's scale. NULL for no rows.
    private static func quotient(
        _ sum: BoundExpression, _ count: BoundExpression, _ type: SQLType
    ) -> BoundExpression {
        let hasRows = BoundExpression.comparison(.greater, count, .constant(.integer(0), .bigint))
        let rows = BoundExpression.caseWhen(
            [.init(condition: hasRows, result: count)], otherwise: .constant(.null, .bigint), .bigint)
        switch type {
        case .bigint: return .call(.divide, [sum, rows], type)
        case .double: return .call(.divide, [sum, .cast(rows, .double, .implicit)], type)
        default: return .call(.divide, [sum, .cast(rows, .decimal(precision: 19, scale: 0), .implicit)], type)
        }
    }

    /// The column of the early groups that holds an expression.
    private mutating func group(_ expression: BoundExpression) -> ColumnID {
        if let known = groups.first(where: { $0.expression == expression }) { return known.id }
        let id =
            expression.asColumn.map { context.makeCopy(of: $0) }
            ?? context.makeColumn("?column?", expression.type)
        groups.append(ProjectedColumn(id: id, expression: expression))
        return id
    }

    private static func canMerge(_ call: AggregateCall) -> Bool {
        switch call.function {
        case .sum: !call.distinct && call.type != .interval
        case .count, .countRows, .anyValue: !call.distinct
        case .minimum, .maximum: true
        case .average: sumType(ofAverage: call) != nil
        default: false
        }
    }

    private func pays(_ facts: LogicalPlan) -> Bool {
        let estimator = CardinalityEstimator(context: context)
        func graph(_ plan: LogicalPlan) -> JoinGraph? { JoinGraph(plan, estimator: estimator) { $0 } }
        guard let factGraph = graph(facts), let wholeGraph = graph(aggregate.input) else { return false }
        let rows = factGraph.rows(factGraph.all)
        guard wholeGraph.rows(wholeGraph.all) >= Self.smallestShareJoined * rows else { return false }
        if isComplete { return true }
        guard aggregate.aggregates.allSatisfy({ Self.canMerge($0.call) }) else { return false }
        // Of so many combinations of keys, those that the rows hit (Cardenas, CACM 1975).
        let combinations = product(groups.map(\.expression), factGraph)
        let early = combinations * (1 - exp(-rows / combinations))
        let late = min(early, product(aggregate.groups.map(\.expression), wholeGraph))
        let strings = aggregate.groups.count { $0.expression.type.isString && !split.isOfFacts($0.expression) }
        let cost = Self.firstStringCost + Self.furtherStringCost * Double(max(1, strings) - 1)
        return early + rows / cost <= rows
            && late >= max(Self.fewestGroups, Self.smallestShareOfGroups * early)
    }

    /// Combinations of the expressions' values.
    private func product(_ expressions: [BoundExpression], _ graph: JoinGraph) -> Double {
        var product = 1.0
        for expression in expressions {
            let columns = expression.columns
            let home = graph.relations.first { columns.isSubset(of: $0.columns) }
            product *= home?.profile.distinctCount(expression, context) ?? 1
        }
        return product
    }
}
