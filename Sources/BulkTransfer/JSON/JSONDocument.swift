import SQLTypes

/// A JSON text as a tree: for manifests, JSONPaths files and schemas, not for records. Objects keep the order of their
/// members.
indirect enum JSONValue: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([Member])

    struct Member: Hashable, Sendable {
        var key: String
        var value: JSONValue
    }

    /// The last member of that name, as in records.
    subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.key == key }?.value
    }

    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
    var integer: Int64? {
        guard case .number(let text) = self else { return nil }
        return Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }
}

/// Reads one JSON document, strictly and with limited nesting; only blanks may follow it.
struct JSONDocument {
    private let bytes: [UInt8]
    /// Where reading is, or has stopped.
    private(set) var index = 0
    private static let deepest = 200

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter what: names the document in the error.
    static func parse(_ bytes: [UInt8], _ what: String) throws -> JSONValue {
        var document = JSONDocument(bytes)
        if let value = document.read() { return value }
        throw SQLError(
            .dataException, "\(what) is not valid JSON", detail: "The error is near byte \(document.index + 1).")
    }

    private mutating func read() -> JSONValue? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        guard let value = readValue(depth: 0) else { return nil }
        skipBlanks()
        return index == bytes.count ? value : nil
    }

    private mutating func skipBlanks() {
        while index < bytes.count, JSONToken.isBlank(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func readValue(depth: Int) -> JSONValue? {
        skipBlanks()
        guard depth < JSONDocument.deepest, index < bytes.count else { return nil }
        switch bytes[index] {
        case UInt8(ascii: "{"): return readObject(depth)
        case UInt8(ascii: "["): return readArray(depth)
        case UInt8(ascii: "\""): return readString().map { .string($0) }
        default: return readWord()
        }
    }

    private mutating func readObject(_ depth: Int) -> JSONValue? {
        index += 1
        var members: [JSONValue.Member] = []
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipBlanks()
            guard let key = readString(), take(UInt8(ascii: ":")), let value = readValue(depth: depth + 1)
            else { return nil }
            members.append(JSONValue.Member(key: key, value: value))
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func readArray(_ depth: Int) -> JSONValue? {
        index += 1
        var items: [JSONValue] = []
        if take(UInt8(ascii: "]")) { return .array(items) }
        while true {
            guard let value = readValue(depth: depth + 1) else { return nil }
            items.append(value)
            if take(UInt8(ascii: "]")) { return .array(items) }
            guard take(UInt8(ascii: ",")) else { return nil }
        }
    }

    private mutating func readWord() -> JSONValue? {
        let start = index
        return bytes.withUnsafeBufferPointer { buffer -> JSONValue? in
            guard let base = buffer.baseAddress else { return nil }
            let end = JSONToken.wordEnd(base, start, buffer.count)
            guard end > start else { return nil }
            let word = base + start
            let count = end - start
            let value: JSONValue
            switch JSONToken.word(word, count) {
            case .null: value = .null
            case .yes: value = .boolean(true)
            case .no: value = .boolean(false)
            case .number:
                guard JSONToken.isNumber(word, count) else { return nil }
                value = .number(String(decoding: UnsafeBufferPointer(start: word, count: count), as: UTF8.self))
            case .none: return nil
            }
            index = end
            return value
        }
    }

    private mutating func readString() -> String? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
        var place = index + 1
        let start = place
        let decoded: [UInt8]? = bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, let end = JSONToken.closingQuote(base, &place, buffer.count)
            else { return nil }
            return JSONEscapes.decode(UnsafeBufferPointer(rebasing: buffer[start..<end]))
        }
        index = place
        guard let decoded else { return nil }
        index = place + 1
        return String(decoding: decoded, as: UTF8.self)
    }
}
