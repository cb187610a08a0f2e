import SQLTypes

/// COPY never guesses the compression, but it says what a file looks like when it does not fit the options.
enum CompressionDetection {
    static func check(_ head: [UInt8], name: String, _ options: CopyOptions) throws {
        let found: CopyOptions.Compression =
            head.starts(with: [0x1F, 0x8B]) ? .gzip : head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) ? .zstd : .none
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
        let hint =
            found == .none
            ? "Leave \(options.compression.rawValue) out for plain files."
            : "The file looks like \(found.rawValue)."
        throw SQLError(
            .dataException, "file \"\(name)\" is not a \(options.compression.rawValue.lowercased()) file", hint: hint)
    }
}
