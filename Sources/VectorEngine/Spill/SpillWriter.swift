import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// Writes rows to the temporary area, by partition. Every worker fills buffers of its own for each partition and
/// writes one as a chunk when it is large enough.
final class SpillWriter: @unchecked Sendable {  // states belong to one worker each
    private(set) var forms: [Register]
    let partitions: Int
    private let context: ExecutionContext
    private let file: SpillFile
    private let flushBytes: Int
    private let states: [State]
    private let chunks: Lock<[[SpillChunk]]>
    private var reserved = 0
    private var covered: [Bool]
    /// False: chunks end only where ``endChunk(worker:)`` says.
    var endsChunks = true

    /// One worker's buffers.
    private final class State {
        struct Part {
            var buffers: [ColumnBuffer] = []
            var rows = 0
            var bytes = 0
        }
        var parts: [Part]
        let assembly: SpillMemory
        init(_ partitions: Int, _ context: ExecutionContext) {
            parts = Array(repeating: Part(), count: partitions)
            assembly = SpillMemory(context)
        }
    }

    init(_ forms: [Register], partitions: Int, context: ExecutionContext) throws {
        guard let area = context.temporary else { throw SQLError(.internalError, "no temporary area") }
        self.forms = forms
        covered = Array(repeating: false, count: forms.count)
        self.partitions = partitions
        self.context = context
        file = try area.makeFile()
        let workers = context.pool.workers
        let memory = min(area.memoryBytes, context.grant.evenShare)
        // Blocks of a join are cut between chunks: several chunks make one.
        let share = partitions == 1 ? memory / 64 : memory / 16 / partitions
        flushBytes = min(max(share / workers, 16 << 10), partitions == 1 ? 1 << 20 : 256 << 10)
        states = (0..<workers).map { _ in State(partitions, context) }
        chunks = Lock(Array(repeating: [], count: partitions))
        reserved = flushBytes * partitions * workers
        context.grant.reserveFixed(reserved)
    }
    deinit { context.grant.releaseFixed(reserved) }

    /// Appends rows `selection[0 ..< count]` of a batch, or its first `count` rows.
    func append(
        _ batch: Batch, _ registers: [Register], partition: Int, selection: UnsafePointer<UInt16>?, count: Int
    ) throws {
        if count == 0 { return }
        let state = states[batch.worker]
        if state.parts[partition].buffers.isEmpty {
            state.parts[partition].buffers = forms.map { ColumnBuffer($0.physical) }
        }
        // Rows without columns count too, or their chunk would never end.
        var bytes = count
        for (buffer, register) in zip(state.parts[partition].buffers, registers) {
            if register.constant == .null {
                try buffer.append(.null, repeated: count)
            } else {
                let slot = batch.slots[register.index]
                try buffer.append(
                    values: UnsafeRawPointer(slot.data), as: register.physical,
                    validity: slot.validity.map { UnsafePointer($0) }, selection: selection, count: count)
            }
            bytes += count * buffer.physical.byteWidth
            if buffer.physical == .string { bytes += SpillChunk.textBytes(buffer, from: buffer.count - count) }
        }
        state.parts[partition].rows += count
        state.parts[partition].bytes += bytes
        if endsChunks && state.parts[partition].bytes >= flushBytes { try flush(state, partition) }
    }

    /// The worker has enough rows of the only partition for a chunk.
    func isFull(worker: Int) -> Bool { states[worker].parts[0].bytes >= flushBytes }
    func endChunk(worker: Int) throws { try flush(states[worker], 0) }

    /// Tells readers the bounds of further rows, for forms that were made before the rows were known.
    func cover(_ registers: [Register]) {
        for (index, register) in registers.enumerated() where register.constant != .null {
            let form = forms[index], known = covered[index]
            covered[index] = true
            forms[index] = Register(
                index: form.index, physical: form.physical, type: form.type,
                lower: known ? min(form.lower, register.lower) : register.lower,
                upper: known ? max(form.upper, register.upper) : register.upper, nullable: true, dictionary: nil,
                trailingBlanks: known && form.trailingBlanks || register.trailingBlanks, constant: nil)
        }
    }

    /// All rows by partition; once, after all pipelines that write have run.
    func finish() throws -> [SpilledRows] {
        for state in states {
            for partition in 0..<partitions { try flush(state, partition) }
        }
        context.grant.releaseFixed(reserved)
        reserved = 0
        let all = chunks.withLock { $0 }
        for index in forms.indices where forms[index].nullable {
            let hasNulls = all.contains { $0.contains { $0.columns[index].validity != nil } }
            if !hasNulls { forms[index] = forms[index].withoutNulls }
        }
        return all.map { SpilledRows(forms: forms, chunks: $0, file: file) }
    }

    // MARK: Chunks

    private func flush(_ state: State, _ partition: Int) throws {
        let part = state.parts[partition]
        if part.rows == 0 { return }
        try context.cancellation.check()
        try state.assembly.make(room: SpillChunk.room(for: part.buffers, rows: part.rows))
        let target = state.assembly.address
        var chunk = SpillChunk(part.buffers, rows: part.rows, at: target)
        try chunk.write(target, to: file)
        context.share?.meter.add(temporaryBytes: chunk.bytes)
        for buffer in part.buffers { buffer.removeAll() }
        state.parts[partition].rows = 0
        state.parts[partition].bytes = 0
        chunks.withLock { $0[partition].append(chunk) }
    }
}

extension Register {
    fileprivate var withoutNulls: Register {
        Register(
            index: index, physical: physical, type: type, lower: lower, upper: upper, nullable: false,
            dictionary: dictionary, trailingBlanks: trailingBlanks, constant: constant)
    }
}
