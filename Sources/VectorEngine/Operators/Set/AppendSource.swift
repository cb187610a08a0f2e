import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization

/// The rows of several pipelines one after the other (UNION ALL). The inputs run inside of the outer pipeline's
/// workers, each with a batch of its own; the outer batch only points at their registers, so nothing is copied.
final class AppendSource: PipelineSource {
    struct Input {
        let pipeline: Pipeline
        /// In the outer registers' forms.
        let registers: [Register]
    }
    private let inputs: [Input]
    private let context: ExecutionContext
    private var outputs: [Register] = []
    private var states: [State] = []
    /// Number of the first morsel of each input.
    private var firstMorsels: [Int] = []

    /// One worker's batches, made when an input's first morsel comes.
    fileprivate final class State {
        var batches: [Batch?]
        var outer: Batch?
        var body: ((Batch) throws -> Void)?
        init(_ inputs: Int) { batches = Array(repeating: nil, count: inputs) }
    }

    init(_ inputs: [Input], context: ExecutionContext) {
        self.inputs = inputs
        self.context = context
    }

    override var rowCount: Int {
        var total = 0
        for input in inputs {
            let (sum, overflow) = total.addingReportingOverflow(input.pipeline.rowBound)
            total = overflow ? Int.max : sum
        }
        return total
    }
    override var innerPipelines: [Pipeline] { inputs.map(\.pipeline) }
    override var morselCount: Int { inputs.reduce(0) { $0 + $1.pipeline.source.morselCount } }

    /// Binds the outer registers; once, before the outer pipeline is compiled further.
    func bind(_ registers: [Register], in pipeline: Pipeline) {
        outputs = registers
        for (index, input) in inputs.enumerated() {
            input.pipeline.emit(AppendBridge(index, input.registers, source: self))
        }
        pipeline.emit(AppendFinish(self, outputs: registers))
    }

    override func prepare() throws {
        firstMorsels = []
        var total = 0
        for input in inputs {
            input.pipeline.complete()
            try input.pipeline.source.prepare()
            for step in input.pipeline.steps { try step.prepare(workers: context.pool.workers) }
            firstMorsels.append(total)
            total += input.pipeline.source.morselCount
        }
        states = (0..<context.pool.workers).map { _ in State(inputs.count) }
    }

    private func input(ofMorsel morsel: Int) -> Int { (firstMorsels.lastIndex { $0 <= morsel }) ?? 0 }

    override func slice(ofMorsel morsel: Int) -> Int {
        let index = input(ofMorsel: morsel)
        return inputs[index].pipeline.source.slice(ofMorsel: morsel - firstMorsels[index])
    }

    override func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {
        let index = input(ofMorsel: morsel)
        let pipeline = inputs[index].pipeline
        if pipeline.source.stopRequested.load(ordering: .relaxed) { return }
        let state = states[batch.worker]
        let inner: Batch
        if let known = state.batches[index] {
            inner = known
        } else {
            inner = try Batch(worker: batch.worker, capacity: context.batchRows, registers: pipeline.registers)
            state.batches[index] = inner
        }
        let number = morsel - firstMorsels[index]
        inner.meter = batch.meter
        inner.counters = batch.counters
        inner.move(toSlice: pipeline.source.slice(ofMorsel: number))
        state.outer = batch
        let steps = pipeline.steps
        try withoutActuallyEscaping(body) { body in
            state.body = body
            defer { state.body = nil }
            try pipeline.source.run(morsel: number, batch: inner) { try drive(steps, from: 0, $0) }
        }
    }

    /// Shows an input's batch to the outer pipeline.
    fileprivate func forward(_ inner: Batch, _ registers: [Register]) throws {
        let state = states[inner.worker]
        guard let outer = state.outer, let body = state.body else { return }
        outer.arena.removeAll()
        outer.count = inner.count
        outer.identity = true
        outer.masked = false
        outer.window = 0
        for (output, register) in zip(outputs, registers) {
            outer.slots[output.index].data = inner.slots[register.index].data
            outer.slots[output.index].validity = inner.slots[register.index].validity
        }
        try body(outer)
    }

    fileprivate func finish(_ worker: Int) throws {
        guard worker < states.count else { return }
        for (input, batch) in zip(inputs, states[worker].batches) {
            guard let batch else { continue }
            for step in input.pipeline.steps { try step.finish(batch) }
        }
    }
}

/// The end of an input's pipeline.
private final class AppendBridge: Step {
    private let registers: [Register]
    private unowned let source: AppendSource

    init(_ index: Int, _ registers: [Register], source: AppendSource) {
        self.registers = registers
        self.source = source
        super.init(inputs: registers.map(\.index), outputs: [])
    }
    override func run(_ batch: Batch) throws { try source.forward(batch, registers) }
}

/// Lets the inputs' steps finish with the outer pipeline's worker.
private final class AppendFinish: Step {
    private let source: AppendSource
    init(_ source: AppendSource, outputs: [Register]) {
        self.source = source
        super.init(inputs: [], outputs: outputs.map(\.index))
    }
    override func finish(_ batch: Batch) throws { try source.finish(batch.worker) }
}
