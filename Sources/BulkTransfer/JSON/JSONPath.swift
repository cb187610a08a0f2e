import SQLTypes

/// One expression of a JSONPaths file: the way from a record to one of its values. Dots and brackets may be mixed;
/// wildcards, slices and filters are not among the ways that COPY knows.
package struct JSONPath: Hashable, Sendable {
    enum Step: Hashable, Sendable {
        case member([UInt8])
        case element(Int)
    }
    var steps: [Step]
    /// Longer paths are refused, because the depth of the reader's recursion follows them.
    static let longest = 64

    init(steps: [Step]) { self.steps = steps }

    /// `$.a.b[2]`, `$['a']["b"][2]`, `$`.
    init(parsing text: String) throws {
        var reader = Reader(bytes: Array(text.utf8))
        guard let steps = reader.steps() else {
            throw SQLError(
                .invalidParameterValue, "Invalid JSONPath format: \(text)",
                detail: "The error is near character \(reader.index + 1).",
                hint: "Paths are written as $.name, $['name'] and $.name[0]; wildcards and filters are not supported.")
        }
        if steps.count > JSONPath.longest {
            throw SQLError(.limitExceeded, "JSONPath \(text.prefix(40))... has more than \(JSONPath.longest) steps")
        }
        self.steps = steps
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func steps() -> [Step]? {
            skipBlanks()
            guard byte == UInt8(ascii: "$") else { return nil }
            index += 1
            var steps: [Step] = []
            while true {
                skipBlanks()
                switch byte {
                case nil: return steps
                case UInt8(ascii: "."):
                    index += 1
                    guard let name = plainName() else { return nil }
                    steps.append(.member(name))
                case UInt8(ascii: "["):
                    index += 1
                    guard let step = bracket() else { return nil }
                    steps.append(step)
                default: return nil
                }
            }
        }

        private mutating func skipBlanks() {
            while let byte, JSONToken.isBlank(byte) { index += 1 }
        }

        private mutating func plainName() -> [UInt8]? {
            skipBlanks()
            let start = index
            while let byte, byte != UInt8(ascii: "."), byte != UInt8(ascii: "["), !JSONToken.isBlank(byte) {
                if Array("*]'\"".utf8).contains(byte) { return nil }
                index += 1
            }
            return index > start ? Array(bytes[start..<index]) : nil
        }

        private mutating func bracket() -> Step? {
            skipBlanks()
            let step: Step
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                guard let name = quotedName() else { return nil }
                step = .member(name)
            } else {
                let start = index
                while let byte, TextInput.isDigit(byte) { index += 1 }
                guard let number = Int32(String(decoding: bytes[start..<index], as: UTF8.self)) else { return nil }
                step = .element(Int(number))
            }
            skipBlanks()
            guard byte == UInt8(ascii: "]") else { return nil }
            index += 1
            return step
        }

        private mutating func quotedName() -> [UInt8]? {
            guard let quote = byte else { return nil }
            index += 1
            var name: [UInt8] = []
            while let byte, byte != quote {
                index += 1
                if byte == UInt8(ascii: "\\"), let next = self.byte {
                    name.append(next)
                    index += 1
                } else {
                    name.append(byte)
                }
            }
            guard byte == quote else { return nil }
            index += 1
            return name
        }
    }
}

/// A JSONPaths file: `{"jsonpaths": ["$.a", "$['b'][0]"]}`.
enum JSONPathsFile {
    /// Larger files are no JSONPaths files.
    static let largestBytes = 4 << 20

    /// The paths in column order; nil when the only member has another name, which means 'auto'.
    static func parse(_ bytes: [UInt8], name: String) throws -> [JSONPath]? {
        let document = try JSONDocument.parse(bytes, "JSONPaths file \"\(name)\"")
        guard case .object = document else {
            throw SQLError(.dataException, "JSONPaths file \"\(name)\" must contain one JSON object")
        }
        guard let paths = document["jsonpaths"] else { return nil }
        guard case .array(let items) = paths else {
            throw SQLError(.dataException, "\"jsonpaths\" of file \"\(name)\" must be an array of strings")
        }
        return try items.map { item in
            guard let text = item.text else {
                throw SQLError(.dataException, "\"jsonpaths\" of file \"\(name)\" must be an array of strings")
            }
            return try JSONPath(parsing: text)
        }
    }
}
