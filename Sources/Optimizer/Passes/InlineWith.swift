import QueryPlan
import SQLTypes

/// Puts a common table expression's definition in place of its references when it is used once or costs next to
/// nothing; one that nobody reads disappears.
struct InlineWith: OptimizerPass {
    let name = "inline_with"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        guard query.plan.containsWith else { return }
        query.plan = WithInlining.reduce(query.plan, context)
    }
}

enum WithInlining {
    static func reduce(_ plan: LogicalPlan, _ context: OptimizerContext) -> LogicalPlan {
        guard !context.isStopped, plan.containsWith else { return plan }
        let plan = plan.mapChildren { reduce($0, context) }
        guard case .with(let with) = plan else { return plan }
        let uses = with.body.references(to: with.id)
        if uses == 0 { return with.body }
        if with.recursion != nil { return plan }
        if uses == 1 || isTrivial(with.definition) { return inlined(with, context) }
        return plan
    }

    /// The body with copies of the definition. Every copy has columns of its own, projected to the reference's.
    static func inlined(_ with: LogicalWith, _ context: OptimizerContext) -> LogicalPlan {
        var isFirst = true
        return replace(with.body) { reference in
            guard reference.id == with.id else { return nil }
            var definition = with.definition
            var names: [ColumnID: ColumnID] = [:]
            if !isFirst { definition = definition.cloned(context, &names) }
            isFirst = false
            let columns = zip(reference.columns, reference.sources).map { column, source in
                ProjectedColumn(id: column.id, expression: .column(names[source] ?? source, column.type))
            }
            return .project(columns, definition)
        }
    }

    private static func replace(
        _ plan: LogicalPlan, _ replacement: (LogicalWithReference) -> LogicalPlan?
    ) -> LogicalPlan {
        if case .withReference(let reference) = plan { return replacement(reference) ?? plan }
        return plan.mapExpressions { replace($0, replacement) }.mapChildren { replace($0, replacement) }
    }

    private static func replace(
        _ expression: BoundExpression, _ replacement: (LogicalWithReference) -> LogicalPlan?
    ) -> BoundExpression {
        guard expression.hasSubquery else { return expression }
        let mapped = expression.mapChildren { replace($0, replacement) }
        guard case .subquery(var subquery) = mapped else { return mapped }
        subquery.plan = replace(subquery.plan, replacement)
        return .subquery(subquery)
    }

    /// Reading it again costs no more than reading a kept result would.
    private static func isTrivial(_ plan: LogicalPlan) -> Bool {
        switch plan {
        case .values(let values): values.rows.count <= 1
        case .withReference, .scan: true
        case .project(let columns, let input): columns.allSatisfy { $0.expression.asColumn != nil } && isTrivial(input)
        default: false
        }
    }
}

extension LogicalPlan {
    var containsWith: Bool {
        if case .with = self { return true }
        return children.contains { $0.containsWith }
    }

    func references(to id: Int) -> Int {
        var total = 0
        if case .withReference(let reference) = self, reference.id == id { total = 1 }
        forEachExpression { $0.forEachSubquery { total += $0.plan.references(to: id) } }
        for child in children { total += child.references(to: id) }
        return total
    }
}
