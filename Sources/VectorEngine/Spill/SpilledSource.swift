import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Reads rows of the temporary area: one morsel for each chunk, one chunk in memory for each worker.
final class SpilledSource: PipelineSource {
    let rows: SpilledRows
    private let context: ExecutionContext
    private var readers: [Reader] = []

    init(_ rows: SpilledRows, context: ExecutionContext) {
        self.rows = rows
        self.context = context
    }

    override var rowCount: Int { rows.count }
    override var morselCount: Int { rows.chunks.count }

    override func prepare() throws { readers = (0..<context.pool.workers).map { _ in Reader(context) } }

    override func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {
        let chunk = rows.chunks[morsel]
        try readers[batch.worker].load(chunk, of: rows)
        var at = 0
        while at < chunk.rows {
            batch.arena.removeAll()
            batch.count = min(batch.capacity, chunk.rows - at)
            batch.identity = true
            batch.masked = false
            batch.window = at
            try body(batch)
            at += batch.capacity
        }
    }

    /// Makes columns available to the pipeline, fetched on first use.
    func bind(_ columns: [(id: ColumnID, place: Int)], in pipeline: Pipeline) {
        for (id, place) in columns { pipeline.bind(id, .fetch { self.fetch(place, in: $0) }) }
    }
    func fetch(_ place: Int, in pipeline: Pipeline) -> Register {
        let register = pipeline.makeRegister(like: rows.forms[place])
        pipeline.emit(SpilledFetch(self, place, register))
        return register
    }

    fileprivate func column(_ place: Int, worker: Int) -> Reader.Column { readers[worker].columns[place] }

    /// One worker's chunk.
    final class Reader {
        struct Column {
            var values: UnsafeMutableRawPointer
            var validity: UnsafeMutablePointer<UInt8>?
        }
        private let memory: SpillMemory
        private(set) var columns: [Column] = []

        init(_ context: ExecutionContext) { memory = SpillMemory(context) }

        func load(_ chunk: SpillChunk, of rows: SpilledRows) throws {
            try memory.make(room: chunk.bytes + 64)
            let base = memory.address
            try chunk.read(from: rows.file, to: base, forms: rows.forms.map(\.physical))
            columns = chunk.columns.map { column in
                Column(
                    values: base + column.values,
                    validity: column.validity.map { (base + $0).assumingMemoryBound(to: UInt8.self) })
            }
        }
    }
}

/// Hands out a column of the worker's chunk in place, or gathers the surviving rows.
final class SpilledFetch: Step {
    private let source: SpilledSource
    private let place: Int
    private let output: Register
    override var acceptsMask: Bool { true }

    init(_ source: SpilledSource, _ place: Int, _ output: Register) {
        self.source = source
        self.place = place
        self.output = output
        super.init(inputs: [], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        let column = source.column(place, worker: batch.worker)
        let width = output.physical.byteWidth
        let slot = batch.slots + output.index
        let from = column.values + batch.window * width
        if batch.identity {
            slot.pointee.data = from
            slot.pointee.validity = column.validity.map { $0 + batch.window }
            return
        }
        slot.pointee.data = slot.pointee.ownData
        gatherRows(from, slot.pointee.ownData, width, batch.selection, batch.count)
        slot.pointee.validity = nil
        if let validity = column.validity {
            gatherRows(validity + batch.window, batch.outputValidity(output.index), 1, batch.selection, batch.count)
        }
    }
}
