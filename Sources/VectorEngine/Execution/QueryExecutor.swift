import Catalog
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

/// Receives a query's result. Called from workers: at the same time for different `worker` numbers when the result
/// has no order, from one worker and in order otherwise. The batch is reused after the call.
package protocol BatchConsumer: AnyObject {
    func consume(worker: Int, _ batch: ColumnBatch) throws
}

/// Runs one physical plan: compiles pipelines bottom-up and runs each as soon as it ends in a pipeline breaker, so that
/// everything above is compiled with exact counts, bounds and key sets. Confined to the query's thread.
package final class QueryExecutor {
    let context: ExecutionContext
    /// Results of common table expressions that are computed once.
    var withResults: [Int: (columns: [OutputColumn], rows: StoredRows)] = [:]
    /// Of a recursion whose rounds share a pipeline: what a reference to its working rows reads.
    var working: (id: Int, columns: [OutputColumn], rows: WorkingRows)?
    /// Of a round of a recursion.
    var repeatedSides: RepeatedSides?
    /// Of leaves that stand for partitions of a step's input: how often it has been partitioned.
    var partitionDepths: [Int: Int] = [:]
    /// Results of steps, by number, that are in the temporary area.
    var spilledSteps: [Int: SpilledRows] = [:]
    /// What has been opened, so that what will not run can be taken apart.
    var opened: [PipelineReference] = []

    package init(context: ExecutionContext) { self.context = context }

    /// Runs the plan to its end. Consumers see columns in canonical physical forms, in the order of `query.outputs`.
    package func run(_ query: PhysicalQuery, consumer: any BatchConsumer) throws {
        let pipeline = try open(query.plan, filters: [])
        let registers = try query.outputs.map { try pipeline.canonical(pipeline.value(of: $0.id)) }
        let sink = ResultSink(registers, types: query.outputs.map(\.type), consumer: consumer)
        pipeline.emit(sink)
        try pipeline.run(inOrder: query.plan.isOrdered)
    }

    /// A pipeline whose bindings cover the plan's outputs; all blocking children have run. Filters that the subtree
    /// cannot use are dropped: they only ever remove rows that the caller drops as well.
    func open(_ plan: PhysicalPlan, filters: [RuntimeFilter]) throws -> Pipeline {
        context.profile?.enter(plan.step)
        defer { context.profile?.leave() }
        let pipeline = try openOperation(plan, filters: filters)
        if context.temporary != nil { opened.append(PipelineReference(pipeline: pipeline)) }
        if context.profile != nil { pipeline.emit(RowCounter(plan)) }
        return pipeline
    }

    private func openOperation(_ plan: PhysicalPlan, filters: [RuntimeFilter]) throws -> Pipeline {
        switch plan.operation {
        case .tableScan(let scan): return try openTableScan(plan, scan, filters: filters)
        case .systemScan(let scan): return try openSystemScan(scan)
        case .values(let values): return try openValues(values)
        case .filter(let conjuncts):
            let pipeline = try open(plan.children[0], filters: filters)
            for conjunct in LongCondition.joined(conjuncts) { try pipeline.filter(conjunct) }
            return pipeline
        case .unnest(let unnest):
            let pipeline = try open(plan.children[0], filters: filters)
            try pipeline.unnest(unnest)
            return pipeline
        case .project(let columns): return try openProject(plan, columns, filters: filters)
        case .append(let inputs): return try openAppend(plan, inputs, filters: filters)
        case .with(let id, _): return try openWith(plan, id, filters: filters)
        case .recursiveWith(let recursion): return try openRecursiveWith(plan, recursion)
        case .withReference(let id, _, let sources): return try openWithReference(plan, id, sources)
        case .gather: return try open(plan.children[0], filters: filters)
        default: return try openBlockingOperation(plan, filters: filters)
        }
    }

    /// Operations that keep rows: in memory, or in the temporary area when memory is refused.
    private func openBlockingOperation(_ plan: PhysicalPlan, filters: [RuntimeFilter]) throws -> Pipeline {
        if let known = spilledSteps[plan.step] { return pipeline(over: known, columns: plan.outputs) }
        switch plan.operation {
        case .join(let join):
            return try spilling(plan, filters: filters, when: JoinSite(plan, join).canSpill) {
                try openJoin(plan, join, filters: filters)
            } spilled: {
                repeatedSides?.forget(plan.step)
                return try openSpilledJoin(plan, join, filters: filters)
            }
        case .aggregate(let aggregate):
            return try spilling(plan, filters: filters, when: aggregate.canSpill) {
                try openAggregate(plan, aggregate, filters: filters)
            } spilled: {
                try openSpilledAggregate(plan, aggregate, filters: filters)
            }
        case .window(let window):
            return try spilling(plan, filters: filters, when: window.canSpill) {
                try openWindow(plan, window, filters: filters)
            } spilled: {
                try openSpilledWindow(plan, window)
            }
        case .sort(let items):
            return try spilling(plan, filters: filters) {
                try openSort(plan, items, filters: filters)
            } spilled: {
                try openSpilledSort(plan, items, filters: filters)
            }
        case .topN(let items, let count, let offset):
            return try spilling(plan, filters: filters) {
                try openTopN(plan, items, count: count, offset: offset, filters: filters)
            } spilled: {
                try openSpilledTopN(plan, items, count: count, offset: offset)
            }
        case .limit(let count, let offset):
            return try spilling(plan, filters: filters, when: { _ in plan.children[0].isOrdered }) {
                try openLimit(plan, count: count, offset: offset, filters: filters)
            } spilled: {
                try openSpilledLimit(plan, count: count, offset: offset)
            }
        case .setOperation(let kind, let all, let left, let right):
            return try spilling(plan, filters: filters) {
                try openSetOperation(plan, kind, all: all, left: left, right: right, filters: filters)
            } spilled: {
                try openSpilledSetOperation(plan, left: left, right: right)
            }
        default: throw SQLError(.internalError, "step \(plan.step) has no operator")
        }
    }

    /// Collects the plan's output columns. For operators that need all rows before the first result.
    func materialize(_ plan: PhysicalPlan, filters: [RuntimeFilter] = []) throws -> RowSet {
        try materialize(plan, columns: plan.outputs, filters: filters)
    }
    func materialize(_ plan: PhysicalPlan, columns: [OutputColumn], filters: [RuntimeFilter] = []) throws -> RowSet {
        let pipeline = try open(plan, filters: filters)
        let collector = RowCollector(try columns.map { try pipeline.value(of: $0.id) }, context: context)
        pipeline.emit(collector)
        try pipeline.run(inOrder: plan.isOrdered)
        return try collector.rows()
    }
    /// A pipeline over materialised rows.
    func pipeline(over rows: RowSet, columns: [OutputColumn]) -> Pipeline {
        let source = RowSetSource(rows)
        let pipeline = Pipeline(context: context, source: source)
        source.bind(columns.map(\.id), in: pipeline)
        return pipeline
    }
}

extension PhysicalPlan {
    /// The order of rows matters to whoever reads them.
    package var isOrdered: Bool {
        switch operation {
        case .sort, .topN: true
        case .project, .filter, .limit, .gather, .unnest: children[0].isOrdered
        case .with: children[1].isOrdered
        case .recursiveWith: children[2].isOrdered
        case .window: true
        default: false
        }
    }
}

/// Hands the result to its consumer.
final class ResultSink: Step {
    private let registers: [Register]
    private let types: [SQLType]
    private let consumer: any BatchConsumer
    /// Of each worker, made for those that have rows: a short query has one.
    private var batches: UnsafeMutableBufferPointer<ColumnBatch?>?

    init(_ registers: [Register], types: [SQLType], consumer: any BatchConsumer) {
        self.registers = registers
        self.types = types
        self.consumer = consumer
        super.init(inputs: registers.map(\.index), outputs: [])
    }
    deinit { release() }
    private func release() {
        batches?.deinitialize()
        batches?.deallocate()
        batches = nil
    }
    override func prepare(workers: Int) throws {
        release()
        let made = UnsafeMutableBufferPointer<ColumnBatch?>.allocate(capacity: workers)
        made.initialize(repeating: nil)
        batches = made
    }
    private func output(of worker: Int) throws -> ColumnBatch {
        guard let batches else { throw SQLError(.internalError, "a result is sent before its pipeline runs") }
        if let made = batches[worker] { return made }
        let made = ColumnBatch(types: types)
        batches[worker] = made
        return made
    }
    override func run(_ batch: Batch) throws {
        var output = try output(of: batch.worker)
        output.rowsWithoutColumns = batch.count
        output.removeAll()
        for (column, register) in zip(output.columns, registers) {
            let slot = batch.slots[register.index]
            try column.append(
                values: UnsafeRawPointer(slot.data), as: register.physical,
                validity: slot.validity.map { UnsafePointer($0) }, selection: nil, count: batch.count)
        }
        try consumer.consume(worker: batch.worker, output)
    }
}
