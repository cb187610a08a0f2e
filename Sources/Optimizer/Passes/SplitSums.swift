import Catalog
import QueryPlan
import SQLTypes

/// `SUM(x + 1), SUM(x + 2), ...` of one value need one sum and one count: `SUM(x) + 1 * COUNT(x)`. Only where the
/// table's bounds prove that no single addition can leave its type, which would be an error.
struct SplitSums: OptimizerPass {
    let name = "split_sums"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = split(query.plan, context)
    }

    private func split(_ plan: LogicalPlan, _ context: OptimizerContext) -> LogicalPlan {
        if context.isStopped { return plan }
        let mapped = plan.mapChildren { split($0, context) }
        guard case .aggregate(let aggregate) = mapped, aggregate.aggregates.count > 1 else { return mapped }
        let shifts = aggregate.aggregates.map { Shift($0.call, context) }
        var uses: [BoundExpression: Int] = [:]
        for case let shift? in shifts { uses[shift.value, default: 0] += 1 }
        guard uses.values.contains(where: { $0 > 1 }) else { return mapped }
        return rewritten(aggregate, shifts.map { $0.flatMap { uses[$0.value, default: 0] > 1 ? $0 : nil } }, context)
    }

    /// A sum of `value + constant`.
    private struct Shift {
        var value: BoundExpression
        var constant: Int128
        var filter: BoundExpression?

        init?(_ call: AggregateCall, _ context: OptimizerContext) {
            guard call.function == .sum, !call.distinct, call.type == .bigint,
                case .call(let function, let operands, let type) = call.arguments[0], operands.count == 2,
                let bounds = type.integerBounds
            else { return nil }
            switch (function, operands[0], operands[1]) {
            case (.add, let value, .constant(.integer(let constant), _)),
                (.add, .constant(.integer(let constant), _), let value):
                (self.value, self.constant) = (value, constant)
            case (.subtract, let value, .constant(.integer(let constant), _)):
                (self.value, self.constant) = (value, -constant)
            default: return nil
            }
            filter = call.filter
            guard let id = value.columnThroughCasts, let statistics = context.columnStatistics(id),
                case .integer(let least) = statistics.minimum, case .integer(let most) = statistics.maximum,
                bounds.contains(least + constant), bounds.contains(most + constant)
            else { return nil }
        }
    }

    private func rewritten(
        _ aggregate: LogicalAggregate, _ shifts: [Shift?], _ context: OptimizerContext
    ) -> LogicalPlan {
        var copy = aggregate
        copy.aggregates = []
        var columns = copy.groups.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.expression.type)) }
        if let id = copy.groupingColumn { columns.append(ProjectedColumn(id: id, expression: .column(id, .integer))) }
        func aggregated(_ function: AggregateFunction, _ shift: Shift) -> BoundExpression {
            let call = AggregateCall(
                function: function, arguments: [shift.value], filter: shift.filter, type: .bigint)
            if let known = copy.aggregates.first(where: { $0.call == call }) { return .column(known.id, .bigint) }
            let id = context.makeColumn(function.rawValue, .bigint)
            copy.aggregates.append(.init(id: id, call: call))
            return .column(id, .bigint)
        }
        for (item, shift) in zip(aggregate.aggregates, shifts) {
            guard let shift else {
                copy.aggregates.append(item)
                columns.append(ProjectedColumn(id: item.id, expression: .column(item.id, item.call.type)))
                continue
            }
            let shifted = BoundExpression.call(
                .multiply, [aggregated(.count, shift), .constant(.integer(shift.constant), .bigint)], .bigint)
            let sum = BoundExpression.call(.add, [aggregated(.sum, shift), shifted], .bigint)
            columns.append(ProjectedColumn(id: item.id, expression: sum))
        }
        return .project(columns, .aggregate(copy))
    }
}

extension SQLType {
    fileprivate var integerBounds: ClosedRange<Int128>? {
        switch self {
        case .smallint: Int128(Int16.min)...Int128(Int16.max)
        case .integer: Int128(Int32.min)...Int128(Int32.max)
        default: nil
        }
    }
}

extension BoundExpression {
    /// The column of which this is the same number in another integer type.
    fileprivate var columnThroughCasts: ColumnID? {
        switch self {
        case .column(let id, _): id
        case .cast(let value, let type, .implicit) where type.isInteger && value.type.isInteger:
            value.columnThroughCasts
        default: nil
        }
    }
}
