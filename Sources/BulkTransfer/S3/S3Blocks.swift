import Glibc
import Platform
import SQLTypes

/// The blocks of an object that is being read, shared by its readers. While it is read from front to back one answer of
/// the server fills the blocks ahead, one after the other (``S3BlockStream``): many small requests cost the server more
/// than one large one. A block that no answer brings is asked for by who needs it. Safe from any thread.
final class S3Blocks: Sendable {
    final class Block {
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

        fileprivate var isFetching: Bool {
            if case .fetching = progress { return true }
            return false
        }
    }
    private struct State {
        var blocks: [Int64: Block] = [:]
        var latest: Int64 = -1
        var clock = 0
        /// Of the object when its first block came.
        var tag: String?
        var hasFirst = false
        /// An answer fills blocks, or will when a thread is free for it.
        var isStreaming = false
        /// The block that it fills or will fill next.
        var streamed: Int64?
        /// Blocks that readers wait for until an answer begins them, and how many do.
        var awaited: [Int64: Int] = [:]
        /// An answer broke: blocks ahead are asked for one by one.
        var asksForBlocks = false
        /// Nobody reads any more.
        var isLeft = false
    }
    let client: S3Client
    let location: S3Location
    let sizeBytes: Int64
    let blockBytes: Int
    private let monitor = Monitor()
    // Under `monitor`, but for the bytes of a block that is being fetched.
    private nonisolated(unsafe) var state = State()
    /// Blocks that stay after they were read: those of readers that are a little behind.
    private static let behind = 2
    /// So long an answer waits for its readers.
    private static let patienceNanoseconds: Int64 = 5_000_000_000
    private static let lookNanoseconds: Int64 = 50_000_000
    private var mostBlocks: Int { client.configuration.blocksAhead + S3Blocks.behind }

    init(_ client: S3Client, _ location: S3Location, sizeBytes: Int64) {
        self.client = client
        self.location = location
        self.sizeBytes = sizeBytes
        blockBytes = client.configuration.blockBytes
        state.asksForBlocks = !client.configuration.streamsBlocks
    }

    /// Bytes of a block.
    func size(of index: Int64) -> Int { Int(min(Int64(blockBytes), sizeBytes - index * Int64(blockBytes))) }

    func leave() {
        monitor.withLock {
            state.isLeft = true
            monitor.wakeAll()
        }
    }

    func release(_ block: Block) { monitor.withLock { block.users -= 1 } }

    // MARK: Readers

    /// A block that is there; it stays until it is released.
    func acquire(_ index: Int64) throws -> Block {
        let (block, isMine) = try monitor.withLock { () throws -> (Block, Bool) in
            let isInOrder = index == state.latest || index == state.latest + 1
            if index != state.latest {
                state.latest = index
                if state.isStreaming { monitor.wakeAll() }
            }
            try awaitStream(index)
            let known = state.blocks[index]
            let block = try known ?? addBlock(index)
            block.users += 1
            state.clock += 1
            block.lastUse = state.clock
            if isInOrder { readAhead(of: index) }
            return (block, known == nil)
        }
        if isMine { fetch(block, index) }
        return try monitor.withLock {
            while block.isFetching {
                do { try waitALittle() } catch {
                    block.users -= 1
                    throw error
                }
            }
            if case .failed(let error) = block.progress {
                block.users -= 1
                if state.blocks[index] === block { state.blocks[index] = nil }
                throw error
            }
            return block
        }
    }

    /// Under the monitor.
    private func waitALittle() throws {
        _ = monitor.wait(atMostNanoseconds: S3Blocks.lookNanoseconds)
        if let reason = client.cancellation.reason { throw StatementCancelled(reason: reason) }
    }

    /// Under the monitor: an answer that comes to the block soon is better than a request of its own.
    private func awaitStream(_ index: Int64) throws {
        func isOnItsWay() -> Bool {
            guard state.blocks[index] == nil, let streamed = state.streamed else { return false }
            return streamed <= index && index <= streamed + Int64(client.configuration.blocksAhead)
        }
        if !isOnItsWay() { return }
        state.awaited[index, default: 0] += 1
        defer {
            let others = (state.awaited[index] ?? 1) - 1
            state.awaited[index] = others > 0 ? others : nil
        }
        monitor.wakeAll()
        while isOnItsWay() { try waitALittle() }
    }

    /// Under the monitor: readers are near the block, or wait for it or one behind it.
    private func isWanted(_ index: Int64) -> Bool {
        index <= state.latest + Int64(client.configuration.blocksAhead) || state.awaited.keys.contains { $0 >= index }
    }

    /// Under the monitor. What was read or asked for longest ago makes way.
    private func addBlock(_ index: Int64) throws -> Block {
        while state.blocks.count >= mostBlocks, dropOldest() {}
        let block = Block(try MemoryRegions.shared.take(bytes: blockBytes))
        block.lastUse = state.clock
        state.blocks[index] = block
        return block
    }

    /// Under the monitor; false when all are in use.
    private func dropOldest() -> Bool {
        let unused = state.blocks.filter { $0.value.users == 0 && !$0.value.isFetching }
        guard let oldest = unused.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
        state.blocks[oldest.key] = nil
        return true
    }

    // MARK: Ahead of readers

    /// Under the monitor.
    private func readAhead(of index: Int64) {
        if !state.asksForBlocks { return beginStream(after: index) }
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

    /// Under the monitor.
    private func beginStream(after index: Int64) {
        let next = index + 1
        // Until something has come nobody knows which version of the object the answer must be of.
        if state.isStreaming || !state.hasFirst { return }
        if next * Int64(blockBytes) >= sizeBytes || state.blocks[next] != nil { return }
        state.isStreaming = client.service.fetchers.add { [self] in stream() }
    }

    /// On a thread of its own, from the first block that is missing behind the readers.
    private func stream() {
        let first = monitor.withLock { () -> Int64? in
            var next = state.latest + 1
            while state.blocks[next] != nil { next += 1 }
            if state.isLeft || next * Int64(blockBytes) >= sizeBytes { return nil }
            state.streamed = next
            return next
        }
        if let first {
            let stream = S3BlockStream(self, first: first)
            let isWhole = stream.run(tag: monitor.withLock { state.tag })
            // Its own attempts and its own error.
            if let (block, index) = stream.unfinished { fetch(block, index) }
            if !isWhole { monitor.withLock { state.asksForBlocks = true } }
        }
        monitor.withLock {
            state.isStreaming = false
            state.streamed = nil
            monitor.wakeAll()
        }
    }

    /// The block that a stream is to fill next; nil when it is to end.
    func nextBlock(_ index: Int64) -> Block? {
        monitor.withLock {
            state.streamed = index
            let end = Stopwatch.nanoseconds + S3Blocks.patienceNanoseconds
            while !state.isLeft, client.cancellation.reason == nil, state.blocks[index] == nil {
                if isWanted(index), state.blocks.count < mostBlocks || dropOldest() {
                    do { return try addBlock(index) } catch { return nil }
                }
                if Stopwatch.nanoseconds > end { return nil }
                _ = monitor.wait(atMostNanoseconds: S3Blocks.lookNanoseconds)
            }
            return nil
        }
    }

    /// A stream has filled a block.
    func finish(_ block: Block, _ count: Int, _ index: Int64) {
        monitor.withLock {
            block.count = count
            block.progress = .ready
            state.streamed = index + 1
            monitor.wakeAll()
        }
    }

    private func fetch(_ block: Block, _ index: Int64) {
        let wanted = size(of: index)
        let tag = monitor.withLock { state.tag }
        let result = Result {
            try client.read(
                location, into: UnsafeMutableRawBufferPointer(start: block.region.address, count: wanted),
                at: index * Int64(blockBytes), tag: tag)
        }
        monitor.withLock {
            switch result {
            case .success(let answer) where answer.count < wanted:
                block.progress = .failed(
                    SQLError(.ioError, "file \"\(location.url)\" became shorter while it was loaded"))
            case .success(let answer):
                block.count = answer.count
                block.progress = .ready
                state.hasFirst = true
                if state.tag == nil { state.tag = answer.tag }
            case .failure(let error): block.progress = .failed(error)
            }
            monitor.wakeAll()
        }
    }
}
