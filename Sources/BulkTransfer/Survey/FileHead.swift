import Platform
import SQLTypes

/// The beginning of a file: how it is compressed, and what its first text is.
struct FileHead {
    var compression = CopyOptions.Compression.none
    var encoding = CopyOptions.Encoding.utf8
    /// As it stands in the file.
    let magic: [UInt8]
    /// Decompressed, in UTF-8.
    private(set) var text: [UInt8] = []
    /// The text is all of the file.
    private(set) var isWhole = false
    private static let textBytes = 1 << 20

    init(_ source: any LoadSource, _ object: LoadObject) throws {
        let input = try source.open(object)
        var start = [UInt8](repeating: 0, count: CompressionDetection.headBytes)
        let count = try start.withUnsafeMutableBytes { try input.read(into: $0, at: 0) }
        magic = Array(start.prefix(count))
        compression = CompressionDetection.looksLike(magic)
        let plain = try bytes(input, object, .utf8)
        if plain.starts(with: [0xFF, 0xFE]) || plain.starts(with: [0xFE, 0xFF]) {
            encoding = .utf16
        } else if !FileHead.isUTF8(plain) {
            encoding = .iso88591
        }
        text = encoding == .utf8 ? plain : try bytes(input, object, encoding)
        isWhole = text.count < FileHead.textBytes
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    }

    private func bytes(
        _ input: any LoadInput, _ object: LoadObject, _ encoding: CopyOptions.Encoding
    ) throws -> [UInt8] {
        var stream: any ByteStream =
            switch compression {
            case .none: PlainStream(input, object)
            case .gzip: try GzipStream(input, name: object.name)
            case .zstd: try ZstdStream(input, name: object.name)
            case .bzip2: try Bzip2Stream(input, name: object.name)
            case .lzop: try LzopStream(input, name: object.name)
            }
        if encoding != .utf8 { stream = TranscodingStream(stream, encoding) }
        var bytes = [UInt8](repeating: 0, count: FileHead.textBytes)
        let count = try bytes.withUnsafeMutableBytes { try stream.fill($0) }
        return Array(bytes.prefix(count))
    }

    /// But for a character that the end has cut.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var end = bytes.count
        while end > 0, bytes.count - end < 3, bytes[end - 1] & 0xC0 == 0x80 { end -= 1 }
        if end > 0, bytes[end - 1] >= 0xC0 { end -= 1 }
        return String(validating: bytes[..<(bytes.count < textBytes ? bytes.count : end)], as: UTF8.self) != nil
    }
}
