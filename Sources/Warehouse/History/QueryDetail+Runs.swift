import Catalog
import QueryPlan
import VectorEngine

extension QueryDetail {
    /// nil for statements that ran no plan over tables.
    init?(query: Int, _ runs: [QueryRun]) {
        if runs.isEmpty { return nil }
        self.init(query: query, nodes: [], steps: [])
        for run in runs { add(run) }
    }

    private mutating func add(_ run: QueryRun) {
        let builder = StepRecordBuilder(
            run, firstNode: nodes.count, firstSegment: (steps.map(\.segment).max() ?? -1) + 1)
        nodes += builder.nodes
        steps += builder.steps
    }
}

/// Turns the sections that pipelines counted into steps: what a section is depends on its plan node, and on whether
/// rows leave the node there or are kept for it.
private struct StepRecordBuilder {
    private(set) var nodes: [QueryDetail.Node] = []
    private(set) var steps: [StepRecord] = []
    private let run: QueryRun
    private var plans: [Int: PhysicalPlan] = [:]
    private var nodeNumbers: [Int: Int] = [:]
    private var hashNumbers: [Int: Int] = [:]
    private let slices: Int

    init(_ run: QueryRun, firstNode: Int, firstSegment: Int) {
        self.run = run
        slices = run.profile.slices
        collect(run.plan.plan)
        let isChange = if case .client = run.target { false } else { true }
        for node in ExplainText.nodes(run.plan, isChange: isChange) { add(node, firstNode) }
        let spilled = run.profile.spilledSteps
        for segment in run.profile.segments {
            let first = steps.count
            for (index, section) in segment.steps.enumerated() {
                add(section, isFirst: index == 0, isDiskBased: spilled.contains(section.planStep))
            }
            for index in first..<steps.count {
                steps[index].segment = firstSegment + segment.number
                steps[index].step = index - first
            }
        }
        addSerialTime()
    }

    private mutating func collect(_ plan: PhysicalPlan) {
        plans[plan.step] = plan
        for child in plan.children { collect(child) }
    }

    private mutating func add(_ node: ExplainNode, _ firstNode: Int) {
        let estimate = plans[node.planStep]?.estimate
        switch node.role {
        case .step: nodeNumbers[node.planStep] = firstNode + node.id
        case .hash: hashNumbers[node.planStep] = firstNode + node.id
        case .added: break
        }
        nodes.append(
            QueryDetail.Node(
                parent: node.parent == 0 ? 0 : firstNode + node.parent, text: node.text, info: node.info,
                startupCost: estimate?.startupCost ?? 0, totalCost: estimate?.totalCost ?? 0,
                rows: estimate?.rows ?? 0, width: estimate?.width ?? 0))
    }

    // MARK: Sections

    private mutating func add(_ section: ExecutionProfile.Step, isFirst: Bool, isDiskBased: Bool) {
        let plan = plans[section.planStep]
        let previous = steps.last
        var record = StepRecord(
            segment: 0, step: 0, kind: .save, node: nodeNumbers[section.planStep] ?? 0, slices: [])
        record.isDiskBased = isDiskBased
        switch section.role {
        case .passing: describe(plan, isFirst, section, &record)
        case .keeping: describe(keptFor: plan, &record)
        }
        // Rows that are kept have the width of those that came.
        let width = section.role == .passing ? plan?.estimate.width ?? 0 : previous.map(Self.width) ?? 0
        record.slices = section.slices.map { slice($0, width, section.scan) }
        if record.kind == .result, !isFirst, previous?.kind == .result {
            return addTime(of: record, to: steps.count - 1)
        }
        if let transfer = transfer(plan, section.role, before: record, previous) { steps.append(transfer) }
        steps.append(record)
    }

    private static func width(_ step: StepRecord) -> Double {
        step.rows == 0 ? 0 : Double(step.bytes) / Double(step.rows)
    }

    private func slice(
        _ figures: ExecutionProfile.SliceFigures, _ width: Double, _ scan: ExecutionProfile.ScanFigures?
    ) -> StepRecord.Slice {
        var before: Int64 = 0
        if let rows = scan?.rowsBeforeFilter, figures.slice < rows.count { before = rows[figures.slice] }
        return StepRecord.Slice(
            slice: figures.slice, rows: figures.rows, bytes: Int64(min(Double(figures.rows) * width, 9e18)),
            rowsBeforeFilter: before, busyMicroseconds: figures.busyNanoseconds / 1000,
            startMicroseconds: figures.startMicroseconds, endMicroseconds: figures.endMicroseconds)
    }

    private func describe(
        _ plan: PhysicalPlan?, _ isFirst: Bool, _ section: ExecutionProfile.Step, _ record: inout StepRecord
    ) {
        switch plan?.operation {
        case .tableScan(let scan):
            record.kind = .scan
            record.table = scan.table.id.raw
            record.tableName = scan.table.name
            record.isRangeRestricted = section.scan?.isRangeRestricted ?? false
            record.blocks = section.scan?.blocks ?? 0
        case .systemScan(let scan):
            record.kind = .scan
            record.tableName = scan.relation
        case _ where isFirst:
            // What an earlier segment has kept.
            record.kind = .scan
            record.table = Int64(section.planStep)
            record.tableName = "Internal Worktable"
        case .join(let join):
            record.kind = Self.kind(join.method)
            record.table = Int64(section.planStep)
            record.form = join.kind.text
        case .gather: record.kind = .result
        case .limit, .topN: record.kind = .limit
        default: record.kind = .project
        }
    }

    private static func kind(_ method: PhysicalJoin.Method) -> StepRecord.Kind {
        switch method {
        case .hash: .hashjoin
        case .nestedLoop: .nestloop
        }
    }

    private func describe(keptFor plan: PhysicalPlan?, _ record: inout StepRecord) {
        guard let plan else {
            switch run.target {
            case .client: record.kind = .result
            case .insert(let table, let name): (record.kind, record.table, record.tableName) = (.insert, table, name)
            case .delete(let table, let name): (record.kind, record.table, record.tableName) = (.delete, table, name)
            }
            return
        }
        record.table = Int64(plan.step)
        switch plan.operation {
        case .join, .setOperation:
            record.kind = .hash
            record.node = hashNumbers[plan.step] ?? record.node
        case .aggregate(let aggregate):
            record.kind = run.plan.dropsDuplicates(aggregate) ? .unique : .aggregate
            record.form = aggregate.method == .plain ? "PLAIN" : aggregate.method == .hash ? "HASHED" : "SORTED"
        case .sort, .topN: record.kind = .sort
        case .window: record.kind = .window
        case .limit: record.kind = .limit
        default: record.kind = .save
        }
    }

    // MARK: Transfers between slices

    /// The step that sends rows to other slices before they are hashed or probed: what a cluster would send, for the
    /// slices of one process share their memory.
    private func transfer(
        _ plan: PhysicalPlan?, _ role: ExecutionProfile.Step.Role, before record: StepRecord, _ previous: StepRecord?
    ) -> StepRecord? {
        guard slices > 1, case .join(let join)? = plan?.operation, let previous else { return nil }
        let kind: StepRecord.Kind
        switch (join.label, role) {
        case (.broadcastInner, .keeping): kind = .broadcast
        case (.distributeInner, .keeping), (.distributeBoth, _), (.distributeOuter, .passing): kind = .distribute
        default: return nil
        }
        var sent = previous
        sent.kind = kind
        sent.node = record.node
        sent.table = 0
        sent.tableName = ""
        sent.isRangeRestricted = false
        sent.blocks = 0
        for index in sent.slices.indices {
            sent.slices[index].rowsBeforeFilter = 0
            sent.slices[index].busyMicroseconds = 0
            let bytes = sent.slices[index].bytes
            sent.slices[index].bytes =
                kind == .broadcast ? bytes &* Int64(slices - 1) : bytes / Int64(slices) &* Int64(slices - 1)
        }
        return sent
    }

    // MARK: Time outside of pipelines

    /// Merging and sorting of what was kept happen between pipelines: time of the step that kept, on all its slices.
    private mutating func addSerialTime() {
        for (planStep, nanoseconds) in run.profile.serialNanoseconds where nanoseconds >= 1_000 {
            let node = nodeNumbers[planStep] ?? 0
            let keeps = steps.lastIndex { $0.table == planStep && ![.scan, .hashjoin].contains($0.kind) }
            guard let index = keeps ?? steps.firstIndex(where: { node != 0 && $0.node == node }),
                !steps[index].slices.isEmpty
            else { continue }
            let share = nanoseconds / 1000 / Int64(steps[index].slices.count)
            for slice in steps[index].slices.indices { steps[index].slices[slice].busyMicroseconds += share }
        }
    }

    private mutating func addTime(of record: StepRecord, to index: Int) {
        for figures in record.slices {
            guard let place = steps[index].slices.firstIndex(where: { $0.slice == figures.slice }) else { continue }
            steps[index].slices[place].busyMicroseconds += figures.busyMicroseconds
            steps[index].slices[place].endMicroseconds = max(
                steps[index].slices[place].endMicroseconds, figures.endMicroseconds)
        }
    }
}

extension PhysicalJoin.Kind {
    fileprivate var text: String {
        switch self {
        case .inner: "inner"
        case .left, .single: "left"
        case .right: "right"
        case .full: "full"
        case .semi, .rightSemi, .mark: "semi"
        case .anti, .rightAnti, .antiNullAware: "anti"
        }
    }
}
