import SQLTypes

/// One step of a pipeline over a batch: a fetch, an expression, a filter, a probe, a sink. One virtual call per batch.
///
/// A step is compiled once and shared by all workers: it is immutable while it runs, but for state that it keeps per
/// worker (an array with one entry for each worker, made by ``prepare(workers:)``). Steps are plain classes with a type
/// switch in `run`: methods of generic classes reached through the vtable run unspecialised.
class Step {
    /// Registers that are read and written; liveness is computed from them. What a step writes that drops rows is of
    /// the rows it keeps: its own outputs are not among the ``live`` registers that move.
    let inputs: [Int]
    let outputs: [Int]
    /// Of a measured pipeline, see ``PipelineMeter``.
    final var section = 0
    /// Set when the pipeline is complete: registers that later steps read, for steps that drop rows.
    var live: [Int] = []
    /// The step moves rows, in the ``live`` registers.
    var dropsRows: Bool { false }
    /// The step is right for masked batches: it computes values for failed rows without harm, or sinks that skip them.
    var acceptsMask: Bool { false }
    /// Outputs that count rows of something: behind NULL, too, they are inside of their bounds, because they index
    /// memory.
    var rowNumbers: [Int] { [] }
    /// The register that this step holds to its bounds: before, steps may leave values outside of them.
    var boundedRegister: Int? { nil }
    /// The step itself, without what checks it.
    var unwrapped: Step { self }
    /// What a BOOLEAN output holds behind NULL is open: it must not be taken for a condition as it is.
    var leavesNullsOpen: Bool { false }
    /// The step calls the rest of the pipeline itself, any number of times, see ``expand(_:_:)``.
    var expands: Bool { false }
    /// For steps that expand: the registers that are copied for their output rows.
    var carried: CarrySet? { nil }

    init(inputs: [Int], outputs: [Int]) {
        self.inputs = inputs
        self.outputs = outputs
    }

    /// Before the first batch; never in parallel.
    func prepare(workers: Int) throws {}
    func run(_ batch: Batch) throws {}
    /// Runs the following steps through `rest` for every output batch; used instead of ``run(_:)`` when ``expands``.
    func expand(_ batch: Batch, _ rest: (Batch) throws -> Void) throws {}
    /// After the worker's last batch, in parallel over workers.
    func finish(_ batch: Batch) throws {}
}

@inline(__always) func b2i(_ c: Bool) -> Int { Int(truncatingIfNeeded: unsafeBitCast(c, to: UInt8.self)) }
@inline(__always) func b2u(_ c: Bool) -> UInt8 { unsafeBitCast(c, to: UInt8.self) }
