import ColumnVectors
import QueryPlan
import SQLTypes

/// Reads materialised rows, in morsels of a row group's size. Columns are handed out in place.
final class RowSetSource: PipelineSource {
    let rows: RowSet
    private static let morselRows = 32_768

    init(_ rows: RowSet) { self.rows = rows }

    override var rowCount: Int { rows.count }
    override var morselCount: Int { (rows.count + RowSetSource.morselRows - 1) / RowSetSource.morselRows }

    override func run(morsel: Int, batch: Batch, _ body: (Batch) throws -> Void) throws {
        let start = morsel * RowSetSource.morselRows
        let end = min(start + RowSetSource.morselRows, rows.count)
        var at = start
        while at < end {
            batch.arena.removeAll()
            batch.count = min(batch.capacity, end - at)
            batch.identity = true
            batch.masked = false
            batch.window = at
            try body(batch)
            at += batch.capacity
        }
    }

    /// Makes the columns available to the pipeline, fetched on first use.
    func bind(_ columns: [ColumnID], in pipeline: Pipeline) {
        for (index, id) in columns.enumerated() {
            let column = rows.columns[index]
            pipeline.bind(
                id,
                .fetch { pipeline in
                    let register = pipeline.makeRegister(like: column.form, nullable: column.hasNulls)
                    pipeline.emit(RowSetFetch(column, register))
                    return register
                })
        }
    }
}

/// Hands out a materialised column in place, or gathers the surviving rows.
final class RowSetFetch: Step {
    private let column: RowSet.Column
    private let output: Register
    override var acceptsMask: Bool { true }
    override var leavesNullsOpen: Bool { true }

    init(_ column: RowSet.Column, _ output: Register) {
        self.column = column
        self.output = output
        super.init(inputs: [], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
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

/// to[i] = from[positions[i]] for values of a width of 1, 2, 4, 8 or 16 bytes.
func gatherRows(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ positions: UnsafePointer<UInt16>,
    _ count: Int
) {
    @inline(__always) func move<Value>(_: Value.Type) {
        let source = from.assumingMemoryBound(to: Value.self)
        let target = to.assumingMemoryBound(to: Value.self)
        for i in 0..<count { target[i] = source[Int(positions[i])] }
    }
    switch width {
    case 1: move(UInt8.self)
    case 2: move(UInt16.self)
    case 4: move(UInt32.self)
    case 8: move(UInt64.self)
    default: move(SIMD2<UInt64>.self)
    }
}
