import QueryPlan
import SQLTypes

/// Constant folding and Boolean rules over every expression of the plan.
struct SimplifyExpressions: OptimizerPass {
    let name = "simplify_expressions"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = try simplify(query.plan, context)
    }

    private func simplify(_ plan: LogicalPlan, _ context: OptimizerContext) throws -> LogicalPlan {
        try context.budget.check()
        let mapped = try plan.mapExpressions(ExpressionSimplifier.simplify).mapChildren { try simplify($0, context) }
        switch mapped {
        case .filter(let condition, let input) where condition.isTrue: return input
        case .filter(let outer, .filter(let inner, let input)):
            return .filter(ExpressionSimplifier.conjunction([inner, outer]), input)
        case .join(var join) where join.condition?.isTrue ?? false:
            join.condition = nil
            return .join(join)
        default: return mapped
        }
    }
}
