import ColumnVectors
import Platform
import SQLTypes

/// A sink that keeps registers of all rows, per worker; ``rows()`` joins them afterwards. Strings are copied, so
/// block memory can go as soon as the batch is done.
final class RowCollector: Step {
    let forms: [Register]
    private let context: ExecutionContext
    private var states: [State] = []

    /// One worker's rows.
    private final class State {
        let buffers: [ColumnBuffer]
        let reservation: Reservation
        /// Rows are counted even when there is no column to keep.
        var count = 0
        init(_ forms: [Register], _ context: ExecutionContext) {
            buffers = forms.map { ColumnBuffer($0.physical) }
            reservation = Reservation(context)
        }
    }

    init(_ forms: [Register], context: ExecutionContext) {
        self.forms = forms
        self.context = context
        super.init(inputs: forms.map(\.index), outputs: [])
    }

    override func prepare(workers: Int) throws { states = (0..<workers).map { _ in State(forms, context) } }

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
        try state.reservation.raise(to: bytes)
    }

    /// All workers' rows; once, after the pipeline has run.
    func rows() throws -> RowSet {
        if forms.isEmpty { return RowSet(columns: [], count: rowCount, owners: []) }
        let filled = states.filter { $0.count > 0 }
        if filled.count <= 1 {
            return try RowSet.joining(
                states.map(\.buffers), forms: forms, accounted: filled.map(\.reservation))
        }
        // Columns are joined by copying; until the parts go, both count.
        let joined = Reservation(context)
        let width = forms.reduce(0) { $0 + $1.physical.byteWidth }
        try joined.raise(to: rowCount * width)
        let parts = states.map(\.buffers)
        let reservations = forms.contains { $0.physical == .string } ? filled.map(\.reservation) : []
        joinedCount = rowCount
        states = []
        return try RowSet.joining(parts, forms: forms, accounted: reservations + [joined])
    }
    private var joinedCount = 0
    var rowCount: Int { states.isEmpty ? joinedCount : states.reduce(0) { $0 + $1.count } }
}

/// Bytes of the query's memory for buffers that do not account for themselves; given back with the last owner.
final class Reservation {
    private let context: ExecutionContext
    private var bytes = 0

    init(_ context: ExecutionContext) { self.context = context }
    deinit { context.grant.release(bytes) }

    func raise(to total: Int) throws {
        if total <= bytes { return }
        try context.reserve(total - bytes)
        bytes = total
    }
    func raise(by more: Int) throws { try raise(to: bytes + more) }
}
