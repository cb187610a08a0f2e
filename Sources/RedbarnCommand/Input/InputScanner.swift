import SQLTypes

/// Cuts input into statements and backslash commands line by line, so that large scripts are read in one pass, and puts
/// the values of shell variables in. Follows the lexer's rules for what hides a `;`.
struct InputScanner {
    enum Event: Equatable {
        /// A statement with its `;` left out.
        case statement(String)
        /// A backslash command, from the backslash to the end of its line.
        case command(String)
    }
    enum Mode: Equatable {
        case normal
        case string
        case name
        case dollar([UInt8])
        case comment(depth: Int)
    }
    private(set) var mode = Mode.normal
    private(set) var openParentheses = 0
    private var pending: [UInt8] = []
    private(set) var hasContent = false

    var pendingText: String { String(decoding: pending, as: UTF8.self) }
    var isEmpty: Bool { !hasContent && mode == .normal }

    mutating func reset() { self = InputScanner() }

    /// What is left at the end of the input.
    mutating func finish() -> String? {
        defer { reset() }
        return hasContent ? pendingText : nil
    }

    /// - Parameter line: without its line end.
    mutating func feed(_ line: String, variables: ShellVariables) -> [Event] {
        var events: [Event] = []
        let bytes = Array(line.utf8)
        var at = 0
        while at < bytes.count {
            if mode != .normal {
                at = continueQuoted(bytes, at)
                continue
            }
            switch bytes[at] {
            case UInt8(ascii: ";"):
                if hasContent { events.append(.statement(pendingText)) }
                reset()
                at += 1
            case UInt8(ascii: "\\"):
                events.append(.command(String(decoding: bytes[at...], as: UTF8.self)))
                at = bytes.count
            case UInt8(ascii: ":"):
                at = variable(bytes, at, variables)
            default:
                at = normal(bytes, at)
            }
        }
        if !hasContent && mode == .normal { pending = [] } else { pending.append(10) }
        return events
    }

    private mutating func normal(_ bytes: [UInt8], _ start: Int) -> Int {
        let byte = bytes[start]
        let next = start + 1 < bytes.count ? bytes[start + 1] : 0
        switch byte {
        case UInt8(ascii: "'"): mode = .string
        case UInt8(ascii: "\""): mode = .name
        case UInt8(ascii: "-") where next == UInt8(ascii: "-"):
            if hasContent { pending += bytes[start...] }
            return bytes.count
        case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
            mode = .comment(depth: 1)
            pending += [byte, next]
            return start + 2
        case UInt8(ascii: "$"):
            if let tag = dollarTag(bytes, start) {
                mode = .dollar(tag)
                hasContent = true
                pending += tag
                return start + tag.count
            }
        case UInt8(ascii: "("): openParentheses += 1
        case UInt8(ascii: ")"): openParentheses = max(0, openParentheses - 1)
        default: break
        }
        if !hasContent && (byte == 0x20 || (byte >= 9 && byte <= 13)) { return start + 1 }
        hasContent = true
        pending.append(byte)
        return start + 1
    }

    /// Inside quotes and comments, up to their end or the end of the line.
    private mutating func continueQuoted(_ bytes: [UInt8], _ start: Int) -> Int {
        let byte = bytes[start]
        let next = start + 1 < bytes.count ? bytes[start + 1] : 0
        var length = 1
        switch mode {
        case .normal: break
        case .string:
            if byte == UInt8(ascii: "\\") && start + 1 < bytes.count {
                length = 2
            } else if byte == UInt8(ascii: "'") {
                if next == byte { length = 2 } else { mode = .normal }
            }
        case .name:
            if byte == UInt8(ascii: "\"") {
                if next == byte { length = 2 } else { mode = .normal }
            }
        case .dollar(let tag):
            if byte == UInt8(ascii: "$"), bytes[start...].starts(with: tag) {
                length = tag.count
                mode = .normal
            }
        case .comment(let depth):
            if byte == UInt8(ascii: "*") && next == UInt8(ascii: "/") {
                length = 2
                mode = depth == 1 ? .normal : .comment(depth: depth - 1)
            } else if byte == UInt8(ascii: "/") && next == UInt8(ascii: "*") {
                length = 2
                mode = .comment(depth: depth + 1)
            }
        }
        pending += bytes[start..<(start + length)]
        if mode == .normal && !hasContent { pending = [] }
        return start + length
    }

    /// `$tag$` at a place, nil when it is something else.
    private func dollarTag(_ bytes: [UInt8], _ start: Int) -> [UInt8]? {
        if start > 0 && InputScanner.isNameByte(bytes[start - 1]) { return nil }
        var end = start + 1
        while end < bytes.count, InputScanner.isNameByte(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "$") else { return nil }
        if end > start + 1, bytes[start + 1] >= 48, bytes[start + 1] <= 57 { return nil }
        return Array(bytes[start...end])
    }

    /// `:name`, `:'name'` and `:"name"`; a cast's `::` and unknown names stay.
    private mutating func variable(_ bytes: [UInt8], _ start: Int, _ variables: ShellVariables) -> Int {
        if start + 1 < bytes.count, bytes[start + 1] == UInt8(ascii: ":") {
            pending += bytes[start...(start + 1)]
            return start + 2
        }
        var first = start + 1
        var quote: UInt8?
        if first < bytes.count, bytes[first] == UInt8(ascii: "'") || bytes[first] == UInt8(ascii: "\"") {
            quote = bytes[first]
            first += 1
        }
        var end = first
        while end < bytes.count, InputScanner.isNameByte(bytes[end]), bytes[end] != UInt8(ascii: "$") { end += 1 }
        let closed = quote == nil || (end < bytes.count && bytes[end] == quote)
        let name = String(decoding: bytes[first..<end], as: UTF8.self)
        guard closed, end > first, let value = variables[name] else {
            hasContent = true
            pending.append(bytes[start])
            return start + 1
        }
        hasContent = true
        switch quote {
        case UInt8(ascii: "'"): pending += Array(LiteralText.quoted(value).utf8)
        case let mark?: pending += InputScanner.quoted(value, with: mark)
        case nil: pending += Array(value.utf8)
        }
        return quote == nil ? end : end + 1
    }

    static func quoted(_ value: String, with quote: UInt8) -> [UInt8] {
        var result = [quote]
        for byte in value.utf8 {
            if byte == quote { result.append(quote) }
            result.append(byte)
        }
        result.append(quote)
        return result
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 95, 36, 128...255: true
        default: false
        }
    }
}

/// The values of `\set` and `--set`.
struct ShellVariables {
    private var values: [String: String] = [:]
    subscript(_ name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }
    var sorted: [(name: String, value: String)] {
        values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }
    /// True for on, true, yes, 1.
    func isOn(_ name: String) -> Bool {
        switch values[name]?.lowercased() {
        case "on", "true", "yes", "1": true
        default: false
        }
    }
}
