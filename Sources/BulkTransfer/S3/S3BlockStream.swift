import Glibc
import Platform

/// One answer of the server that fills an object's blocks from some place to its end, as fast as they are read.
/// Confined to its thread.
final class S3BlockStream: HTTPBodySink {
    private let blocks: S3Blocks
    private let first: Int64
    private var index: Int64
    private var block: S3Blocks.Block?
    private var filled = 0
    /// Readers did not come for the next block: not the server's fault.
    private var isStopped = false

    init(_ blocks: S3Blocks, first: Int64) {
        self.blocks = blocks
        self.first = first
        index = first
    }

    /// The block that the answer did not fill to its end.
    var unfinished: (block: S3Blocks.Block, index: Int64)? { block.map { ($0, index) } }

    /// False when the answer broke off by itself, or was an error.
    func run(tag: String?) -> Bool {
        let start = first * Int64(blocks.blockBytes)
        do {
            try blocks.client.stream(blocks.location, from: start, to: blocks.sizeBytes - 1, tag: tag, into: self)
            return block == nil
        } catch {
            // Whoever needs the block asks for it again and hears the reason.
            return isStopped
        }
    }

    func take(_ bytes: UnsafeRawBufferPointer, status: Int) -> Bool {
        // The whole object in place of its end would be the wrong bytes.
        guard status == 206, let start = bytes.baseAddress else { return false }
        var done = 0
        while done < bytes.count {
            if index * Int64(blocks.blockBytes) >= blocks.sizeBytes { return false }
            guard let block = block ?? blocks.nextBlock(index) else {
                isStopped = true
                return false
            }
            self.block = block
            let size = blocks.size(of: index)
            let some = min(size - filled, bytes.count - done)
            memcpy(block.region.address + filled, start + done, some)
            filled += some
            done += some
            if filled == size {
                blocks.finish(block, filled, index)
                self.block = nil
                filled = 0
                index += 1
            }
        }
        return true
    }
}
