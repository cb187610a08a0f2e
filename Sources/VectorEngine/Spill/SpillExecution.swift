import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Operators whose memory is refused start again over partitions of their input: the input's rows go to the temporary
/// area by a hash of the operator's keys, then the same operator runs over one partition after the other. A partition
/// that is still too large is partitioned again, by another hash.
extension QueryExecutor {
    /// Partitions of one step, and how often a partition may be cut again.
    static let spillPartitions = 32
    static let deepestSpill = 4
    private static let keptRegionBytes = 64 << 20

    /// Runs an operator in memory and, if that is refused, in its other form.
    ///
    /// - Parameters:
    ///   - filters: what the operator was opened with; their receipts are taken back before the second start.
    ///   - canSpill: there is another form; by default when the input can be cut once more.
    func spilling<Result>(
        _ plan: PhysicalPlan, filters: [RuntimeFilter], when canSpill: ((Int) -> Bool)? = nil,
        inMemory: () throws -> Result, spilled: () throws -> Result
    ) throws -> Result {
        guard context.temporary != nil else { return try inMemory() }
        let mark = opened.count
        let known = withResults
        let counted = context.profile?.segmentCount
        let depth = spillDepth(plan)
        func isDivisible() -> Bool { canSpill?(depth) ?? (depth < QueryExecutor.deepestSpill) }
        do {
            if context.options.spillsAlways && depth == 0 && isDivisible() {
                throw MemoryExhausted(requested: 0, limit: 0, used: 0)
            }
            return try inMemory()
        } catch {
            guard QueryExecutor.isRefusal(error), isDivisible() else { throw error }
        }
        context.profile?.noteSpill(plan.step)
        // What was opened and has not run must let go of its memory.
        for reference in opened[mark...] { reference.pipeline?.dissolve() }
        opened.removeSubrange(mark...)
        withResults = known
        for filter in filters { filter.receipt.applied = false }
        if let counted { context.profile?.forget(stepsToRepeat(plan), sinceSegment: counted) }
        try context.cancellation.check()
        MemoryRegions.shared.trim(to: QueryExecutor.keptRegionBytes)
        let result = try spilled()
        if let source = (result as? Pipeline)?.source as? SpilledSource { keep(source.rows, of: plan) }
        return result
    }

    /// Rows that are in the temporary area stay there, so that a step above whose memory is refused later finds them
    /// again; they replace what was kept for the steps below.
    private func keep(_ rows: SpilledRows, of plan: PhysicalPlan) {
        forEachStep(below: plan) { spilledSteps[$0.step] = nil }
        spilledSteps[plan.step] = rows
    }

    /// The step and those below it that run again with it.
    private func stepsToRepeat(_ plan: PhysicalPlan) -> [Int] {
        var steps = [plan.step]
        for child in plan.children { steps += spilledSteps[child.step] == nil ? stepsToRepeat(child) : [child.step] }
        return steps
    }
    private func forEachStep(below plan: PhysicalPlan, _ body: (PhysicalPlan) -> Void) {
        for child in plan.children {
            body(child)
            forEachStep(below: child, body)
        }
    }

    static func isRefusal(_ error: any Error) -> Bool {
        if error is MemoryExhausted { return true }
        return (error as? SQLError)?.state == .outOfMemory
    }

    /// How many times the step's input has been partitioned.
    func spillDepth(_ plan: PhysicalPlan) -> Int {
        plan.children.reduce(0) { depth, child in
            guard case .withReference(let id, _, _) = child.operation else { return depth }
            return max(depth, partitionDepths[id] ?? 0)
        }
    }
    func spillSeed(_ plan: PhysicalPlan) -> UInt64 { 0x510E_527F_ADE6_82D1 &* UInt64(spillDepth(plan) + 1) }

    /// The plan's rows in memory or, if they do not fit, in the temporary area.
    func store(_ plan: PhysicalPlan) throws -> StoredRows {
        try spilling(plan, filters: []) {
            .memory(try materialize(plan))
        } spilled: {
            .spilled(try spill(plan, columns: plan.outputs))
        }
    }

    // MARK: Writing

    /// Runs the plan and writes the columns by partition.
    func partition(
        _ plan: PhysicalPlan, columns: [OutputColumn], keys: [BoundExpression], seed: UInt64,
        filters: [RuntimeFilter] = []
    ) throws -> [SpilledRows] {
        let pipeline = try open(plan, filters: filters)
        // Equal strings have different codes in different dictionaries.
        let hashed = try keys.map { try pipeline.decoded(pipeline.compile($0)) }
        let registers = try columns.map { try pipeline.value(of: $0.id) }
        let writer = try SpillWriter(registers, partitions: QueryExecutor.spillPartitions, context: context)
        pipeline.emit(PartitionSink(registers, .hash(hashed, seed: seed), writer: writer))
        try pipeline.run()
        return try writer.finish()
    }

    /// Runs the plan and writes the columns in the order in which they come.
    func spill(_ plan: PhysicalPlan, columns: [OutputColumn], filters: [RuntimeFilter] = []) throws -> SpilledRows {
        try spill(try open(plan, filters: filters), columns: columns, inOrder: plan.isOrdered)
    }
    func spill(_ pipeline: Pipeline, columns: [OutputColumn], inOrder: Bool) throws -> SpilledRows {
        let registers = try columns.map { try pipeline.value(of: $0.id) }
        let writer = try SpillWriter(registers, partitions: 1, context: context)
        pipeline.emit(PartitionSink(registers, .one, writer: writer))
        try pipeline.run(inOrder: inOrder)
        return try writer.finish()[0]
    }

    /// A writer for the results of one operator over all partitions.
    func resultWriter(_ columns: [OutputColumn]) throws -> SpillWriter {
        let maker = Pipeline(context: context, source: PipelineSource())
        let forms = columns.map { maker.makeRegister($0.type, $0.type.physical, nullable: true) }
        return try SpillWriter(forms, partitions: 1, context: context)
    }

    /// Runs the pipeline and adds its rows.
    func add(_ pipeline: Pipeline, _ columns: [OutputColumn], to writer: SpillWriter, inOrder: Bool = false) throws {
        let registers = try columns.map { try pipeline.canonical(pipeline.value(of: $0.id)) }
        writer.cover(registers)
        pipeline.emit(PartitionSink(registers, .one, writer: writer))
        try pipeline.run(inOrder: inOrder)
    }

    // MARK: Reading

    /// The executor of single partitions: their rows are no step's rows in the profile.
    func partitionExecutor() -> QueryExecutor {
        let executor = QueryExecutor(context: context.withoutProfile)
        executor.withResults = withResults
        executor.partitionDepths = partitionDepths
        return executor
    }

    /// A plan that reads the rows in the place of `plan`, for the executor's use.
    func leaf(
        _ rows: SpilledRows, _ columns: [OutputColumn], replacing plan: PhysicalPlan, depth: Int
    ) -> PhysicalPlan {
        // Numbers below zero are never those of common table expressions.
        let id = -1 - partitionDepths.count
        partitionDepths[id] = depth
        withResults[id] = (columns, .spilled(rows))
        var estimate = plan.estimate
        estimate.rows = Double(rows.count)
        return PhysicalPlan(
            step: plan.step, operation: .withReference(id: id, alias: "", sources: columns.map(\.id)), children: [],
            outputs: columns, estimate: estimate, distribution: plan.distribution)
    }

    func pipeline(over rows: SpilledRows, columns: [OutputColumn]) -> Pipeline {
        let source = SpilledSource(rows, context: context)
        let pipeline = Pipeline(context: context, source: source)
        source.bind(columns.enumerated().map { ($1.id, $0) }, in: pipeline)
        return pipeline
    }
}

/// A pipeline that somebody else may still own.
struct PipelineReference {
    weak var pipeline: Pipeline?
}

extension PhysicalPlan {
    /// The same step over other inputs.
    func over(_ inputs: [PhysicalPlan], operation other: PhysicalOperation? = nil) -> PhysicalPlan {
        PhysicalPlan(
            step: step, operation: other ?? operation, children: inputs, outputs: outputs, estimate: estimate,
            distribution: distribution)
    }
}

extension BoundExpression {
    /// Equal values have equal hashes. Intervals may be equal in different units.
    var canPartition: Bool { type != .interval }
}
