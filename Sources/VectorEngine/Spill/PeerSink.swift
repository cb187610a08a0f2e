import ColumnVectors
import SQLTypes

/// The end of an ordered pipeline whose rows go to the temporary area in chunks that end where the keys change: rows
/// with equal keys are in one chunk. One worker only.
final class PeerSink: Step {
    private let registers: [Register]
    private let keys: [Register]
    private let writer: SpillWriter
    private var last: UInt64?

    /// - Parameter keys: none lets chunks end anywhere.
    init(_ registers: [Register], keys: [Register], writer: SpillWriter) {
        self.registers = registers
        self.keys = keys
        self.writer = writer
        writer.endsChunks = keys.isEmpty
        super.init(inputs: registers.map(\.index) + keys.map(\.index), outputs: [])
    }

    override func run(_ batch: Batch) throws {
        let count = batch.count, hashes = batch.hashes
        if keys.isEmpty {
            return try writer.append(batch, registers, partition: 0, selection: nil, count: count)
        }
        // Different hashes mean different keys; equal ones of different keys only put the end off.
        for i in 0..<count { hashes[i] = 0 }
        for key in keys { addPartitionHash(batch, key, hashes) }
        var first = 0
        for i in 0..<count {
            let isBorder = (i == 0 ? last : hashes[i - 1]).map { $0 != hashes[i] } ?? false
            guard isBorder, i - first >= 256 || writer.isFull(worker: batch.worker) else { continue }
            try append(batch, first..<i)
            first = i
            if writer.isFull(worker: batch.worker) { try writer.endChunk(worker: batch.worker) }
        }
        last = hashes[count - 1]
        try append(batch, first..<count)
    }

    private func append(_ batch: Batch, _ rows: Range<Int>) throws {
        let positions = batch.positions
        for (place, row) in rows.enumerated() { positions[place] = UInt16(truncatingIfNeeded: row) }
        try writer.append(
            batch, registers, partition: 0, selection: UnsafePointer(positions), count: rows.count)
    }
}

/// Remembers the values of the last row that passes. One worker only.
final class LastRow: Step {
    private let registers: [Register]
    private(set) var values: [Datum]?

    init(_ registers: [Register]) {
        self.registers = registers
        super.init(inputs: registers.map(\.index), outputs: [])
    }

    override func run(_ batch: Batch) throws {
        values = registers.map { register in
            let slot = batch.slots[register.index]
            return RowSet.Column(form: register, values: slot.data, validity: slot.validity).datum(row: batch.count - 1)
        }
    }
}
