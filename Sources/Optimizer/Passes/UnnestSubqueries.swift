import QueryPlan
import SQLTypes

/// Turns every subquery of an expression into a join. Afterwards no plan has free columns and no expression a subquery.
struct UnnestSubqueries: OptimizerPass {
    let name = "unnest_subqueries"
    let isRequired = true

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        guard query.plan.hasSubquery else { return }
        query.plan = try Unnesting(context: context).unnest(query.plan)
    }
}

/// One run of the pass: innermost subqueries first.
struct Unnesting {
    let context: OptimizerContext
    /// Disabled by this name, every correlated subquery takes the general way.
    static let pullUpName = "correlation_pull_up"
    private let knownScalars = JoinedScalars()

    /// Scalar subqueries that are columns by now: one that stands twice in an expression (BETWEEN, NULLIF and CASE
    /// repeat their operand) is joined once. A second join would produce the same columns again, which nothing can tell
    /// apart.
    private final class JoinedScalars {
        var values: [BoundSubquery: BoundExpression] = [:]
    }

    func unnest(_ plan: LogicalPlan) throws -> LogicalPlan {
        try context.budget.check()
        if case .values(let values) = plan { return try unnestValues(values) }
        let plan = try plan.mapChildren(unnest)
        var found = false
        plan.forEachExpression { if !found && $0.hasSubquery { found = true } }
        guard found else { return plan }
        switch plan {
        case .filter(let condition, let input): return try filter(condition, input)
        case .project(let columns, var input):
            return .project(try columns.mapExpressions { try extract($0, &input) }, input)
        case .sort(let items, var input):
            return .sort(try items.mapExpressions { try extract($0, &input) }, input)
        case .aggregate(let aggregate):
            var input = aggregate.input
            let mapped = try plan.mapExpressions { try extract($0, &input) }
            return mapped.mapChildren { _ in input }
        case .window(let window):
            var input = window.input
            let mapped = try plan.mapExpressions { try extract($0, &input) }
            return mapped.mapChildren { _ in input }
        case .unnest(let unnest):
            var input = unnest.input
            let mapped = try plan.mapExpressions { try extract($0, &input) }
            return mapped.mapChildren { _ in input }
        case .join(let join): return try self.join(join)
        default: return plan
        }
    }

    private func unnestValues(_ values: LogicalValues) throws -> LogicalPlan {
        let plan = LogicalPlan.values(values)
        guard plan.hasSubquery else { return plan }
        var parts: [LogicalPlan] = []
        for row in values.rows {
            var input = LogicalPlan.values(LogicalValues(columns: [], rows: [[]]))
            let columns = try zip(values.columns, row).map { column, expression in
                ProjectedColumn(
                    id: values.rows.count == 1 ? column.id : context.makeCopy(of: column.id),
                    expression: try extract(expression, &input))
            }
            parts.append(.project(columns, input))
        }
        guard var result = parts.first else { return plan }
        for (index, part) in parts.dropFirst().enumerated() {
            let isLast = index == parts.count - 2
            let outputs = isLast ? values.columns : values.columns.map { context.output(context.makeCopy(of: $0.id)) }
            result = .setOperation(
                LogicalSetOperation(
                    kind: .union, all: true, outputs: outputs, left: result, leftColumns: result.orderedOutputs,
                    right: part, rightColumns: part.orderedOutputs))
        }
        return result
    }

    // MARK: Places

    private func filter(_ condition: BoundExpression, _ input: LogicalPlan) throws -> LogicalPlan {
        var plan = input
        var plain: [BoundExpression] = []
        var complex: [BoundExpression] = []
        for conjunct in ExpressionSimplifier.simplify(condition).conjuncts {
            if conjunct.hasSubquery { complex.append(conjunct) } else { plain.append(conjunct) }
        }
        plan = plan.filtered(plain)
        var rest: [BoundExpression] = []
        for conjunct in complex {
            switch conjunct {
            case .subquery(let subquery) where subquery.kind != .scalar:
                plan = try semiJoin(subquery, negated: false, plan)
            case .not(.subquery(let subquery)) where subquery.kind != .scalar:
                plan = try semiJoin(subquery, negated: true, plan)
            default: rest.append(try extract(conjunct, &plan, nullIsFalse: true))
            }
        }
        return plan.filtered(rest)
    }

    private func join(_ join: LogicalJoin) throws -> LogicalPlan {
        guard let condition = join.condition else { return .join(join) }
        var join = join
        if join.kind == .inner {
            join.condition = nil
            return try filter(condition, .join(join))
        }
        let left = join.left.outputColumns
        let right = join.right.outputColumns
        let mapped = try condition.conjuncts.map { conjunct in
            guard conjunct.hasSubquery else { return conjunct }
            var used = ColumnSet()
            conjunct.forEachSubquery { subquery in
                used.formUnion(subquery.plan.freeColumns)
                subquery.forEachOperand { used.formUnion($0.columns) }
            }
            if !used.intersects(left) { return try extract(conjunct, &join.right) }
            if !used.intersects(right) { return try extract(conjunct, &join.left) }
            throw SQLError(
                .featureNotSupported, "a subquery in an outer join condition can only use columns of one side")
        }
        join.condition = .conjunction(mapped)
        return .join(join)
    }

    /// Replaces the subqueries of an expression by columns that joins add to `plan`.
    private func extract(
        _ expression: BoundExpression, _ plan: inout LogicalPlan, nullIsFalse: Bool = false
    ) throws -> BoundExpression {
        switch expression {
        case .subquery(var subquery):
            try context.budget.check()
            switch subquery.kind {
            case .any(let op, let operands):
                subquery.kind = .any(op, try operands.map { try extract($0, &plan) })
            case .all(let op, let operands):
                subquery.kind = .all(op, try operands.map { try extract($0, &plan) })
            case .scalar: return try scalar(subquery, &plan)
            case .exists: break
            }
            return try mark(subquery, &plan, nullIsFalse: nullIsFalse)
        case .and(let items): return .and(try items.map { try extract($0, &plan, nullIsFalse: nullIsFalse) })
        case .or(let items): return .or(try items.map { try extract($0, &plan, nullIsFalse: nullIsFalse) })
        default:
            guard expression.hasSubquery else { return expression }
            return try expression.mapChildren { try extract($0, &plan) }
        }
    }

    // MARK: Kinds

    /// The subquery's plan without correlation to `outer`, and what joins it to there.
    private struct Flattened {
        var plan: LogicalPlan
        var condition: [BoundExpression]
        var isCorrelated: Bool
        var missing: CorrelationPullUp.MissingGroup?
        /// The general method's domain, to be defined around the join.
        var domain: DependentJoin?
    }

    private func flatten(_ plan: LogicalPlan, _ outer: LogicalPlan) throws -> Flattened {
        let outputs = outer.outputColumns
        let free = plan.freeColumns
        guard free.intersects(outputs) else { return Flattened(plan: plan, condition: [], isCorrelated: false) }
        if !context.settings.disabledPasses.contains(Self.pullUpName),
            let pulled = CorrelationPullUp(outer: outputs).pull(plan)
        {
            return Flattened(
                plan: pulled.plan, condition: pulled.predicates, isCorrelated: true, missing: pulled.missing)
        }
        return try flattenByDomain(plan, outer, free.subtracting(free.subtracting(outputs)))
    }

    private func flattenByDomain(_ plan: LogicalPlan, _ outer: LogicalPlan, _ columns: ColumnSet) throws -> Flattened {
        let dependent = DependentJoin(outerPlan: outer, columns: columns, context: context)
        let pushed = try dependent.push(plan)
        return Flattened(
            plan: pushed.plan, condition: dependent.backJoin(pushed), isCorrelated: true, domain: dependent)
    }

    private func joined(
        _ kind: JoinKind, _ outer: LogicalPlan, _ flattened: Flattened, _ extra: [BoundExpression] = []
    ) -> LogicalPlan {
        let conditions = extra + flattened.condition
        var inner = flattened.plan
        if kind.asksForExistence {
            // Conditions that name outer columns only hold for all inner rows or for none: one of them will do.
            let columns = inner.outputColumns
            if !conditions.contains(where: { $0.columns.intersects(columns) || $0.isVolatile }) {
                inner = .limit(LogicalLimit(count: 1, offset: 0, input: inner))
            }
        }
        let join = LogicalPlan.join(
            LogicalJoin(kind: kind, condition: .conjunction(conditions), left: outer, right: inner))
        return flattened.domain?.defining(join) ?? join
    }

    /// EXISTS, IN, ANY and ALL as a whole conjunct of a filter.
    private func semiJoin(_ subquery: BoundSubquery, negated: Bool, _ outer: LogicalPlan) throws -> LogicalPlan {
        var outer = outer
        var inner = try unnest(subquery.plan)
        var op = ComparisonOperator.equal
        var operands: [BoundExpression] = []
        var isAnti = negated
        switch subquery.kind {
        case .scalar: return outer
        case .exists:
            inner = Self.existenceOnly(inner)
        case .any(let comparison, let list):
            op = comparison
            operands = list
        case .all(let comparison, let list):
            guard list.count == 1 else { return try Self.unsupportedRowComparison() }
            op = comparison.negated
            operands = list
            isAnti.toggle()
        }
        operands = try operands.map { try extract($0, &outer) }
        inner = Self.withoutDistinct(inner)
        let flattened = try flattenForExistence(inner, outer)
        let comparisons = zip(operands, subquery.outputs).map {
            BoundExpression.comparison(op, $0, .column($1.id, $1.type))
        }
        guard isAnti, !comparisons.isEmpty else {
            return joined(isAnti ? .anti : .semi, outer, flattened, comparisons)
        }
        let nonNull = outer.nonNullColumns(context).union(flattened.plan.nonNullColumns(context))
        if !comparisons.contains(where: { $0.mayBeNull(nonNull) }) {
            return joined(.anti, outer, flattened, comparisons)
        }
        if comparisons.count == 1, op == .equal, !flattened.isCorrelated {
            return joined(.antiNullAware, outer, flattened, comparisons)
        }
        // A row is dropped by any match that is true or unknown.
        let comparison = comparisons.count == 1 ? comparisons[0] : .and(comparisons)
        return joined(.anti, outer, flattened, [.or([comparison, .isNull(comparison)])])
    }

    private static func unsupportedRowComparison() throws -> LogicalPlan {
        throw SQLError(.featureNotSupported, "row comparison with ALL is not supported")
    }

    /// As `flatten`, but a pulled-up aggregate without groups has a row for every outer row, which only the domain
    /// shows.
    private func flattenForExistence(_ plan: LogicalPlan, _ outer: LogicalPlan) throws -> Flattened {
        let flattened = try flatten(plan, outer)
        guard flattened.missing != nil else { return flattened }
        let outputs = outer.outputColumns
        let free = plan.freeColumns
        return try flattenByDomain(plan, outer, free.subtracting(free.subtracting(outputs)))
    }

    /// Drops what does not change whether there are rows.
    private static func existenceOnly(_ plan: LogicalPlan) -> LogicalPlan {
        switch plan {
        case .project(_, let input), .sort(_, let input): return existenceOnly(input)
        case .limit(let limit) where limit.offset == 0 && (limit.count ?? 1) > 0: return existenceOnly(limit.input)
        case .aggregate(let aggregate) where !aggregate.groups.isEmpty && aggregate.groupingSets == nil:
            return existenceOnly(aggregate.input)
        default: return plan
        }
    }

    /// Repeated rows do not change whether a value is found.
    private static func withoutDistinct(_ plan: LogicalPlan) -> LogicalPlan {
        guard case .aggregate(let aggregate) = plan, aggregate.aggregates.isEmpty, !aggregate.groups.isEmpty,
            aggregate.groupingSets == nil
        else { return plan }
        return .project(aggregate.groups, aggregate.input)
    }

    private func scalar(_ subquery: BoundSubquery, _ outer: inout LogicalPlan) throws -> BoundExpression {
        if let known = knownScalars.values[subquery], known.columns.isSubset(of: outer.outputColumns) { return known }
        let value = try joinScalar(subquery, &outer)
        knownScalars.values[subquery] = value
        return value
    }

    private func joinScalar(_ subquery: BoundSubquery, _ outer: inout LogicalPlan) throws -> BoundExpression {
        guard let output = subquery.outputs.first else {
            throw SQLError(.internalError, "a scalar subquery has no column")
        }
        let inner = try unnest(subquery.plan)
        let value = BoundExpression.column(output.id, subquery.type)
        let flattened = try flatten(inner, outer)
        guard flattened.isCorrelated else {
            outer = joined(inner.isSingleRow ? .inner : .single, outer, flattened)
            return value
        }
        guard let missing = flattened.missing else {
            outer = joined(inner.isSingleRow ? .left : .single, outer, flattened)
            return value
        }
        outer = joined(.left, outer, flattened)
        let replacement = missing.values[output.id] ?? .constant(.null, value.type)
        guard !replacement.isNullConstant, let key = missing.keys.first else { return value }
        let branch = BoundExpression.CaseBranch(condition: .isNull(context.column(key)), result: replacement)
        return .caseWhen([branch], otherwise: value, value.type)
    }

    /// EXISTS, IN, ANY and ALL anywhere in an expression.
    private func mark(
        _ subquery: BoundSubquery, _ outer: inout LogicalPlan, nullIsFalse: Bool
    ) throws -> BoundExpression {
        var inner = try unnest(subquery.plan)
        var comparisons: [BoundExpression] = []
        var isNegated = false
        switch subquery.kind {
        case .scalar, .exists: inner = Self.existenceOnly(inner)
        case .any(let op, let operands):
            comparisons = zip(operands, subquery.outputs).map { .comparison(op, $0, .column($1.id, $1.type)) }
        case .all(let op, let operands):
            guard operands.count == 1 else {
                throw SQLError(.featureNotSupported, "row comparison with ALL is not supported")
            }
            comparisons = zip(operands, subquery.outputs).map { .comparison(op.negated, $0, .column($1.id, $1.type)) }
            isNegated = true
        }
        let nonNull = outer.nonNullColumns(context).union(inner.nonNullColumns(context))
        let needsNull = (!nullIsFalse || isNegated) && comparisons.contains { $0.mayBeNull(nonNull) }
        var result: BoundExpression
        if !needsNull {
            result = try addMark(inner, comparisons, nullAware: false, &outer)
        } else if comparisons.count == 1, case .comparison(.equal, _, _) = comparisons[0],
            !inner.freeColumns.intersects(outer.outputColumns)
        {
            result = try addMark(inner, comparisons, nullAware: true, &outer)
        } else {
            result = try unknownAwareMark(inner, comparisons, &outer)
        }
        if isNegated { result = .not(result) }
        return result
    }

    private func addMark(
        _ inner: LogicalPlan, _ comparisons: [BoundExpression], nullAware: Bool, _ outer: inout LogicalPlan
    ) throws -> BoundExpression {
        let flattened = try flattenForExistence(inner, outer)
        let id = context.makeColumn("mark", .boolean)
        outer = joined(.mark(id, nullAware: nullAware), outer, flattened, comparisons)
        return .column(id, .boolean)
    }

    /// Two marks: one for true matches, one for matches that are unknown.
    private func unknownAwareMark(
        _ inner: LogicalPlan, _ comparisons: [BoundExpression], _ outer: inout LogicalPlan
    ) throws -> BoundExpression {
        var names: [ColumnID: ColumnID] = [:]
        let copy = inner.cloned(context, &names)
        let comparison = comparisons.count == 1 ? comparisons[0] : .and(comparisons)
        let copied = comparison.renamed { names[$0] ?? $0 }
        let match = try addMark(inner, comparisons, nullAware: false, &outer)
        let unknown = try addMark(copy, [.isNull(copied)], nullAware: false, &outer)
        return .caseWhen(
            [
                BoundExpression.CaseBranch(condition: match, result: .trueConstant),
                BoundExpression.CaseBranch(condition: unknown, result: .constant(.null, .boolean)),
            ], otherwise: .falseConstant, .boolean)
    }
}

extension JoinKind {
    /// Only whether there is an inner row counts.
    fileprivate var asksForExistence: Bool {
        switch self {
        case .semi, .anti, .mark(_, nullAware: false): true
        case .inner, .left, .right, .full, .single, .mark, .antiNullAware: false
        }
    }
}

extension LogicalPlan {
    /// Exactly one row, whatever the data.
    var isSingleRow: Bool {
        switch self {
        case .aggregate(let aggregate): return aggregate.groups.isEmpty && aggregate.groupingSets == nil
        case .project(_, let input), .sort(_, let input): return input.isSingleRow
        case .window(let window): return window.input.isSingleRow
        case .values(let values): return values.rows.count == 1
        case .limit(let limit): return limit.offset == 0 && (limit.count ?? 1) > 0 && limit.input.isSingleRow
        case .join(let join):
            switch join.kind {
            case .inner: return join.condition == nil && join.left.isSingleRow && join.right.isSingleRow
            case .left: return join.left.isSingleRow && join.right.isSingleRow
            case .single, .mark: return join.left.isSingleRow
            default: return false
            }
        case .with(let with): return with.body.isSingleRow
        case .filter, .scan, .systemScan, .setOperation, .withReference, .unnest: return false
        }
    }

    /// Output columns of a projection in order.
    var orderedOutputs: [ColumnID] {
        switch self {
        case .project(let columns, _): columns.map(\.id)
        case .setOperation(let operation): operation.outputs.map(\.id)
        default: outputColumns.elements
        }
    }
}
