/// Reads the JSON of a configuration (RFC 8259, nothing beyond it) and keeps where everything stands. Any bytes are
/// either a value or a fault.
struct ConfigurationParser {
    let text: [UInt8]
    private var at = 0
    private var depth = 0

    /// A configuration has six levels.
    static let deepest = 16

    init(_ text: [UInt8]) { self.text = text }

    /// The whole text.
    static func parse(_ text: [UInt8]) throws(ConfigurationFault) -> ConfigurationNode {
        var parser = ConfigurationParser(text)
        if let place = firstInvalid(text) {
            throw ConfigurationFault("the text is not valid UTF-8", offset: place, in: text)
        }
        let node = try parser.value("a value")
        parser.skipBlanks()
        if parser.at < text.count {
            throw parser.unexpected(
                "the end of the text", hint: "A configuration is one array: put all queues into it.")
        }
        return node
    }

    /// Where bytes are no UTF-8.
    private static func firstInvalid(_ text: [UInt8]) -> Int? {
        var parser = Unicode.UTF8.ForwardParser()
        var bytes = text.makeIterator()
        var place = 0
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid(let scalar): place += scalar.count
            case .error: return place
            case .emptyInput: return nil
            }
        }
    }

    private mutating func skipBlanks() {
        while at < text.count, [32, 10, 13, 9].contains(text[at]) { at += 1 }
    }

    private func fault(_ message: String, hint: String? = nil, at offset: Int? = nil) -> ConfigurationFault {
        ConfigurationFault(message, hint: hint, offset: offset ?? at, in: text)
    }

    /// What stands here is not what must.
    private func unexpected(_ wanted: String, hint: String? = nil) -> ConfigurationFault {
        guard at < text.count else { return fault("the text ends where \(wanted) is expected", hint: hint) }
        var hint = hint
        switch text[at] {
        case UInt8(ascii: "'"): hint = "JSON has names and texts in double quotes."
        case UInt8(ascii: "/"), UInt8(ascii: "#"): hint = "JSON has no comments."
        case UInt8(ascii: "T"), UInt8(ascii: "F"), UInt8(ascii: "N"): hint = "JSON writes true, false and null."
        default: break
        }
        let rest = String(decoding: text[at...].prefix(8), as: UTF8.self)
        let shown = rest.unicodeScalars.first.map { $0.value < 32 ? "a control character" : "\"\($0)\"" }
        return fault("\(shown ?? "a byte") where \(wanted) is expected", hint: hint)
    }
}

extension ConfigurationParser {
    private mutating func value(_ wanted: String) throws(ConfigurationFault) -> ConfigurationNode {
        skipBlanks()
        guard at < text.count else { throw unexpected(wanted) }
        let start = at
        let value: ConfigurationNode.Value
        switch text[at] {
        case UInt8(ascii: "{"): value = .object(try nested(members))
        case UInt8(ascii: "["): value = .array(try nested(elements))
        case UInt8(ascii: "\""): value = .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): value = .number(try number())
        default:
            if let word = word() {
                value = word
            } else {
                throw unexpected(wanted)
            }
        }
        return ConfigurationNode(value: value, offset: start)
    }

    private mutating func word() -> ConfigurationNode.Value? {
        let words: [(String, ConfigurationNode.Value)] = [
            ("true", .boolean(true)), ("false", .boolean(false)), ("null", .null),
        ]
        for (word, value) in words where text[at...].starts(with: word.utf8) {
            at += word.utf8.count
            return value
        }
        return nil
    }

    private typealias Body<Result> = (inout ConfigurationParser) throws(ConfigurationFault) -> Result

    /// What stands between brackets, after the opening one.
    private mutating func nested<Result>(_ body: Body<Result>) throws(ConfigurationFault) -> Result {
        if depth == ConfigurationParser.deepest {
            throw fault("arrays and objects are nested deeper than \(ConfigurationParser.deepest) levels")
        }
        depth += 1
        at += 1
        let result = try body(&self)
        depth -= 1
        return result
    }

    private var elements: Body<[ConfigurationNode]> {
        { (parser) throws(ConfigurationFault) in
            var found: [ConfigurationNode] = []
            while try parser.hasNext(found.isEmpty, UInt8(ascii: "]")) { found.append(try parser.value("a value")) }
            return found
        }
    }

    private var members: Body<[ConfigurationNode.Member]> {
        { (parser) throws(ConfigurationFault) in
            var found: [ConfigurationNode.Member] = []
            while try parser.hasNext(found.isEmpty, UInt8(ascii: "}")) {
                let member = try parser.member()
                if found.contains(where: { $0.name == member.name }) {
                    let name = ConfigurationNode.shortened(member.name)
                    throw parser.fault("\"\(name)\" is given twice", at: member.offset)
                }
                found.append(member)
            }
            return found
        }
    }

    private mutating func member() throws(ConfigurationFault) -> ConfigurationNode.Member {
        skipBlanks()
        let start = at
        guard at < text.count, text[at] == UInt8(ascii: "\"") else { throw unexpected("a name in double quotes") }
        let name = try string()
        skipBlanks()
        guard at < text.count, text[at] == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        at += 1
        return ConfigurationNode.Member(name: name, offset: start, value: try value("a value"))
    }

    /// Behind an opening bracket or an element: whether another element follows, whose comma is then read.
    private mutating func hasNext(_ isFirst: Bool, _ close: UInt8) throws(ConfigurationFault) -> Bool {
        skipBlanks()
        let closing = Character(Unicode.Scalar(close))
        guard at < text.count else { throw unexpected(isFirst ? "\"\(closing)\"" : "\",\" or \"\(closing)\"") }
        if text[at] == close {
            at += 1
            return false
        }
        if isFirst { return true }
        guard text[at] == UInt8(ascii: ",") else { throw unexpected("\",\" or \"\(closing)\"") }
        at += 1
        skipBlanks()
        if at < text.count, text[at] == close {
            throw unexpected("a value", hint: "JSON has no comma behind the last element.")
        }
        return true
    }
}

extension ConfigurationParser {
    private mutating func number() throws(ConfigurationFault) -> Double {
        let start = at
        if text[at] == UInt8(ascii: "-") { at += 1 }
        if at < text.count, text[at] == UInt8(ascii: "0") {
            at += 1
            if at < text.count, isDigit { throw fault("a number begins with a needless 0", at: start) }
        } else {
            try digits()
        }
        if at < text.count, text[at] == UInt8(ascii: ".") {
            at += 1
            try digits()
        }
        if at < text.count, text[at] == UInt8(ascii: "e") || text[at] == UInt8(ascii: "E") {
            at += 1
            if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") { at += 1 }
            try digits()
        }
        guard let number = Double(String(decoding: text[start..<at], as: UTF8.self)), number.isFinite else {
            throw fault("a number is too large", at: start)
        }
        return number
    }

    private var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[at]) }

    private mutating func digits() throws(ConfigurationFault) {
        guard at < text.count, isDigit else { throw unexpected("a digit") }
        while at < text.count, isDigit { at += 1 }
    }

    private mutating func string() throws(ConfigurationFault) -> String {
        let start = at
        at += 1
        var result = String.UnicodeScalarView()
        var plain = at
        func flushed() -> String.UnicodeScalarView { String(decoding: text[plain..<at], as: UTF8.self).unicodeScalars }
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "\""):
                result.append(contentsOf: flushed())
                at += 1
                return String(result)
            case UInt8(ascii: "\\"):
                result.append(contentsOf: flushed())
                result.append(try escape())
                plain = at
            case 0..<32:
                throw fault("a text in quotes has a control character", hint: "Write it as \\n, \\t or \\u00XX.")
            default: at += 1
            }
        }
        throw fault("a text in quotes has no end", at: start)
    }

    private mutating func escape() throws(ConfigurationFault) -> Unicode.Scalar {
        let start = at
        let letters: [Character: Unicode.Scalar] = [
            "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
        ]
        guard at + 1 < text.count else { throw fault("a text in quotes has no end", at: start) }
        let letter = text[at + 1]
        at += 2
        if let scalar = letters[Character(Unicode.Scalar(letter))] { return scalar }
        guard letter == UInt8(ascii: "u") else {
            throw fault("an unknown character follows the backslash", hint: "A backslash itself is \\\\.", at: start)
        }
        let first = try hexadecimal(start)
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate: only the first of a pair may stand here.
        guard first < 0xDC00, text[at...].starts(with: "\\u".utf8) else { throw loneSurrogate(start) }
        at += 2
        let second = try hexadecimal(start)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + UInt32(second) - 0xDC00)
        else { throw loneSurrogate(start) }
        return scalar
    }

    private func loneSurrogate(_ start: Int) -> ConfigurationFault {
        fault(
            "half of a pair of surrogates", hint: "Characters beyond U+FFFF are two escapes, or themselves.", at: start)
    }

    private mutating func hexadecimal(_ start: Int) throws(ConfigurationFault) -> UInt16 {
        let digits = text[at...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 128 }),
            let value = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("\\u is followed by four hexadecimal digits", at: start) }
        at += 4
        return value
    }
}
