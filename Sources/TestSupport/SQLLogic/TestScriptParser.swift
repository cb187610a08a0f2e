/// Reads the sqllogictest format: `statement`, `query`, `file`, `loop`, `skipif` and the rest that README.md lists.
package struct TestScriptParser {
    private let file: String
    private let lines: [Substring]
    private var records: [TestRecord] = []
    private var conditions: [ScriptCondition] = []
    private var session = ""
    /// Values of `${name}`, and how deep in loops the reader is.
    private var variables: [String: String] = [:]
    private var loopDepth = 0

    private init(file: String, lines: [Substring]) {
        self.file = file
        self.lines = lines
    }

    package static func parse(_ text: String, file: String) throws -> [TestRecord] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var parser = TestScriptParser(file: file, lines: lines)
        try parser.read(0..<lines.count)
        return parser.records
    }

    private func failure(_ line: Int, _ message: String) -> ScriptError {
        ScriptError(file: file, line: line + 1, message: message)
    }

    private mutating func read(_ range: Range<Int>) throws {
        var index = range.lowerBound
        while index < range.upperBound {
            let line = lines[index]
            if line.isEmpty || line.hasPrefix("#") || line.allSatisfy({ $0 == " " }) {
                index += 1
                continue
            }
            index = try readRecord(index, range.upperBound)
        }
    }

    private mutating func readRecord(_ index: Int, _ end: Int) throws -> Int {
        let words = lines[index].split(separator: " ").map(String.init)
        switch words[0] {
        case "statement": return try readStatement(index, end)
        case "query": return try readQuery(index, end, words)
        case "start":
            let (sql, next) = try readSQL(index + 1, end)
            add(.start(sql: sql), index)
            return next
        case "finish": add(.finish(try statementExpectation(index)), index)
        case "file": return try readFile(index, end, words)
        case "loop", "foreach": return try readLoop(index, end, words)
        case "skipif", "onlyif":
            guard words.count == 2 else { throw failure(index, "\(words[0]) needs one condition") }
            conditions.append(ScriptCondition(word: words[1], isNegated: words[0] == "skipif"))
        case "session":
            session = words.count > 1 ? words[1] : ""
        case "reconnect": add(.reconnect, index)
        case "restart": add(.restart, index)
        case "halt": add(.halt, index)
        case "require":
            guard words.count == 2 else { throw failure(index, "require needs one condition") }
            add(.require(ScriptCondition(word: words[1], isNegated: false)), index)
        default: throw failure(index, "unknown directive \"\(words[0])\"")
        }
        return index + 1
    }

    private mutating func add(_ action: TestRecord.Action, _ index: Int) {
        records.append(TestRecord(action: action, line: index + 1, session: session, conditions: conditions))
        conditions = []
        session = ""
    }

    /// The lines of SQL from `index` up to a blank line or `----`, and the index behind them.
    private func readSQL(_ index: Int, _ end: Int) throws -> (String, Int) {
        var index = index
        var sql: [Substring] = []
        while index < end, !lines[index].isEmpty, lines[index] != "----" {
            sql.append(lines[index])
            index += 1
        }
        if sql.isEmpty { throw failure(index, "SQL expected") }
        return (try substitute(sql.joined(separator: "\n"), index), index)
    }

    private mutating func readStatement(_ index: Int, _ end: Int) throws -> Int {
        let expectation = try statementExpectation(index)
        let (sql, next) = try readSQL(index + 1, end)
        add(.statement(sql: sql, expectation), index)
        return next
    }

    /// What stands behind `statement` or `finish`.
    private func statementExpectation(_ index: Int) throws -> StatementExpectation {
        let header = lines[index].split(separator: " ", maxSplits: 2).map(String.init)
        let rest = try header.count > 2 ? substitute(header[2], index) : nil
        switch header.count > 1 ? header[1] : "" {
        case "ok": return .success(tag: rest)
        case "error": return Self.failureExpectation(rest)
        case "notice": return .notice(pattern: rest ?? "")
        default: throw failure(index, "\(header[0]) ok, \(header[0]) error or \(header[0]) notice expected")
        }
    }

    /// `22012`, `22012: pattern` or `pattern`.
    private static func failureExpectation(_ text: String?) -> StatementExpectation {
        guard let text, !text.isEmpty else { return .failure(state: nil, pattern: nil) }
        let head = text.prefix(5)
        let isState = head.utf8.count == 5 && head.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
        guard isState && (text.utf8.count == 5 || text.dropFirst(5).first == ":") else {
            return .failure(state: nil, pattern: text)
        }
        let rest = text.dropFirst(6).drop { $0 == " " }
        return .failure(state: String(head), pattern: rest.isEmpty ? nil : String(rest))
    }

    private mutating func readQuery(_ index: Int, _ end: Int, _ words: [String]) throws -> Int {
        var expectation = QueryExpectation(types: words.count > 1 ? words[1] : "")
        for word in words.dropFirst(2) {
            if let sorting = QueryExpectation.Sorting(rawValue: word) {
                expectation.sorting = sorting
            } else if word == "names" {
                expectation.checksNames = true
            } else if word == "match" {
                expectation.isPattern = true
            } else {
                expectation.label = word
            }
        }
        let (sql, next) = try readSQL(index + 1, end)
        var last = next
        if next < end && lines[next] == "----" {
            last = next + 1
            while last < end, !lines[last].isEmpty { last += 1 }
            expectation.lines = try lines[(next + 1)..<last].map { try substitute(String($0), index) }
            expectation.place = loopDepth == 0 ? (next + 1)..<last : nil
        } else if loopDepth == 0 {
            expectation.place = next..<next
        }
        add(.query(sql: sql, expectation), index)
        return last
    }

    /// `file NAME [escaped]`, content, `endfile`. Escaped content knows \n, \r, \t, \0, \\ and \xHH and has no line
    /// ends of its own.
    private mutating func readFile(_ index: Int, _ end: Int, _ words: [String]) throws -> Int {
        guard words.count >= 2 else { throw failure(index, "file needs a name") }
        guard let last = (index..<end).first(where: { lines[$0] == "endfile" }) else {
            throw failure(index, "endfile is missing")
        }
        let body = try lines[(index + 1)..<last].map { try substitute(String($0), index) }
        var content: [UInt8] = []
        if words.count > 2 && words[2] == "escaped" {
            for line in body { content += try unescape(line, index) }
        } else {
            for line in body { content += Array(line.utf8) + [10] }
        }
        add(.file(name: words[1], content: content), index)
        return last + 1
    }

    private func unescape(_ line: String, _ index: Int) throws -> [UInt8] {
        var output: [UInt8] = []
        var rest = Array(line.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                output.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "n"): output.append(10)
            case UInt8(ascii: "r"): output.append(13)
            case UInt8(ascii: "t"): output.append(9)
            case UInt8(ascii: "0"): output.append(0)
            case UInt8(ascii: "\\"): output.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "x"):
                guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { throw failure(index, "\\x needs two hexadecimal digits") }
                output.append(value)
                rest = rest.dropFirst(2)
            default: throw failure(index, "unknown escape in a file")
            }
        }
        return output
    }

    /// `loop NAME FROM TO` (inclusive) or `foreach NAME a b c`, up to the `endloop` of the same level.
    private mutating func readLoop(_ index: Int, _ end: Int, _ words: [String]) throws -> Int {
        guard words.count >= 3 else { throw failure(index, "a loop needs a name and values") }
        var values = Array(words.dropFirst(2))
        if words[0] == "loop" {
            guard values.count == 2, let first = Int(values[0]), let last = Int(values[1]), first <= last else {
                throw failure(index, "loop NAME FROM TO expected")
            }
            values = (first...last).map(String.init)
        }
        var depth = 0
        let close = (index..<end).first { position in
            let word = lines[position].prefix { $0 != " " }
            if word == "loop" || word == "foreach" { depth += 1 }
            if word == "endloop" { depth -= 1 }
            return depth == 0
        }
        guard let close else { throw failure(index, "endloop is missing") }
        let outer = variables[words[1]]
        loopDepth += 1
        for value in values {
            variables[words[1]] = value
            try read((index + 1)..<close)
        }
        loopDepth -= 1
        variables[words[1]] = outer
        return close + 1
    }

    /// Replaces `${name}` by a loop's value and `${repeat:COUNT:TEXT}` by many copies of a text.
    private func substitute(_ text: String, _ line: Int) throws -> String {
        guard text.contains("${") else { return text }
        var output = ""
        var rest = text[...]
        while let open = rest.range(of: "${"[...]) {
            output += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstIndex(of: "}") else {
                throw failure(line, "} is missing")
            }
            output += try value(rest[open.upperBound..<close], line)
            rest = rest[rest.index(after: close)...]
        }
        return output + rest
    }

    private func value(_ name: Substring, _ line: Int) throws -> String {
        let parts = name.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3, parts[0] == "repeat", let count = Int(parts[1]) {
            return String(repeating: String(parts[2]), count: count)
        }
        guard let value = variables[String(name)] else { throw failure(line, "unknown variable \"\(name)\"") }
        return value
    }
}

extension Substring {
    /// The first occurrence of a short text.
    fileprivate func range(of wanted: Substring) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(wanted) { return start..<index(start, offsetBy: wanted.count) }
            start = index(after: start)
        }
        return nil
    }
}
