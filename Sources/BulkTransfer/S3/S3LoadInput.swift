import Glibc
import Platform

/// An object of S3 that is being read. Safe from any thread.
final class S3LoadInput: LoadInput {
    private let blocks: S3Blocks

    init(_ client: S3Client, _ location: S3Location, sizeBytes: Int64) {
        blocks = S3Blocks(client, location, sizeBytes: sizeBytes)
    }
    deinit { blocks.leave() }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let start = buffer.baseAddress, offset >= 0 else { return 0 }
        var done = 0
        while done < buffer.count {
            let place = offset + Int64(done)
            if place >= blocks.sizeBytes { break }
            let index = place / Int64(blocks.blockBytes)
            let block = try blocks.acquire(index)
            defer { blocks.release(block) }
            let within = Int(place - index * Int64(blocks.blockBytes))
            let count = min(block.count - within, buffer.count - done)
            if count <= 0 { break }
            memcpy(start + done, block.region.address + within, count)
            done += count
        }
        return done
    }
}
