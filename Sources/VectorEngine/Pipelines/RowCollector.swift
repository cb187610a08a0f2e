import ColumnVectors
import SQLTypes

/// A sink that keeps registers of all rows, per worker; ``rows()`` joins them afterwards. Strings are copied, so block memory
/// can go as soon as the batch is done.
final class RowCollector: Step {
    let forms: [Register]
    private let context: ExecutionContext
    private var states: [State] = []

    /// One worker's rows.
    private final class State {
        let buffers: [ColumnBuffer]
        var reserved = 0
        /// Rows are counted even when there is no column to keep.
        var count = 0
        init(_ forms: [Register]) { buffers = forms.map { ColumnBuffer($0.physical) } }
    }

    init(_ forms: [Register], context: ExecutionContext) {
        self.forms = forms
        self.context = context
        super.init(inputs: forms.map(\.index), outputs: [])
    }

    override func prepare(workers: Int) throws { states = (0..<workers).map { _ in State(forms) } }

    override func run(_ batch: Batch) throws {
        let state = states[batch.worker]
        state.count += batch.count
        var bytes = 0
        for (buffer, form) in zip(state.buffers, forms) {
            let slot = batch.slots[form.index]
            try buffer.append(
                values: UnsafeRawPointer(slot.data), validity: slot.validity.map { UnsafePointer($0) }, selection: nil,
                count: batch.count)
            bytes += buffer.reservedBytes
        }
        if bytes > state.reserved {
            try context.reserve(bytes - state.reserved)
            state.reserved = bytes
        }
    }

    /// All workers' rows; once, after the pipeline has run.
    func rows() throws -> RowSet {
        if forms.isEmpty { return RowSet(columns: [], count: rowCount, owners: []) }
        return try RowSet.joining(states.map(\.buffers), forms: forms)
    }
    var rowCount: Int { states.reduce(0) { $0 + $1.count } }
}
