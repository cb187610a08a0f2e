import SQLTypes
import Synchronization

/// Where a pipeline's rows come from, in morsels that any worker may take. Subclasses: table scan, materialised rows,
/// values.
class PipelineSource {
    /// Most rows that can come out.
    var rowCount: Int { 0 }
    /// Morsels, each with the slice it belongs to, in the order they are handed out.
    var morselCount: Int { 0 }
    /// What a table scan will read; nil for other sources. Once prepared.
    var scanFigures: ExecutionProfile.ScanFigures? { nil }
    /// Pipelines that run within this source.
    var innerPipelines: [Pipeline] { [] }
    /// Set on completion: every step accepts masked batches.
    var mayMask = false
    /// Set by a step that needs no more rows: morsels that have not begun are left out.
    final let stopRequested = Atomic<Bool>(false)

    func slice(ofMorsel morsel: Int) -> Int { 0 }
    /// Before the first morsel, on the query's thread.
    func prepare() throws {}
    /// Runs `body` for every batch of the morsel. `body` may be called with any number of rows above 0.
    func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {}
}
