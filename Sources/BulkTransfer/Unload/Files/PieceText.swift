import ColumnVectors
import SQLTypes

/// The text of some rows, made aside from the file that they go to, so that several workers can make that of one
/// stream. One thread at a time.
final class PieceText: @unchecked Sendable {  // of one worker, or of who has waited for the workers
    private final class Target: ByteTarget {
        let buffer = TextBuffer(capacity: 64 << 10)

        func write(_ bytes: UnsafeRawBufferPointer) throws {
            guard let start = bytes.baseAddress else { return }
            buffer.append(start.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
    }
    private let target = Target()
    private let writer: any RecordWriter

    init(_ settings: UnloadSettings) throws {
        writer = try settings.format.makeWriter(settings.columns, to: target)
    }

    var bytes: UnsafeBufferPointer<UInt8> { target.buffer.bytes }

    func make(_ batch: ColumnBatch) throws {
        target.buffer.removeAll()
        try writer.write(batch, rows: 0..<batch.rowCount)
    }
}
