import Glibc
import Platform
import SQLTypes

/// An object of S3 that is being read. It is fetched in blocks, which several readers share; while it is read from
/// front to back the next blocks are on their way. Safe from any thread.
final class S3LoadInput: LoadInput {
    fileprivate final class Block {
        enum Progress {
            case fetching, ready
            case failed(any Error)
        }
        let region: Region
        var progress = Progress.fetching
        var count = 0
        /// Readers that are copying from it or wait for it.
        var users = 0
        var lastUse = 0
        init(_ region: Region) { self.region = region }
        deinit { MemoryRegions.shared.give(back: region) }
    }
    private struct State {
        var blocks: [Int64: Block] = [:]
        var latest: Int64 = -1
        var clock = 0
        /// Of the object when its first block came.
        var tag: String?
    }
    private let client: S3Client
    private let location: S3Location
    private let sizeBytes: Int64
    private let blockBytes: Int
    private let monitor = Monitor()
    // Under `monitor`, but for the bytes of a block that is being fetched.
    private nonisolated(unsafe) var state = State()
    /// Blocks that stay after they were read: those of readers that are a little behind.
    private static let behind = 2

    init(_ client: S3Client, _ location: S3Location, sizeBytes: Int64) {
        self.client = client
        self.location = location
        self.sizeBytes = sizeBytes
        blockBytes = client.configuration.blockBytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let start = buffer.baseAddress, offset >= 0 else { return 0 }
        var done = 0
        while done < buffer.count {
            let place = offset + Int64(done)
            if place >= sizeBytes { break }
            let index = place / Int64(blockBytes)
            let block = try acquire(index)
            defer { release(block) }
            let within = Int(place - index * Int64(blockBytes))
            let count = min(block.count - within, buffer.count - done)
            if count <= 0 { break }
            memcpy(start + done, block.region.address + within, count)
            done += count
        }
        return done
    }

    private func release(_ block: Block) { monitor.withLock { block.users -= 1 } }

    /// A block that is there; it stays until it is released.
    private func acquire(_ index: Int64) throws -> Block {
        let (block, isMine) = try monitor.withLock { () throws -> (Block, Bool) in
            state.clock += 1
            let known = state.blocks[index]
            let block = try known ?? addBlock(index)
            block.users += 1
            block.lastUse = state.clock
            if index == state.latest || index == state.latest + 1 { fetchAhead(of: index) }
            state.latest = index
            return (block, known == nil)
        }
        if isMine { fetch(block, index) }
        return try monitor.withLock {
            while case .fetching = block.progress {
                _ = monitor.wait(atMostNanoseconds: 50_000_000)
                if let reason = client.cancellation.reason {
                    block.users -= 1
                    throw StatementCancelled(reason: reason)
                }
            }
            if case .failed(let error) = block.progress {
                block.users -= 1
                state.blocks[index] = nil
                throw error
            }
            return block
        }
    }

    /// Under the monitor. What was read or asked for longest ago makes way.
    private func addBlock(_ index: Int64) throws -> Block {
        let most = client.configuration.blocksAhead + S3LoadInput.behind
        while state.blocks.count >= most {
            let unused = state.blocks.filter { $0.value.users == 0 && !$0.value.isFetching }
            guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { break }
            state.blocks[oldest.key] = nil
        }
        let block = Block(try MemoryRegions.shared.take(bytes: blockBytes))
        block.lastUse = state.clock
        state.blocks[index] = block
        return block
    }

    /// Under the monitor.
    private func fetchAhead(of index: Int64) {
        for next in index + 1...index + Int64(max(client.configuration.blocksAhead, 1)) {
            if next * Int64(blockBytes) >= sizeBytes || state.blocks[next] != nil { continue }
            // Only what there is room for: who needs it fetches it himself.
            do {
                let block = try addBlock(next)
                nonisolated(unsafe) let fetched = block
                if !client.service.fetchers.add({ [self] in fetch(fetched, next) }) { state.blocks[next] = nil }
            } catch { return }
        }
    }

    private func fetch(_ block: Block, _ index: Int64) {
        let offset = index * Int64(blockBytes)
        let wanted = Int(min(Int64(blockBytes), sizeBytes - offset))
        let tag = monitor.withLock { state.tag }
        let result = Result {
            try client.read(
                location, into: UnsafeMutableRawBufferPointer(start: block.region.address, count: wanted), at: offset,
                tag: tag)
        }
        monitor.withLock {
            switch result {
            case .success(let answer) where answer.count < wanted:
                block.progress = .failed(
                    SQLError(.ioError, "file \"\(location.url)\" became shorter while it was loaded"))
            case .success(let answer):
                block.count = answer.count
                block.progress = .ready
                if state.tag == nil { state.tag = answer.tag }
            case .failure(let error): block.progress = .failed(error)
            }
            monitor.wakeAll()
        }
    }
}

extension S3LoadInput.Block {
    fileprivate var isFetching: Bool {
        if case .fetching = progress { return true }
        return false
    }
}
