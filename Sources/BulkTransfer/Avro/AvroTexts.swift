import ColumnVectors
import Platform
import SQLTypes

/// Texts that are made while a block is decoded; they stay until the next one. Confined to its worker.
final class AvroTexts {
    private let arena = StringArena()
    private let nested = TextBuffer()
    private var failure: (any Error)?

    func removeAll() { arena.removeAll() }

    func keep(_ bytes: [UInt8]) -> TypedValue {
        bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { keep($0, buffer.count) } ?? .text(nested.base, 0)
        }
    }

    private func keep(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> TypedValue {
        // Readers of strings look at a few bytes more.
        do {
            let copy = try arena.allocate(count + 16)
            copy.update(from: bytes, count: count)
            return .text(copy, count)
        } catch {
            failure = error
            return .null
        }
    }

    /// Memory that could not be had.
    func check() throws { if let failure { throw failure } }

    func beginNested() -> TextBuffer {
        nested.truncate(to: 0)
        return nested
    }
    func endNested() -> TypedValue { keep(nested.base, nested.count) }
}
