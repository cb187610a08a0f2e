import QueryPlan
import SQLTypes

/// Refuses plans that are too high for what walks over them: passes, the planner and the engine recurse once a level.
/// Texts are limited by the parser, but views, comma lists and subqueries that become joins pile plans up.
enum PlanHeight {
    /// 16 kB of a statement thread's stack for each level.
    static let limit = 4_096

    static func check(_ plan: LogicalPlan, _ budget: PlanningBudget, below depth: Int = 0) throws {
        try check(depth)
        try budget.check()
        for child in plan.children { try check(child, budget, below: depth + 1) }
    }

    static func check(_ depth: Int) throws {
        guard depth > limit else { return }
        throw SQLError(
            .statementTooComplex, "statement is too complex",
            detail: "With the views that it uses it nests more than \(limit) operators.",
            hint: "Keep the results of parts of it in tables.")
    }
}
