import SQLTypes

/// Makes a file smaller as a whole. What it writes up to ``finish(into:)`` is complete in itself, and the formats allow
/// one after the other in a file, so that a file can be left and gone on with. One thread at a time.
protocol ByteCompressor: AnyObject {
    func compress(_ bytes: UnsafeRawBufferPointer, into output: TextBuffer) throws
    /// The end of the member. Nothing may follow.
    func finish(into output: TextBuffer) throws
    /// Of bytes taken in that may not have come out yet.
    static var heldBytes: Int { get }
}

extension ByteCompressor {
    /// Most bytes that so many more make, with what is held and the member's end.
    static func bound(_ bytes: Int) -> Int64 {
        let input = Int64(bytes) + Int64(heldBytes)
        return input + input / 64 + 1024
    }
}

extension UnloadOptions.Compression {
    /// nil for plain files.
    func makeCompressor() throws -> (any ByteCompressor)? {
        switch self {
        case .none: nil
        case .gzip: try GzipCompressor()
        case .bzip2: try Bzip2Compressor()
        case .zstd: try ZstdCompressor()
        }
    }

    /// Most bytes that so many more can make of a file.
    func bound(_ bytes: Int) -> Int64 {
        switch self {
        case .none: Int64(bytes)
        case .gzip: GzipCompressor.bound(bytes)
        case .bzip2: Bzip2Compressor.bound(bytes)
        case .zstd: ZstdCompressor.bound(bytes)
        }
    }
}
