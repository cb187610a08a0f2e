import SQLTypes

/// One file of an UNLOAD on its way: bytes of whole rows go through the compression to their place. A writer's bytes
/// are tentative until they are kept, so that a row that does not fit can go to the next file instead. Confined to one
/// thread at a time.
final class UnloadFile: ByteTarget {
    let name: String
    private(set) var rows = 0
    /// What has gone to the place.
    private(set) var writtenBytes: Int64 = 0
    private let object: any OutputObject
    private let compression: UnloadOptions.Compression
    /// Nothing is ever taken back: bytes need not wait until rows are kept.
    private let isFinal: Bool
    private var compressor: (any ByteCompressor)?
    private var hasMembers = false
    private let text = TextBuffer(capacity: 64 << 10)
    /// Of ``text``, what stays.
    private var keptBytes = 0
    private let compressed = TextBuffer(capacity: 1 << 10)
    private static let writeBytes = 256 << 10

    init(
        _ name: String, _ object: any OutputObject, _ compression: UnloadOptions.Compression, isFinal: Bool = false
    ) {
        self.isFinal = isFinal
        self.name = name
        self.object = object
        self.compression = compression
    }

    /// Bytes that wait in memory.
    var waitingBytes: Int { text.count + compressed.count }

    /// The most that the file can have when all that came so far is in it.
    var largestBytes: Int64 {
        writtenBytes + Int64(compressed.count) + compression.bound(text.count)
    }

    // MARK: Writing

    func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard let start = bytes.baseAddress else { return }
        if isFinal && text.count + bytes.count >= UnloadFile.writeBytes {
            keptBytes = text.count
            try drain()
        }
        text.append(start.assumingMemoryBound(to: UInt8.self), bytes.count)
    }

    /// What came since the last time stays.
    func keep(rows: Int) throws {
        self.rows += rows
        keptBytes = text.count
        if keptBytes >= UnloadFile.writeBytes { try drain() }
    }

    /// What came since the last time goes.
    func discard() { text.truncate(to: keptBytes) }

    private func drain() throws {
        let bytes = UnsafeRawBufferPointer(start: text.base, count: keptBytes)
        if compression == .none {
            try object.append(bytes)
            writtenBytes += Int64(bytes.count)
        } else if !bytes.isEmpty {
            let compressor = try self.compressor ?? compression.makeCompressor()
            self.compressor = compressor
            try compressor?.compress(bytes, into: compressed)
            if compressed.count >= UnloadFile.writeBytes { try writeCompressed() }
        }
        text.removeAll()
        keptBytes = 0
    }

    private func writeCompressed() throws {
        try object.append(UnsafeRawBufferPointer(compressed.bytes))
        writtenBytes += Int64(compressed.count)
        compressed.removeAll()
    }

    /// Gives memory, compression and descriptor back until more comes.
    func rest() throws {
        try drain()
        if let compressor {
            try compressor.finish(into: compressed)
            self.compressor = nil
            hasMembers = true
        }
        try writeCompressed()
        object.rest()
    }

    func close() throws {
        // An empty file is a compressed nothing.
        if compression != .none && !hasMembers && compressor == nil { compressor = try compression.makeCompressor() }
        try rest()
        try object.close()
    }
}

/// A finished file, as manifests and system tables tell of it.
package struct UnloadedFile: Sendable, Hashable {
    package var name: String
    package var slice: Int
    package var rows: Int
    package var bytes: Int64
    package var startMicroseconds: Int64
    package var endMicroseconds: Int64

    package init(
        name: String, slice: Int, rows: Int, bytes: Int64, startMicroseconds: Int64, endMicroseconds: Int64
    ) {
        self.name = name
        self.slice = slice
        self.rows = rows
        self.bytes = bytes
        self.startMicroseconds = startMicroseconds
        self.endMicroseconds = endMicroseconds
    }
}
