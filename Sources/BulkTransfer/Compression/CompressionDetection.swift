import SQLTypes

/// COPY never guesses the compression, but it says what a file looks like when it does not fit the options.
enum CompressionDetection {
    /// So many bytes of the object's start are looked at.
    static let headBytes = 10

    static func looksLike(_ head: [UInt8]) -> CopyOptions.Compression {
        if head.starts(with: [0x1F, 0x8B]) { return .gzip }
        if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .zstd }
        if head.starts(with: LzopStream.magic) { return .lzop }
        // "BZh" and the level are plain letters: the mark of the first block, or of an empty stream, must follow.
        let marks: [[UInt8]] = [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]]
        if head.starts(with: Array("BZh".utf8)), head.count == headBytes, marks.contains(Array(head[4...])) {
            return .bzip2
        }
        return .none
    }

    static func check(_ head: [UInt8], name: String, _ options: CopyOptions) throws {
        let found = looksLike(head)
        if found == options.compression { return }
        if options.compression == .none {
            throw SQLError(
                .dataException, "file \"\(name)\" is compressed with \(found.rawValue.lowercased())",
                hint: "Add \(found.rawValue) to the COPY options.")
        }
        // A zstd stream may start with a skippable frame.
        if options.compression == .zstd && found == .none && head.count >= 4 && head[0] & 0xF0 == 0x50
            && head[1...3] == [0x2A, 0x4D, 0x18]
        {
            return
        }
        // Cut off before the marks: the decoder says so.
        if found == .none && head.count < headBytes && isBeginning(head, of: options.compression) { return }
        let hint =
            found == .none
            ? "Leave \(options.compression.rawValue) out for plain files."
            : "The file looks like \(found.rawValue)."
        throw SQLError(
            .dataException, "file \"\(name)\" is not a \(options.compression.rawValue.lowercased()) file", hint: hint)
    }

    private static func isBeginning(_ head: [UInt8], of compression: CopyOptions.Compression) -> Bool {
        switch compression {
        case .bzip2: head.prefix(3).elementsEqual(Array("BZh".utf8).prefix(head.count))
        case .lzop: LzopStream.magic.starts(with: head)
        case .none, .gzip, .zstd: false
        }
    }
}
