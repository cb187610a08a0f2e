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
    private var memoryBytes = 0

    init(directory: String, memoryLimit: Int, fileLimit: Int) {
        self.directory = directory
        self.memoryLimit = memoryLimit
        self.fileLimit = fileLimit
    }

    var isEmpty: Bool { first == chunks.count }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        if bytes.isEmpty { return }
        if memoryBytes + bytes.count <= memoryLimit && (file?.size ?? 0) == 0 {
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

    /// The oldest bytes, as they were appended; nil when there are none.
    func take() throws -> [UInt8]? {
        guard first < chunks.count else { return nil }
        let chunk = chunks[first]
        let bytes = try chunk.place.flatMap { try file?.read(chunk.count, at: $0) } ?? chunk.bytes
        if chunk.place == nil { memoryBytes -= chunk.count }
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
