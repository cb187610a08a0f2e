import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// Finished pages, one behind the other, until they go to the file: blocks that grow with their number, so that a
/// column of few rows takes little, and that the next row group uses again. Confined to one thread at a time.
final class ParquetPageChain {
    private struct Block {
        let region: Region
        var count = 0
        var room: Int { region.capacity - count }
    }
    private var blocks: [Block] = []
    private(set) var byteCount = 0
    private static let firstBytes = 8 << 10
    private static let largestBytes = 256 << 10

    deinit { removeAll() }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard let start = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            if blocks.last?.room ?? 0 == 0 { try addBlock() }
            let last = blocks.count - 1
            let some = min(blocks[last].room, bytes.count - done)
            memcpy(blocks[last].region.address + blocks[last].count, start + done, some)
            blocks[last].count += some
            done += some
        }
        byteCount += bytes.count
    }

    private func addBlock() throws {
        let next = (blocks.last?.region.capacity ?? ParquetPageChain.firstBytes / 2) * 2
        blocks.append(
            Block(region: try MemoryRegions.shared.take(bytes: min(next, ParquetPageChain.largestBytes))))
    }

    func append(_ other: ParquetPageChain) throws {
        for block in other.blocks {
            try append(UnsafeRawBufferPointer(start: block.region.address, count: block.count))
        }
    }

    func write(to target: any ByteTarget) throws {
        for block in blocks {
            try target.write(UnsafeRawBufferPointer(start: block.region.address, count: block.count))
        }
    }

    func removeAll() {
        for block in blocks { MemoryRegions.shared.give(back: block.region) }
        blocks = []
        byteCount = 0
    }
}
