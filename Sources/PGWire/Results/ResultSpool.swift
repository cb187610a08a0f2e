import Platform
import SQLTypes

/// Encoded rows that wait for their client: some in memory, the others in a file. A query never waits for a slow
/// client, because the workers that it would hold belong to all sessions. First in, first out; one thread at a time.
final class ResultSpool {
    private struct Chunk {
        var bytes: [UInt8]
        /// Where the bytes are in the file instead.
        var place: Int?
        var count: Int
    }
    private var chunks: [Chunk] = []
    private var first = 0
    private var file: SpoolFile?
    private let directory: String
    private let memoryLimit: Int
    private let fileLimit: Int
    private let allowance: MemoryAllowance?
    private var memoryBytes = 0
    /// Of ``memoryBytes``, what the allowance has given.
    private var allowedBytes = 0
    /// What is worth no file.
    private static let smallBytes = 64 << 10

    /// - Parameter allowance: asked for memory; without it there is as much as the limit says.
    init(directory: String, memoryLimit: Int, fileLimit: Int, allowance: MemoryAllowance? = nil) {
        self.directory = directory
        self.memoryLimit = memoryLimit
        self.fileLimit = fileLimit
        self.allowance = allowance
    }

    var isEmpty: Bool { first == chunks.count }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.isEmpty { return }
        if memoryBytes + bytes.count <= memoryLimit && (file?.size ?? 0) == 0 && hasMemory(for: bytes.count) {
            memoryBytes += bytes.count
            chunks.append(Chunk(bytes: Array(bytes), place: nil, count: bytes.count))
            return
        }
        let file = try self.file ?? SpoolFile(directory: directory)
        self.file = file
        guard file.size + bytes.count <= fileLimit else {
            throw SQLError(
                .limitExceeded, "the result is larger than \(fileLimit >> 20) MB and its client reads too slowly",
                hint: "Use UNLOAD for large results, or raise --result-spool.")
        }
        chunks.append(Chunk(bytes: [], place: try file.append(bytes), count: bytes.count))
    }

    private func hasMemory(for bytes: Int) -> Bool {
        guard let allowance, memoryBytes + bytes > ResultSpool.smallBytes else { return true }
        guard allowance.tryTake(bytes) else { return false }
        allowedBytes += bytes
        return true
    }

    private func forget(_ bytes: Int) {
        memoryBytes -= bytes
        let surplus = min(allowedBytes, bytes)
        allowance?.give(back: surplus)
        allowedBytes -= surplus
    }

    /// The oldest bytes, as they were appended; nil when there are none.
    func take() throws -> [UInt8]? {
        guard first < chunks.count else { return nil }
        let chunk = chunks[first]
        let bytes = try chunk.place.flatMap { try file?.read(chunk.count, at: $0) } ?? chunk.bytes
        if chunk.place == nil { forget(chunk.count) }
        chunks[first].bytes = []
        first += 1
        if first == chunks.count {
            chunks.removeAll()
            first = 0
            file?.clear()
        }
        return bytes
    }

    /// Puts bytes back in front.
    func putBack(_ bytes: [UInt8]) {
        let chunk = Chunk(bytes: bytes, place: nil, count: bytes.count)
        memoryBytes += bytes.count
        if first > 0 {
            first -= 1
            chunks[first] = chunk
        } else {
            chunks.insert(chunk, at: 0)
        }
    }
}
