import QueryPlan
import VectorEngine

/// Runs a plan on the slices of this process. The slices' workers share memory, so an exchange moves no rows: a
/// broadcast is one shared table, a redistribution is what partitioning does anyway. What would have moved between
/// slices is accounted, so that plans and system views tell what a cluster would do.
public struct Leader {
    public let context: ExecutionContext

    public init(context: ExecutionContext) { self.context = context }

    public func run(_ query: PhysicalQuery, consumer: any BatchConsumer) throws {
        try QueryExecutor(context: context).run(query, consumer: consumer)
    }

    /// The same, with what each step did.
    public func measure(
        _ query: PhysicalQuery, profile: ExecutionProfile, consumer: any BatchConsumer
    ) throws -> ExplainActuals {
        try run(query, consumer: consumer)
        let steps = profile.all
        var actuals = ExplainActuals()
        for (step, facts) in steps {
            actuals.steps[step] = ExplainActuals.Step(
                rows: facts.rows, timeMicroseconds: facts.microseconds, sliceRows: facts.sliceRows)
        }
        for (step, bytes) in Transfers(plan: query.plan, profile: steps, slices: context.shape.slices).movedBytes {
            actuals.steps[step]?.movedBytes = bytes
        }
        return actuals
    }
}
