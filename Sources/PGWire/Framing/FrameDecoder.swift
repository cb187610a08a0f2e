import SQLTypes

/// Cuts the incoming bytes into messages. Lengths are checked before anything is kept for them; after an error the
/// decoder gives nothing any more, because the stream has no place to go on from.
struct FrameDecoder {
    /// The largest message, its length field included. Small until the client is known.
    var maximumLength: Int
    /// Start-up packets have no type byte.
    var isStartup = true
    /// For clients: the server's messages have other types.
    var acceptsAnyType = false
    private var buffer: [UInt8] = []
    private var start = 0
    private var failed = false

    static let startupLimit = 10_000
    static let passwordLimit = 65_536
    private static let types = Set("QPBDECSHXFpdcf".utf8)

    init(maximumLength: Int = FrameDecoder.startupLimit) { self.maximumLength = maximumLength }

    /// Bytes that no message was made of yet.
    var bufferedBytes: Int { buffer.count - start }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if failed { return }
        if start > 0 && start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 65_536)
            start = 0
        } else if start > 65_536 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole message; nil when more bytes are needed.
    mutating func next() throws -> Frame? {
        if failed { return nil }
        do {
            return try cut()
        } catch {
            failed = true
            buffer = []
            start = 0
            throw error
        }
    }

    private mutating func cut() throws -> Frame? {
        let header = isStartup ? 0 : 1
        guard bufferedBytes > 0 else { return nil }
        let type = isStartup ? 0 : buffer[start]
        if !isStartup, !acceptsAnyType, !FrameDecoder.types.contains(type) {
            throw ProtocolViolation.error("invalid frontend message type \(type)")
        }
        guard bufferedBytes >= header + 4 else { return nil }
        var length = 0
        for offset in 0..<4 { length = length << 8 | Int(buffer[start + header + offset]) }
        guard length >= (isStartup ? 8 : 4), length <= maximumLength else {
            throw ProtocolViolation.error(
                isStartup ? "invalid length of startup packet" : "invalid message length \(length)")
        }
        guard bufferedBytes >= header + length else { return nil }
        let body = start + header + 4
        let end = start + header + length
        defer { start = end }
        return Frame(type: type, body: Array(buffer[body..<end]))
    }
}
