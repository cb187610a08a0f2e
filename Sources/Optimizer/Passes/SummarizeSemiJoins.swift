import QueryPlan
import SQLTypes

/// `EXISTS (... WHERE inner.k = outer.k AND inner.x <> outer.y)` asks for the least and the greatest `x` of a key
/// alone: the inner side is grouped by its keys first, so that no row is paired with all rows of its key. The same with
/// `<`, `<=`, `>`, `>=` instead, for NOT EXISTS, and without keys: `outer.y > ALL (SELECT x ...)` asks for one extreme.
struct SummarizeSemiJoins: OptimizerPass {
    let name = "summarize_semi_joins"
    /// A small kept side is built instead, unless it is on every node, and filters the scan of the other one.
    private static let smallestShareKept = 0.25
    /// Pairs are few where keys have few rows.
    private static let fewestRowsPerKey = 1.5

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = rewrite(query.plan, context)
    }

    private func rewrite(_ plan: LogicalPlan, _ context: OptimizerContext) -> LogicalPlan {
        if context.isStopped { return plan }
        let mapped = plan.mapChildren { rewrite($0, context) }
        guard case .join(let join) = mapped else { return mapped }
        switch join.kind {
        case .semi, .anti, .antiNullAware:
            guard let parts = Parts(join), join.kind != .antiNullAware || parts.keys.isEmpty else { return mapped }
            return summarized(join, parts, context) ?? mapped
        default: return mapped
        }
    }

    /// The condition of a join: equal keys and one comparison.
    private struct Parts {
        var keys: [(outer: BoundExpression, inner: BoundExpression)] = []
        /// Of the inner value with the outer one.
        var comparison: (op: ComparisonOperator, inner: BoundExpression, outer: BoundExpression)?

        init?(_ join: LogicalJoin) {
            guard let condition = join.condition else { return nil }
            let left = join.left.outputColumns, right = join.right.outputColumns
            for conjunct in condition.conjuncts {
                guard case .comparison(var op, var a, var b) = conjunct, !conjunct.isVolatile else { return nil }
                if a.columns.intersects(left) { (op, a, b) = (op.mirrored, b, a) }
                // A side without columns belongs to neither.
                guard !a.columns.isEmpty, !b.columns.isEmpty, !a.columns.intersects(left), !b.columns.intersects(right)
                else { return nil }
                if op == .equal {
                    keys.append((b, a))
                } else {
                    guard comparison == nil, Parts.isOrdered(op), Parts.isOrdered(a.type), Parts.isOrdered(b.type)
                    else { return nil }
                    comparison = (op, a, b)
                }
            }
            if comparison == nil { return nil }
        }

        private static func isOrdered(_ op: ComparisonOperator) -> Bool {
            switch op {
            case .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
            case .equal, .distinctFrom, .notDistinctFrom: false
            }
        }
        private static func isOrdered(_ type: SQLType) -> Bool {
            switch type {
            case .smallint, .integer, .bigint, .decimal, .date, .timestamp, .timestamptz: true
            default: false
            }
        }
    }

    /// What is aggregated for each key, and what it says of an outer value.
    private struct Summary {
        let comparison: (op: ComparisonOperator, inner: BoundExpression, outer: BoundExpression)
        let context: OptimizerContext
        var aggregates: [LogicalAggregate.Aggregate] = []

        private mutating func add(_ call: AggregateCall) -> BoundExpression {
            let id = context.makeColumn(call.function.rawValue, call.type)
            aggregates.append(.init(id: id, call: call))
            return .column(id, call.type)
        }

        /// Some inner value of the key compares so with the outer one.
        mutating func hasMatch() -> BoundExpression {
            let value = comparison.inner
            func call(_ function: AggregateFunction) -> AggregateCall {
                AggregateCall(function: function, arguments: [value], type: value.type)
            }
            switch comparison.op {
            case .less, .lessOrEqual: return .comparison(comparison.op, add(call(.minimum)), comparison.outer)
            case .greater, .greaterOrEqual: return .comparison(comparison.op, add(call(.maximum)), comparison.outer)
            default:
                return .or([
                    .comparison(.notEqual, add(call(.minimum)), comparison.outer),
                    .comparison(.notEqual, add(call(.maximum)), comparison.outer),
                ])
            }
        }

        /// A NULL on either side leaves open whether there is one.
        mutating func mayHaveMatch() -> BoundExpression {
            let known = hasMatch()
            let rows = add(AggregateCall(function: .countRows, arguments: [], type: .bigint))
            let values = add(AggregateCall(function: .count, arguments: [comparison.inner], type: .bigint))
            let zero = BoundExpression.constant(.integer(0), .bigint)
            return .or([
                known, .comparison(.notEqual, rows, values),
                .and([.isNull(comparison.outer), .comparison(.greater, rows, zero)]),
            ])
        }
    }

    private func summarized(_ join: LogicalJoin, _ parts: Parts, _ context: OptimizerContext) -> LogicalPlan? {
        guard let comparison = parts.comparison else { return nil }
        let groups = parts.keys.map {
            ProjectedColumn(id: context.makeColumn("key", $0.inner.type), expression: $0.inner)
        }
        var summary = Summary(comparison: comparison, context: context)
        let residual = join.kind == .antiNullAware ? summary.mayHaveMatch() : summary.hasMatch()
        let inner = LogicalPlan.aggregate(
            LogicalAggregate(groups: groups, aggregates: summary.aggregates, input: join.right))
        guard parts.keys.isEmpty || pays(join, inner, context) else { return nil }
        let keys = zip(parts.keys, groups).map { key, group in
            BoundExpression.comparison(.equal, key.outer, .column(group.id, key.inner.type))
        }
        return .join(
            LogicalJoin(
                kind: join.kind == .semi ? .semi : .anti, condition: .conjunction(keys + [residual]), left: join.left,
                right: inner))
    }

    private func pays(_ join: LogicalJoin, _ inner: LogicalPlan, _ context: OptimizerContext) -> Bool {
        let estimator = CardinalityEstimator(context: context)
        let rows = estimator.profile(join.right).rows
        return rows >= estimator.profile(inner).rows * Self.fewestRowsPerKey
            && (estimator.profile(join.left).rows >= rows * Self.smallestShareKept
                || isReplicated(join.left, context))
    }

    private func isReplicated(_ plan: LogicalPlan, _ context: OptimizerContext) -> Bool {
        if case .scan(let scan) = plan { return context.isReplicated(scan.table) }
        return plan.children.allSatisfy { isReplicated($0, context) } && !plan.children.isEmpty
    }
}
