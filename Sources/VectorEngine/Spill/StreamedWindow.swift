import QueryPlan
import SQLTypes

/// Window functions over one partition that does not fit: the rows are written in order, in blocks that end between
/// peers, and the functions are computed block by block. What came before a block is added to its results: positions,
/// and the values of the last row.
extension QueryExecutor {
    func openStreamedWindow(_ plan: PhysicalPlan, _ spec: LogicalWindowSpecification) throws -> Pipeline {
        let child = plan.children[0]
        let rows = try spillInPeers(plan, spec)
        let stream = WindowStream(plan: plan, spec: spec, writer: try resultWriter(plan.outputs))
        try computeTotals(rows, stream)
        var pending: [SpilledRows] = rows.blocks(bytes: blockBytes()).reversed()
        while let block = pending.popLast() {
            let executor = partitionExecutor()
            let leaf = executor.leaf(block, child.outputs, replacing: child, depth: QueryExecutor.deepestSpill + 1)
            let opened: Pipeline
            do {
                opened = try executor.open(stream.blockPlan(over: leaf), filters: [])
            } catch {
                guard QueryExecutor.isRefusal(error), block.chunks.count > 1 else { throw error }
                pending += block.halves.reversed()
                continue
            }
            for function in spec.functions { opened.bind(function.id, .expression(stream.value(of: function))) }
            let last = LastRow(try spec.functions.map { try opened.value(of: $0.id) })
            opened.emit(last)
            try executor.add(opened, plan.outputs, to: stream.writer, inOrder: true)
            stream.finish(block, last.values)
        }
        return pipeline(over: try stream.writer.finish()[0], columns: plan.outputs)
    }

    /// The child's rows in order.
    private func spillInPeers(_ plan: PhysicalPlan, _ spec: LogicalWindowSpecification) throws -> SpilledRows {
        let child = plan.children[0]
        var ordered = child
        if !spec.orderBy.isEmpty {
            // A number that no step has: it is no step of the plan.
            ordered = PhysicalPlan(
                step: ~plan.step, operation: .sort(spec.orderBy), children: [child], outputs: child.outputs,
                estimate: child.estimate, distribution: child.distribution)
        }
        let pipeline = try open(ordered, filters: [])
        let keys = try spec.orderBy.map { try pipeline.compile($0.expression) }
        let registers = try child.outputs.map { try pipeline.value(of: $0.id) }
        let writer = try SpillWriter(registers, partitions: 1, context: context)
        pipeline.emit(PeerSink(registers, keys: keys, writer: writer))
        try pipeline.run(inOrder: true)
        return try writer.finish()[0]
    }

    /// Aggregates over the whole partition.
    private func computeTotals(_ rows: SpilledRows, _ stream: WindowStream) throws {
        let functions = stream.spec.functions.filter { stream.spec.isTotal($0.call) }
        if functions.isEmpty { return }
        let child = stream.plan.children[0]
        let executor = partitionExecutor()
        let leaf = executor.leaf(rows, child.outputs, replacing: child, depth: 0)
        let aggregates = functions.compactMap { function -> LogicalAggregate.Aggregate? in
            guard case .aggregate(let kind) = function.call.function else { return nil }
            let call = AggregateCall(function: kind, arguments: function.call.arguments, type: function.call.type)
            return LogicalAggregate.Aggregate(id: function.id, call: call)
        }
        let pipeline = try executor.open(
            PhysicalPlan(
                step: stream.plan.step,
                operation: .aggregate(PhysicalAggregate(method: .plain, groups: [], aggregates: aggregates)),
                children: [leaf], outputs: functions.map { OutputColumn(id: $0.id, name: "", type: $0.call.type) },
                estimate: stream.plan.estimate, distribution: stream.plan.distribution), filters: [])
        let last = LastRow(try functions.map { try pipeline.value(of: $0.id) })
        pipeline.emit(last)
        try pipeline.run(inOrder: true)
        for (function, value) in zip(functions, last.values ?? []) { stream.totals[function.id] = value }
    }
}

/// Where a streamed window stands. Confined to the query's thread.
private final class WindowStream {
    let plan: PhysicalPlan
    let spec: LogicalWindowSpecification
    let writer: SpillWriter
    var totals: [ColumnID: Datum] = [:]
    private var rowsBefore = 0
    /// The functions' values in the last row so far.
    private var lastValues: [ColumnID: Datum] = [:]

    init(plan: PhysicalPlan, spec: LogicalWindowSpecification, writer: SpillWriter) {
        self.plan = plan
        self.spec = spec
        self.writer = writer
    }

    /// The functions' values within a block have ids of their own; no column of a query has a number below zero.
    private func localID(_ function: LogicalWindow.Function) -> ColumnID { ColumnID(~function.id.raw) }

    /// The functions that go on from block to block, over one of them.
    func blockPlan(over leaf: PhysicalPlan) -> PhysicalPlan {
        var local = spec
        local.functions = spec.functions.filter { totals[$0.id] == nil }.map {
            LogicalWindow.Function(id: localID($0), call: $0.call)
        }
        if local.functions.isEmpty { return leaf }
        let made = Set(spec.functions.map(\.id))
        let outputs =
            plan.outputs.filter { !made.contains($0.id) }
            + local.functions.map { OutputColumn(id: $0.id, name: "", type: $0.call.type) }
        return PhysicalPlan(
            step: plan.step, operation: .window(local), children: [leaf], outputs: outputs, estimate: plan.estimate,
            distribution: plan.distribution)
    }

    /// A function's value from the block's and what came before.
    func value(of function: LogicalWindow.Function) -> BoundExpression {
        let type = function.call.type
        if let total = totals[function.id] { return .constant(total, type) }
        let local = BoundExpression.column(localID(function), type)
        switch function.call.function {
        case .rowNumber, .rank: return .call(.add, [local, .constant(.integer(Int128(rowsBefore)), type)], type)
        default: break
        }
        guard let before = lastValues[function.id], before != .null else { return local }
        let known = BoundExpression.constant(before, type)
        let both: BoundExpression
        switch function.call.function {
        case .aggregate(.minimum): both = choose(known, when: .comparison(.less, known, local), local, type)
        case .aggregate(.maximum): both = choose(known, when: .comparison(.greater, known, local), local, type)
        default: both = .call(.add, [local, known], type)
        }
        return choose(known, when: .isNull(local), both, type)
    }

    private func choose(
        _ value: BoundExpression, when condition: BoundExpression, _ other: BoundExpression, _ type: SQLType
    ) -> BoundExpression {
        .caseWhen([BoundExpression.CaseBranch(condition: condition, result: value)], otherwise: other, type)
    }

    func finish(_ block: SpilledRows, _ values: [Datum]?) {
        rowsBefore += block.count
        for (function, value) in zip(spec.functions, values ?? []) { lastValues[function.id] = value }
    }
}

extension LogicalWindowSpecification {
    /// All functions can be computed block by block.
    var isStreamable: Bool {
        functions.allSatisfy { isTotal($0.call) || goesOn($0.call) } && orderBy.allSatisfy(\.expression.canPartition)
    }

    /// An aggregate over the whole partition.
    fileprivate func isTotal(_ call: WindowCall) -> Bool {
        guard case .aggregate(let function) = call.function, call.type != .interval else { return false }
        switch function {
        case .listAggregate, .median, .percentileContinuous, .percentileDiscrete: return false
        default: break
        }
        guard let frame = call.frame else { return orderBy.isEmpty }
        return frame.start == .unboundedPreceding && frame.end == .unboundedFollowing
    }

    /// A position, or an aggregate from the partition's first row to the present one.
    private func goesOn(_ call: WindowCall) -> Bool {
        switch call.function {
        case .rowNumber: return true
        case .rank, .denseRank: return !orderBy.isEmpty
        case .aggregate(.countRows), .aggregate(.count), .aggregate(.sum), .aggregate(.minimum), .aggregate(.maximum):
            guard !orderBy.isEmpty, call.type != .interval else { return false }
            return call.frame.map { $0.start == .unboundedPreceding && $0.end == .currentRow } ?? true
        default: return false
        }
    }
}
