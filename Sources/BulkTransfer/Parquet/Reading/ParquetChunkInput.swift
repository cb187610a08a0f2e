import Glibc
import Platform
import SQLTypes

/// The bytes of one column chunk in order, read a window at a time. Confined to its worker.
final class ParquetChunkInput {
    private let input: any LoadInput
    private let memory: ParquetPageMemory
    private var region: Region?
    /// The part of the region that has been read and not taken.
    private var start = 0
    private var end = 0
    /// Where the next read begins in the file, and what is left there.
    private var offset: Int
    private var unread: Int

    init(_ input: any LoadInput, _ memory: ParquetPageMemory, start: Int, length: Int) {
        self.input = input
        self.memory = memory
        offset = start
        unread = length
    }
    deinit { if let region { memory.release(region) } }

    /// Bytes of the chunk that have not been taken.
    var left: Int { unread + end - start }

    /// At least `count` bytes, or all that are left of the chunk. Valid until the next call.
    func window(_ count: Int) throws -> UnsafeRawBufferPointer {
        if end - start < count && unread > 0 { try fill(min(count, left)) }
        guard let region else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: region.address + start, count: end - start)
    }

    /// Takes bytes of the last window.
    func skip(_ count: Int) { start += min(count, end - start) }

    private func fill(_ wanted: Int) throws {
        let held = end - start
        let size = max(wanted, min(ParquetLimits.windowBytes, left))
        if let region, region.capacity >= size {
            memmove(region.address, region.address + start, held)
        } else {
            let fresh = try memory.take(size)
            if let region {
                memcpy(fresh.address, region.address + start, held)
                memory.release(region)
            }
            region = fresh
        }
        start = 0
        end = held
        guard let region else { return }
        let more = min(region.capacity - held, unread, size - held)
        let target = UnsafeMutableRawBufferPointer(start: region.address + held, count: more)
        guard try input.read(into: target, at: Int64(offset)) == more else {
            throw ParquetDamage("the file became shorter while it was loaded")
        }
        end += more
        offset += more
        unread -= more
    }
}
