import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// The end of a pipeline that aggregates: group numbers for the batch, then one pass per state. With grouping sets
/// several of them follow each other in one pipeline.
final class AggregateSink: Step {
    let keys: GroupKeys
    let layout: AggregateLayout
    private let context: ExecutionContext
    private let packedSums: [PackedSumsPlan]
    /// States that packed sums keep for others.
    private let packedStates: Set<Int>
    let distinctForms: [DistinctForm]
    /// Where the accumulators are larger than the caches: rows go there, but for those that come in clusters.
    let partitions: DensePartitions?
    /// What the workers have at the moment; ``allParts`` has what they put aside as well.
    private var lanes: [Lane] = []
    var parts: [Part] { lanes.map(\.part) }
    override var acceptsMask: Bool {
        switch keys.form {
        case .single, .dense: !layout.hasDeferred
        case .packed, .wide: false
        }
    }

    /// One worker's groups and accumulators.
    final class Part {
        let table: GroupTableState
        let states: [AggregateState]
        let packedSums: [PackedSums]
        let distincts: [DistinctPart]
        let collections: [CollectionPart]
        let mask: TableMemory
        var hasRows = false
        var rows = 0

        init(_ sink: AggregateSink, expected: Int = 0) throws {
            let context = sink.context
            table = try GroupTableState(sink.keys, context, expected: expected)
            states = sink.layout.states.map { $0.prototype.fresh(final: false) }
            if let fixed = sink.keys.fixedGroups, sink.partitions == nil {
                for state in states { try state.resize(fixed) }
            }
            let states = self.states
            packedSums = try sink.packedSums.map { try PackedSums($0, states: states, context: context) }
            distincts = try zip(sink.layout.distincts, sink.distinctForms).map { try DistinctPart($0, $1, context) }
            collections = sink.layout.collections.map { CollectionPart($0, context) }
            mask = try TableMemory(context, bytes: context.batchRows + 256)
        }
    }

    /// What one worker changes while it runs. An object of its own: changing an element of an array that others read
    /// could copy the array, and lose what another worker has put into it.
    private final class Lane {
        var part: Part
        var runs = AggregateRuns()
        init(_ part: Part) { self.part = part }
    }

    init(_ keys: GroupKeys, _ layout: AggregateLayout, context: ExecutionContext) {
        self.keys = keys
        self.layout = layout
        self.context = context
        packedSums = PackedSumsPlan.make(keys, layout, context)
        distinctForms = layout.distincts.map { DistinctForm($0, keys: keys, context) }
        packedStates = Set(packedSums.flatMap { $0.fields.map(\.state) })
        partitions = DensePartitions(keys, layout, context: context)
        super.init(inputs: keys.registers.map(\.index) + layout.inputs, outputs: [])
    }

    override func prepare(workers: Int) throws {
        lanes = try (0..<workers).map { _ in Lane(try Part(self)) }
        partitions?.prepare(workers: workers)
    }

    override func finish(_ batch: Batch) throws { try partitions?.finish(batch.worker) }

    /// All parts of all workers that have rows.
    var allParts: [Part] { lanes.flatMap(\.runs.finished) + lanes.map(\.part).filter(\.hasRows) }

    /// Puts the worker's groups aside when they outgrow the caches, see ``AggregateRuns``.
    private func endRun(_ lane: Lane) throws {
        let part = lane.part
        guard lane.runs.ends(groups: part.table.count, rows: part.rows) else { return }
        part.table.freeze()
        lane.runs.finished.append(part)
        lane.part = try Part(self, expected: AggregateRuns.groups)
    }

    override func run(_ batch: Batch) throws {
        let lane = lanes[batch.worker], part = lane.part
        try part.table.assign(batch)
        let groups = part.table.groups, single = keys.isSingle
        if let partitions, !partitions.isClustered(groups, batch.count) { return try partitions.add(batch, groups) }
        part.hasRows = true
        if keys.fixedGroups == nil || partitions != nil {
            for state in part.states { try state.resize(part.table.count) }
        }
        for packed in part.packedSums { try packed.add(batch, groups) }
        for (index, state) in layout.states.enumerated() where !packedStates.contains(index) {
            let valid = validRows(batch, state.argument, state.filter, part.mask, usesMask: single)
            let input = StateInput(
                batch: batch, count: batch.count, groups: groups, single: single, valid: valid)
            try part.states[index].update(input)
        }
        for distinct in part.distincts {
            let valid = validRows(
                batch, distinct.spec.argument, distinct.spec.filter, part.mask, usesMask: single)
            try distinct.add(batch, groups, groupCount: part.table.count, valid)
        }
        for collection in part.collections {
            let valid = validRows(
                batch, collection.spec.registers[0], collection.spec.filter, part.mask, usesMask: single)
            try collection.add(batch, groups, valid)
        }
        part.rows &+= batch.count
        if part.table.count > AggregateRuns.groups && keys.fixedGroups == nil && !layout.hasDeferred {
            try endRun(lane)
        }
    }
}
