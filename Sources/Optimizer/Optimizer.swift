import Catalog
import QueryPlan
import SQLTypes

/// Turns a bound query into a plan to run: the passes rewrite the logical plan in order, then the physical planner
/// chooses operators and distribution. A value without state; one may serve all sessions.
package struct Optimizer: Sendable {
    package let shape: ClusterShape
    package let statistics: any StatisticsProvider
    package let settings: OptimizerSettings
    /// What planning may take; one statement's, so that an optimizer with a budget serves one statement.
    package let budget: PlanningBudget

    package init(
        shape: ClusterShape, statistics: any StatisticsProvider, settings: OptimizerSettings = OptimizerSettings(),
        budget: PlanningBudget = PlanningBudget()
    ) {
        self.shape = shape
        self.statistics = statistics
        self.settings = settings
        self.budget = budget
    }

    /// All passes in the order in which they run. README.md tells what each relies on.
    package static let passes: [any OptimizerPass] = [
        UnnestSubqueries(),
        InlineWith(),
        SimplifyExpressions(),
        PushDownFilters(),
        PushFiltersIntoWith(),
        SummarizeSemiJoins(),
        SplitSums(),
        RemoveRedundantOperators(),
        PushAggregation(),
        ReduceGroupKeys(),
        PruneColumns(),
        OrderJoins(),
    ]

    /// - Parameter ids: gives new columns; ids that the query has already are left out.
    package func optimize(_ query: LogicalQuery, ids: ColumnIDSource = ColumnIDSource()) throws -> PhysicalQuery {
        let context = makeContext(ids)
        var physical = try PhysicalPlanner.plan(rewritten(query, context) { _, _ in }, context)
        physical.namedSubqueries = ids.namedSubqueries
        physical.distinctColumns = ids.distinctColumns
        physical.isRepeatable = query.plan.isRepeatable
        try budget.check()
        if verifies { try PhysicalVerifier(budget: budget).verify(physical) }
        var operands = PhysicalOperandVerifier(budget: budget)
        try operands.verify(physical)
        return physical
    }

    /// The logical plan after all passes, for tests and EXPLAIN VERBOSE.
    package func rewrite(_ query: LogicalQuery, ids: ColumnIDSource = ColumnIDSource()) throws -> LogicalQuery {
        try rewritten(query, makeContext(ids)) { _, _ in }
    }

    /// As `optimize`, with the time of every pass; `nanoseconds` is a monotonic clock.
    package func optimize(
        _ query: LogicalQuery, ids: ColumnIDSource = ColumnIDSource(), nanoseconds: () -> UInt64
    ) throws -> (query: PhysicalQuery, durations: [PassDuration]) {
        let context = makeContext(ids)
        var durations: [PassDuration] = []
        var start = nanoseconds()
        let logical = try rewritten(query, context) { name, isEnd in
            if isEnd { durations.append(PassDuration(name: name, durationNanoseconds: nanoseconds() - start)) }
            start = nanoseconds()
        }
        start = nanoseconds()
        let physical = try PhysicalPlanner.plan(logical, context)
        durations.append(PassDuration(name: "physical_plan", durationNanoseconds: nanoseconds() - start))
        return (physical, durations)
    }

    private func makeContext(_ ids: ColumnIDSource) -> OptimizerContext {
        OptimizerContext(shape: shape, settings: settings, ids: ids, statistics: statistics, budget: budget)
    }

    private func rewritten(
        _ query: LogicalQuery, _ context: OptimizerContext, _ observe: (String, Bool) -> Void
    ) throws -> LogicalQuery {
        observe("register", false)
        try context.register(query.plan)
        observe("register", true)
        var current = query
        var isUnnested = false
        for pass in Self.passes {
            if !pass.isRequired, settings.disabledPasses.contains(pass.name) { continue }
            observe(pass.name, false)
            try pass.run(&current, context)
            // A pass that met the end of the budget gave back anything.
            try budget.check()
            observe(pass.name, true)
            isUnnested = isUnnested || pass is UnnestSubqueries
            // These two pile plans up.
            if pass is UnnestSubqueries || pass is InlineWith { try PlanHeight.check(current.plan, budget) }
            if verifies {
                var verifier = PlanVerifier(forbidsSubqueries: isUnnested, budget: budget)
                try verifier.verify(current, after: pass.name)
            }
        }
        return current
    }

    private var verifies: Bool {
        #if DEBUG
        true
        #else
        settings.verifiesPlans
        #endif
    }
}
