import SQLTypes

/// The manifest of a COPY: `{"entries": [{"url": "...", "mandatory": true, "meta": {"content_length": 123}}]}`.
enum LoadManifest {
    struct Entry: Hashable {
        var url = ""
        var mandatory = false
        var contentLength: Int64?
    }

    static func parse(_ bytes: [UInt8], name: String) throws -> [Entry] {
        var reader = JSONReader(bytes)
        guard let value = reader.readDocument() else {
            throw SQLError(
                .dataException, "manifest \"\(name)\" is not valid JSON",
                detail: "The error is near byte \(reader.index + 1).")
        }
        guard case .object(let members) = value, case .array(let items)? = members["entries"] else {
            throw SQLError(.dataException, "manifest \"\(name)\" has no array \"entries\"")
        }
        return try items.enumerated().map { number, item in
            guard case .object(let members) = item, case .string(let url)? = members["url"], !url.isEmpty else {
                throw SQLError(.dataException, "entry \(number + 1) of manifest \"\(name)\" has no \"url\"")
            }
            var entry = Entry(url: url)
            if case .boolean(let mandatory)? = members["mandatory"] { entry.mandatory = mandatory }
            if case .object(let meta)? = members["meta"], case .number(let length)? = meta["content_length"] {
                entry.contentLength = Int64(exactly: length)
            }
            return entry
        }
    }
}

/// Reads one JSON document: enough for manifests. Nesting is limited, bytes after the document are errors.
struct JSONReader {
    indirect enum Value: Hashable {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case array([Value])
        case object([String: Value])
    }
    private let bytes: [UInt8]
    private(set) var index = 0
    private static let deepest = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func readDocument() -> Value? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        guard let value = readValue(depth: 0) else { return nil }
        skipBlanks()
        return index == bytes.count ? value : nil
    }

    private mutating func skipBlanks() {
        while index < bytes.count, [9, 10, 13, 32].contains(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func readValue(depth: Int) -> Value? {
        skipBlanks()
        guard depth < JSONReader.deepest, index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "{"): return readObject(depth)
        case UInt8(ascii: "["): return readArray(depth)
        case UInt8(ascii: "\""): return readString().map { .string($0) }
        default: return readWord()
        }
    }

    private mutating func readObject(_ depth: Int) -> Value? {
        index += 1
        var members: [String: Value] = [:]
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipBlanks()
            guard index < bytes.count, bytes[index] == UInt8(ascii: "\""), let key = readString(),
                take(UInt8(ascii: ":")), let value = readValue(depth: depth + 1)
            else { return nil }
            members[key] = value
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func readArray(_ depth: Int) -> Value? {
        index += 1
        var items: [Value] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        while true {
            guard let value = readValue(depth: depth + 1) else { return nil }
            items.append(value)
            if take(UInt8(ascii: "]")) { return .array(items) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func readWord() -> Value? {
        let start = index
        while index < bytes.count, !Array(",]} \t\r\n".utf8).contains(bytes[index]) { index += 1 }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: return Double(word).map { .number($0) }
        }
    }

    private mutating func readString() -> String? {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                text.append(byte)
                continue
            }
            guard readEscape(&text) else { return nil }
        }
        return nil
    }

    private mutating func readEscape(_ text: inout [UInt8]) -> Bool {
        guard index < bytes.count else { return false }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "u"):
            guard let unit = readHexadecimal() else { return false }
            var code = unit
            if (0xD800..<0xDC00).contains(unit), index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
                bytes[index + 1] == UInt8(ascii: "u")
            {
                index += 2
                guard let low = readHexadecimal(), (0xDC00..<0xE000).contains(low) else { return false }
                code = 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
            }
            guard let scalar = Unicode.Scalar(code) else { return false }
            text.append(contentsOf: Array(String(Character(scalar)).utf8))
        default: text.append(byte)
        }
        return true
    }

    private mutating func readHexadecimal() -> UInt32? {
        guard index + 4 <= bytes.count else { return nil }
        defer { index += 4 }
        return UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
    }
}
