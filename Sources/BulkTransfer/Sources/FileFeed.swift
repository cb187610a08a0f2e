import Glibc
import Platform
import SQLTypes
import Synchronization

enum ClaimResult: Hashable {
    case claimed
    /// Another thread is taking a piece right now.
    case busy
    case exhausted
}

/// Hands out one file in pieces of whole records. Safe from any thread.
protocol FileFeed: AnyObject, Sendable {
    /// Fills the chunk with the next piece, possibly an empty one.
    func claim(_ chunk: ChunkBuffer, wait: Bool) throws -> ClaimResult
}

/// A plain file whose records end at every line end: pieces are cut at fixed offsets without looking, and read at the
/// same time by all workers. A piece owns the records that start within it.
final class RangeFeed: FileFeed {
    private let input: any LoadInput
    private let name: String
    private let index: Int
    /// Where the first record starts: after the byte order mark and the header.
    private let start: Int64
    private let size: Int64
    private let pieceBytes: Int
    private let next = Atomic<Int>(0)
    /// Read beyond the end of a piece in the first go, for the rest of its last record.
    private static let overlap = 4096

    init(_ input: any LoadInput, file: Int, name: String, start: Int64, size: Int64, pieceBytes: Int) {
        self.input = input
        self.name = name
        index = file
        self.start = start
        self.size = size
        self.pieceBytes = pieceBytes
    }

    func claim(_ chunk: ChunkBuffer, wait: Bool) throws -> ClaimResult {
        let ordinal = next.add(1, ordering: .relaxed).oldValue
        let (distance, overflow) = Int64(ordinal).multipliedReportingOverflow(by: Int64(pieceBytes))
        if overflow || distance >= size - start { return .exhausted }
        let begin = start + distance
        chunk.reset()
        chunk.file = index
        chunk.ordinal = ordinal
        chunk.sourceBytes = Int(min(Int64(pieceBytes), size - begin))
        try fill(chunk, begin, begin + Int64(chunk.sourceBytes))
        return .claimed
    }

    private func fill(_ chunk: ChunkBuffer, _ begin: Int64, _ end: Int64) throws {
        // The byte before tells whether a record starts right at the piece's start.
        let from = max(begin - 1, start)
        let wanted = Int(min(end + Int64(RangeFeed.overlap), size) - from)
        try chunk.grow(to: wanted)
        try read(chunk, from, wanted)
        var first = 0
        if begin > start {
            let owned = Int(end - from) - 1
            guard let newline = memchr(chunk.text, 10, owned) else {
                chunk.count = 0
                return
            }
            first = UnsafeMutablePointer(newline.assumingMemoryBound(to: UInt8.self)) - chunk.text + 1
        }
        var searched = max(Int(end - from) - 1, first)
        while true {
            if let newline = memchr(chunk.text + searched, 10, chunk.count - searched) {
                chunk.count = UnsafeMutablePointer(newline.assumingMemoryBound(to: UInt8.self)) - chunk.text + 1
                break
            }
            searched = chunk.count
            let left = size - from - Int64(chunk.count)
            if left == 0 { break }
            if chunk.count - first > ChunkBuffer.maximumRecordBytes + pieceBytes { throw ChunkBuffer.tooLong(name) }
            let more = Int(min(left, Int64(max(chunk.count, RangeFeed.overlap))))
            try chunk.grow(to: chunk.count + more)
            try read(chunk, from + Int64(chunk.count), more)
        }
        chunk.count -= first
        if first > 0 { memmove(chunk.text, chunk.text + first, chunk.count) }
        chunk.terminate()
    }

    private func read(_ chunk: ChunkBuffer, _ offset: Int64, _ bytes: Int) throws {
        let target = UnsafeMutableRawBufferPointer(start: chunk.text + chunk.count, count: bytes)
        guard try input.read(into: target, at: offset) == bytes else {
            throw SQLError(.ioError, "file \"\(name)\" became shorter while it was loaded")
        }
        chunk.count += bytes
    }
}

/// A file that can only be read from front to back, because it is compressed or because only its quotes and escapes
/// tell where records end. Cutting is serial and cheap; the pieces are parsed in parallel.
final class StreamFeed: FileFeed, @unchecked Sendable {
    private struct State {
        var stream: any ByteStream
        /// The beginning of a record whose end has not been read yet.
        var carry: [UInt8] = []
        var headerLines: Int
        var atStart = true
        var ordinal = 0
        var ended = false
        var consumed: Int64 = 0
    }
    /// Held while `state` is used.
    private let turn = Lock(())
    private var state: State
    private let name: String
    private let index: Int
    private let border: RecordBorder
    private let pieceBytes: Int

    init(
        _ stream: any ByteStream, file: Int, name: String, border: RecordBorder, headerLines: Int,
        pieceBytes: Int
    ) {
        state = State(stream: stream, headerLines: headerLines)
        self.name = name
        index = file
        self.border = border
        self.pieceBytes = pieceBytes
    }

    func claim(_ chunk: ChunkBuffer, wait: Bool) throws -> ClaimResult {
        if wait { return try turn.withLock { _ in try take(&state, chunk) } }
        return try turn.withLockIfAvailable { _ in try take(&state, chunk) } ?? .busy
    }

    private func take(_ state: inout State, _ chunk: ChunkBuffer) throws -> ClaimResult {
        if state.ended { return .exhausted }
        chunk.reset()
        chunk.file = index
        chunk.ordinal = state.ordinal
        state.ordinal += 1
        try chunk.grow(to: max(pieceBytes, state.carry.count))
        state.carry.withUnsafeBytes { if let base = $0.baseAddress { memcpy(chunk.text, base, $0.count) } }
        chunk.count = state.carry.count
        state.carry.removeAll(keepingCapacity: true)
        if state.atStart { try skipStart(&state, chunk) }
        let end = try readRecords(&state, chunk)
        state.carry.append(contentsOf: UnsafeBufferPointer(start: chunk.text + end, count: chunk.count - end))
        chunk.count = end
        if border != .json { chunk.terminate() }
        let consumed = state.stream.consumedBytes
        chunk.sourceBytes = Int(consumed - state.consumed)
        state.consumed = consumed
        return .claimed
    }

    /// Fills the chunk and returns where its last whole record ends.
    private func readRecords(_ state: inout State, _ chunk: ChunkBuffer) throws -> Int {
        while true {
            let room = max(pieceBytes, chunk.count) - chunk.count
            let target = UnsafeMutableRawBufferPointer(start: chunk.text + chunk.count, count: room)
            let count = try state.stream.fill(target)
            chunk.count += count
            if count < room || (count == 0 && room > 0) {
                state.ended = true
                return chunk.count
            }
            let end = border.last(chunk.text, chunk.count)
            if end > 0 { return end }
            if chunk.count > ChunkBuffer.maximumRecordBytes { throw ChunkBuffer.tooLong(name) }
            let more = max(chunk.count, 4096)
            try chunk.grow(to: chunk.count + more)
            let extra = UnsafeMutableRawBufferPointer(start: chunk.text + chunk.count, count: more)
            let added = try state.stream.fill(extra)
            chunk.count += added
            if added < more {
                state.ended = true
                return chunk.count
            }
            let extended = border.last(chunk.text, chunk.count)
            if extended > 0 { return extended }
        }
    }

    /// Drops a byte order mark and the header lines.
    private func skipStart(_ state: inout State, _ chunk: ChunkBuffer) throws {
        state.atStart = false
        try chunk.grow(to: max(4, pieceBytes))
        chunk.count = try state.stream.fill(UnsafeMutableRawBufferPointer(start: chunk.text, count: chunk.capacity))
        var first = HeaderLines.byteOrderMark(UnsafeBufferPointer(start: chunk.text, count: chunk.count))
        while state.headerLines > 0 {
            if let newline = memchr(chunk.text + first, 10, chunk.count - first) {
                first = UnsafeMutablePointer(newline.assumingMemoryBound(to: UInt8.self)) - chunk.text + 1
                state.headerLines -= 1
                continue
            }
            first = 0
            chunk.count = try state.stream.fill(
                UnsafeMutableRawBufferPointer(start: chunk.text, count: chunk.capacity))
            if chunk.count == 0 { break }
        }
        chunk.count -= first
        memmove(chunk.text, chunk.text + first, chunk.count)
    }
}

/// Finds where the data of a plain file starts.
enum HeaderLines {
    static func byteOrderMark(_ head: UnsafeBufferPointer<UInt8>) -> Int {
        head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    static func end(_ input: any LoadInput, lines: Int, size: Int64, markBytes: Int) throws -> Int64 {
        var left = lines
        var offset = Int64(markBytes)
        if left == 0 { return offset }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
        defer { buffer.deallocate() }
        while offset < size {
            let count = try input.read(into: buffer, at: offset)
            if count == 0 { break }
            for index in 0..<count where buffer[index] == 10 {
                left -= 1
                if left == 0 { return offset + Int64(index) + 1 }
            }
            offset += Int64(count)
        }
        return size
    }
}
