import SQLTypes

/// Reads the answers of S3: elements and their texts, in order. Attributes, comments, declarations and processing
/// instructions are passed over; entities other than XML's five and numbers are errors, so that an answer cannot grow.
struct XMLScanner {
    enum Event: Hashable {
        /// Without the prefix of its name space.
        case start(String)
        case end(String)
        case text(String)
    }
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    /// The end of an element that had none of its own.
    private var waiting: Event?
    private static let deepest = 64

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// nil at the end.
    mutating func next() throws -> Event? {
        if let event = waiting {
            waiting = nil
            return event
        }
        while index < bytes.count {
            if bytes[index] != UInt8(ascii: "<") { return .text(try text()) }
            if skips("<!--", until: "-->") || skips("<?", until: "?>") { continue }
            if let content = cdata() { return .text(content) }
            if skips("<!", until: ">") { continue }
            return try tag()
        }
        if depth != 0 { throw XMLScanner.malformed() }
        return nil
    }

    private static func malformed() -> SQLError { SQLError(.ioError, "S3 has answered with XML that cannot be read") }

    private func stands(_ word: String.UTF8View, at place: Int) -> Bool {
        place + word.count <= bytes.count && bytes[place..<place + word.count].elementsEqual(word)
    }

    private func find(_ word: String.UTF8View, from place: Int) -> Int? {
        (min(place, bytes.count)..<bytes.count).first { stands(word, at: $0) }
    }

    private mutating func skips(_ start: String, until end: String) -> Bool {
        guard stands(start.utf8, at: index) else { return false }
        index = find(end.utf8, from: index + start.utf8.count).map { $0 + end.utf8.count } ?? bytes.count
        return true
    }

    private mutating func cdata() -> String? {
        let start = "<![CDATA[".utf8
        guard stands(start, at: index), let end = find("]]>".utf8, from: index + start.count) else { return nil }
        defer { index = end + 3 }
        return String(decoding: bytes[index + start.count..<end], as: UTF8.self)
    }

    private mutating func tag() throws -> Event {
        guard let end = tagEnd() else { throw XMLScanner.malformed() }
        var content = bytes[index + 1..<end]
        index = end + 1
        let isEnd = content.first == UInt8(ascii: "/")
        if isEnd { content.removeFirst() }
        let isEmpty = content.last == UInt8(ascii: "/")
        if isEmpty { content.removeLast() }
        let whole = content.prefix { $0 > 32 }
        let name = String(decoding: whole.split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
        if name.isEmpty { throw XMLScanner.malformed() }
        if isEnd {
            depth -= 1
            if depth < 0 { throw XMLScanner.malformed() }
            return .end(name)
        }
        if isEmpty {
            waiting = .end(name)
            return .start(name)
        }
        depth += 1
        if depth > XMLScanner.deepest { throw XMLScanner.malformed() }
        return .start(name)
    }

    /// The `>` that ends the tag: not one within an attribute's value.
    private func tagEnd() -> Int? {
        var quote: UInt8?
        for place in index..<bytes.count {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return place
            }
        }
        return nil
    }

    private mutating func text() throws -> String {
        var result: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") {
            if bytes[index] == UInt8(ascii: "&") {
                result += try entity()
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func entity() throws -> [UInt8] {
        let rest = bytes[index...].prefix(12)
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { throw XMLScanner.malformed() }
        let name = String(decoding: bytes[index + 1..<end], as: UTF8.self)
        index = end + 1
        switch name {
        case "amp": return [UInt8(ascii: "&")]
        case "lt": return [UInt8(ascii: "<")]
        case "gt": return [UInt8(ascii: ">")]
        case "quot": return [UInt8(ascii: "\"")]
        case "apos": return [UInt8(ascii: "'")]
        default:
            let number =
                name.hasPrefix("#x")
                ? UInt32(name.dropFirst(2), radix: 16)
                : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
            guard let number, let scalar = Unicode.Scalar(number) else { throw XMLScanner.malformed() }
            return Array(String(Character(scalar)).utf8)
        }
    }
}

extension XMLScanner {
    /// Texts of the elements right below each element of one name, by their names. It may stand at any depth.
    static func records(_ bytes: [UInt8], of element: String) throws -> [[String: String]] {
        var scanner = XMLScanner(bytes), found: [[String: String]] = []
        var path: [String] = [], record: (depth: Int, values: [String: String])?
        while let event = try scanner.next() {
            switch event {
            case .start(let name):
                path.append(name)
                if name == element && record == nil { record = (path.count, [:]) }
            case .text(let text):
                guard let open = record, path.count == open.depth + 1, let name = path.last else { continue }
                record?.values[name, default: ""] += text
            case .end(let name):
                guard path.popLast() == name else { throw malformed() }
                if let open = record, path.count < open.depth {
                    found.append(open.values)
                    record = nil
                }
            }
        }
        return found
    }
}
