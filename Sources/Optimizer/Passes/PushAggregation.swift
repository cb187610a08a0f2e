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
    /// Grouping by strings costs this much for each of them where grouping by numbers costs 1.
    private static let stringCost = 5.0
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
        aggregates = aggregate.aggregates.map {
            .init(id: context.makeColumn($0.call.function.rawValue, $0.call.type), call: $0.call)
        }
        let facts = split.facts
        let joined = split.joined(
            .aggregate(LogicalAggregate(groups: groups, aggregates: aggregates, input: facts)), keys)
        isComplete = split.determinesRows(joined, below, groups)
        guard pays(facts) else { return nil }
        let outputs = zip(aggregate.groups, below).map { group, id in
            ProjectedColumn(id: group.id, expression: id.map { context.column($0) } ?? group.expression)
        }
        if isComplete {
            let values = zip(aggregate.aggregates, aggregates).map {
                ProjectedColumn(id: $0.id, expression: context.column($1.id))
            }
            return .project(outputs + values, joined)
        }
        let merged = zip(aggregate.aggregates, aggregates).map {
            LogicalAggregate.Aggregate(id: $0.id, call: merging($0.call, context.column($1.id)))
        }
        return .aggregate(LogicalAggregate(groups: outputs, aggregates: merged, input: joined))
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

    /// Counts are added up; a sum of sums, the least of the least.
    private func merging(_ call: AggregateCall, _ value: BoundExpression) -> AggregateCall {
        let function: AggregateFunction =
            switch call.function {
            case .count, .countRows: .sum
            default: call.function
            }
        return AggregateCall(function: function, arguments: [value], type: call.type)
    }

    private static func canMerge(_ call: AggregateCall) -> Bool {
        switch call.function {
        case .sum: !call.distinct && call.type != .interval
        case .count, .countRows, .anyValue: !call.distinct
        case .minimum, .maximum: true
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
        return early + rows / (Self.stringCost * Double(max(1, strings))) <= rows
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
