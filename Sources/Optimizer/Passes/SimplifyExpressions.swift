import QueryPlan

/// Constant folding and Boolean rules over every expression of the plan.
struct SimplifyExpressions: OptimizerPass {
    let name = "simplify_expressions"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        query.plan = simplify(query.plan)
    }

    private func simplify(_ plan: LogicalPlan) -> LogicalPlan {
        let mapped = plan.mapExpressions(ExpressionSimplifier.simplify).mapChildren(simplify)
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
