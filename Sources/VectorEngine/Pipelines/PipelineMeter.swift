import CIntrinsics
import Platform
import QueryPlan

/// Rows and time of one section of a pipeline on one slice, as one worker saw them. Times are of ``rb_ticks()``.
struct MeterCell {
    var rows = 0
    var ticks: UInt64 = 0
    var first: UInt64 = 0
    var last: UInt64 = 0
}

/// Measures a running pipeline: its steps are cut into sections, each ending where rows leave a plan step, the last one
/// being the sink's. A worker takes one time stamp for each section and batch, into cells of its own.
final class PipelineMeter: @unchecked Sendable {  // each worker writes its own cells; read when all have ended
    private let profile: ExecutionProfile
    private let source: PipelineSource
    private var sections: [ExecutionProfile.Step] = []
    private let slices: Int
    private let workers: Int
    private let cells: UnsafeMutablePointer<MeterCell>
    private let startTicks = rb_ticks()
    private let startNanoseconds = Stopwatch.nanoseconds
    private let startMicroseconds: Int64
    private var stride: Int { 1 + sections.count * slices }

    /// Once the source is prepared: numbers the sections of the pipeline and of those within its source.
    init(_ pipeline: Pipeline, _ profile: ExecutionProfile, workers: Int) {
        self.profile = profile
        startMicroseconds = profile.time.wallMicroseconds()
        self.workers = workers
        source = pipeline.source
        slices = max(profile.slices, 1)
        var sections: [ExecutionProfile.Step] = []
        sections.reserveCapacity(PipelineMeter.usualSections)
        PipelineMeter.number(pipeline, keepingStep: profile.keepingStep, &sections)
        self.sections = sections
        let count = workers * (1 + sections.count * slices)
        cells = .allocate(capacity: count)
        cells.initialize(repeating: MeterCell(), count: count)
    }

    deinit { cells.deallocate() }
    private static let usualSections = 4

    private static func number(_ pipeline: Pipeline, keepingStep: Int?, _ sections: inout [ExecutionProfile.Step]) {
        for inner in pipeline.source.innerPipelines { number(inner, keepingStep: nil, &sections) }
        let first = sections.count
        var scan = pipeline.source.scanFigures
        for step in pipeline.steps {
            number(step, sections.count)
            guard let counter = step.unwrapped as? RowCounter else { continue }
            sections.append(
                ExecutionProfile.Step(planStep: counter.planStep, role: .passing, slices: [], scan: scan))
            scan = nil
        }
        if let keepingStep {
            sections.append(ExecutionProfile.Step(planStep: keepingStep, role: .keeping, slices: [], scan: scan))
        } else {
            // What follows the last counter of an inner pipeline is its bridge to the outer one.
            for step in pipeline.steps { number(step, min(step.section, max(sections.count - 1, first))) }
            if sections.count == first {
                sections.append(ExecutionProfile.Step(planStep: -1, role: .passing, slices: [], scan: scan))
            }
        }
    }

    private static func number(_ step: Step, _ section: Int) {
        step.section = section
        step.unwrapped.section = section
    }

    /// What the pipeline's scans read.
    var scannedBlocks: Int { sections.reduce(0) { $0 + ($1.scan?.blocks ?? 0) } }

    /// The worker's cells; the one in front holds the last time stamp and the number of slices.
    func cells(of worker: Int) -> UnsafeMutablePointer<MeterCell> {
        let own = cells + worker * stride
        own.pointee.last = rb_ticks()
        own.pointee.rows = slices
        return own
    }

    /// Adds up what the workers saw.
    func report() {
        let wall = Stopwatch.nanoseconds - startNanoseconds
        let scale = Double(wall) / Double(max(rb_ticks() &- startTicks, 1))
        for section in sections.indices {
            sections[section].slices.reserveCapacity(slices)
            for slice in 0..<slices {
                guard let figures = figures(section, slice, scale) else { continue }
                sections[section].slices.append(figures)
            }
        }
        for index in sections.indices where sections[index].role == .keeping && index > 0 {
            keep(index)
        }
        profile.add(
            ExecutionProfile.Segment(
                number: 0, steps: sections, startMicroseconds: startMicroseconds,
                endMicroseconds: startMicroseconds + wall / 1000),
            wallNanoseconds: wall)
    }

    /// All rows that leave the last plan step come to the sink.
    private func keep(_ index: Int) {
        for before in sections[index - 1].slices where before.rows > 0 {
            if let place = sections[index].slices.firstIndex(where: { $0.slice == before.slice }) {
                sections[index].slices[place].rows = before.rows
            } else {
                var figures = before
                figures.busyNanoseconds = 0
                sections[index].slices.append(figures)
            }
        }
    }

    private func figures(_ section: Int, _ slice: Int, _ scale: Double) -> ExecutionProfile.SliceFigures? {
        var sum = MeterCell()
        for worker in 0..<workers {
            let cell = cells[worker * stride + 1 + section * slices + slice]
            if cell.first == 0 { continue }
            sum.rows += cell.rows
            sum.ticks &+= cell.ticks
            sum.first = sum.first == 0 ? cell.first : min(sum.first, cell.first)
            sum.last = max(sum.last, cell.last)
        }
        if sum.first == 0 { return nil }
        func moment(_ ticks: UInt64) -> Int64 {
            startMicroseconds + Int64(Double(ticks &- min(ticks, startTicks)) * scale / 1000)
        }
        return ExecutionProfile.SliceFigures(
            slice: slice, rows: Int64(sum.rows), busyNanoseconds: Int64(Double(sum.ticks) * scale),
            startMicroseconds: moment(sum.first), endMicroseconds: moment(sum.last))
    }
}

extension Batch {
    /// Rows from here on are the slice's.
    func move(toSlice number: Int) { slice = meter.map { min(number, $0.pointee.rows - 1) } ?? number }

    /// The time since the worker's last stamp was spent in this section.
    @inline(__always) func mark(_ section: Int, rows: Int = 0) {
        guard let meter else { return }
        let now = rb_ticks()
        let cell = meter + 1 + section * meter.pointee.rows + slice
        cell.pointee.rows &+= rows
        cell.pointee.ticks &+= now &- meter.pointee.last
        if cell.pointee.first == 0 { cell.pointee.first = meter.pointee.last }
        cell.pointee.last = now
        meter.pointee.last = now
    }
}

/// Counts the rows that leave a plan step, by slice, when a profile is wanted.
final class RowCounter: Step {
    let planStep: Int
    /// What the rows are to those who watch the statement; nil: nothing.
    private let count: StatementMeter.Count?
    override var acceptsMask: Bool { true }

    init(_ plan: PhysicalPlan) {
        planStep = plan.step
        if case .join(let join) = plan.operation {
            count = join.method == .nestedLoop ? .nestedLoopRows : .joinRows
        } else {
            count = nil
        }
        super.init(inputs: [], outputs: [])
    }
    override func run(_ batch: Batch) throws {
        var rows = batch.count
        if batch.masked {
            rows = 0
            for i in 0..<batch.count { rows &+= Int(batch.mask[i]) }
        }
        batch.mark(section, rows: rows)
        if let count, let counters = batch.counters { StatementMeter.add(rows, count, counters) }
    }
}
