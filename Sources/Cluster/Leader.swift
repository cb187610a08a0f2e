import Catalog
import QueryPlan
import VectorEngine

/// Runs a plan on the slices of this process. The slices' workers share memory, so an exchange moves no rows: a
/// broadcast is one shared table, a redistribution is what partitioning does anyway. What would have moved between
/// slices is accounted, so that plans and system views tell what a cluster would do.
package struct Leader {
    package let context: ExecutionContext

    package init(context: ExecutionContext) { self.context = context }

    package func run(_ query: PhysicalQuery, consumer: any BatchConsumer) throws {
        try QueryExecutor(context: context).run(query, consumer: consumer)
    }

    /// The same, with what each step did.
    package func measure(
        _ query: PhysicalQuery, profile: ExecutionProfile, consumer: any BatchConsumer
    ) throws -> ExplainActuals {
        try run(query, consumer: consumer)
        var actuals = profile.actuals
        let rows = actuals.steps.mapValues(\.rows)
        for (step, bytes) in Transfers(plan: query.plan, rows: rows, slices: context.shape.slices).movedBytes {
            actuals.steps[step]?.movedBytes = bytes
        }
        return actuals
    }
}

extension ExecutionProfile {
    /// By plan step: the rows that left it, and all time that was spent for it.
    var actuals: ExplainActuals {
        var result = ExplainActuals()
        func add(_ step: Int, _ change: (inout ExplainActuals.Step) -> Void) {
            change(
                &result.steps[
                    step,
                    default: ExplainActuals.Step(
                        rows: 0, timeMicroseconds: 0, sliceRows: Array(repeating: 0, count: slices))])
        }
        var nanoseconds = serialNanoseconds
        for step in segments.flatMap(\.steps) where step.planStep >= 0 {
            nanoseconds[step.planStep, default: 0] += step.busyNanoseconds
            guard step.role == .passing else { continue }
            add(step.planStep) { entry in
                entry.rows += step.rows
                for figures in step.slices { entry.sliceRows[figures.slice] += figures.rows }
            }
        }
        for (step, time) in nanoseconds { add(step) { $0.timeMicroseconds = time / 1000 } }
        return result
    }
}
