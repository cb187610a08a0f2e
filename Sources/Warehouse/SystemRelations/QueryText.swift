/// Statement texts as the log tables keep them.
enum QueryText {
    /// Newlines stand as the two characters `\n`.
    static func oneLine(_ text: String) -> String {
        text.utf8.contains(10) ? text.replacing("\r\n", with: "\\n").replacing("\n", with: "\\n") : text
    }

    private static let secretWords = [
        "password", "credentials", "secret_access_key", "access_key_id", "session_token", "master_symmetric_key",
        "secret_arn", "token",
    ]

    /// String literals behind the words of passwords and keys become `'***'`.
    static func redacted(_ text: String) -> String {
        guard mayHaveSecret(text) else { return text }
        let lower = text.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let literal = secretLiteral(lower, at: index) else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += bytes[index..<literal.lowerBound] + Array("'***'".utf8)
            index = literal.upperBound
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// One pass for the statements that have none: nearly all.
    private static func mayHaveSecret(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count > 5 else { return false }
            for index in 0..<bytes.count - 4 {
                // passw..., crede..., _key, token
                switch bytes[index] | 32 {
                case UInt8(ascii: "p"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "a"), bytes[index + 4] | 32 == 119 { return true }
                case UInt8(ascii: "c"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "r"), bytes[index + 3] | 32 == 100 { return true }
                case UInt8(ascii: "k"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "e"), bytes[index + 2] | 32 == 121 { return true }
                case UInt8(ascii: "t"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "o"), bytes[index + 2] | 32 == 107 { return true }
                case UInt8(ascii: "s"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "e"), bytes[index + 2] | 32 == 99 { return true }
                default: continue
                }
            }
            return false
        }
    }

    /// The literal that belongs to a secret's word that begins here.
    private static func secretLiteral(_ lower: [UInt8], at start: Int) -> Range<Int>? {
        func isName(_ byte: UInt8) -> Bool { byte == 95 || (97...122).contains(byte) || (48...57).contains(byte) }
        if start > 0 && isName(lower[start - 1]) { return nil }
        guard let word = secretWords.first(where: { lower[start...].starts(with: $0.utf8) }) else { return nil }
        var index = start + word.utf8.count
        if index < lower.count && isName(lower[index]) { return nil }
        func skipBlanks() { while index < lower.count, [32, 9, 10, 13, 61].contains(lower[index]) { index += 1 } }
        skipBlanks()
        if lower[index...].starts(with: "as ".utf8) { index += 3 }
        skipBlanks()
        guard index < lower.count, lower[index] == UInt8(ascii: "'") else { return nil }
        let open = index
        index += 1
        while index < lower.count {
            if lower[index] == UInt8(ascii: "'") {
                if index + 1 < lower.count, lower[index + 1] == UInt8(ascii: "'") { index += 1 } else { break }
            }
            index += 1
        }
        return open..<min(index + 1, lower.count)
    }

    /// The text in pieces of at most so many bytes, whole characters each; one empty piece of nothing.
    static func pieces(_ text: String, _ bytes: Int) -> [String] {
        let line = oneLine(text)
        if line.utf8.count <= bytes { return [line] }
        var result: [String] = []
        var piece = ""
        var size = 0
        for scalar in line.unicodeScalars {
            let width = UTF8.width(scalar)
            if size + width > bytes {
                result.append(piece)
                (piece, size) = ("", 0)
            }
            piece.unicodeScalars.append(scalar)
            size += width
        }
        result.append(piece)
        return result
    }

    enum Family: Sendable {
        /// Has rows in STL_QUERY.
        case query
        case definition
        case utility
    }

    /// What a statement is, by its first words; comments before them are skipped.
    static func kind(_ text: String) -> (family: Family, type: String) {
        var words = firstWords(text)
        if words.first == "explain" { return (.utility, "UTILITY") }
        let second = words.count > 1 ? words[1] : ""
        let first = words.isEmpty ? "" : words.removeFirst()
        switch first {
        case "select", "with", "(": return (.query, "SELECT")
        case "insert": return (.query, "INSERT")
        case "update": return (.query, "UPDATE")
        case "delete": return (.query, "DELETE")
        case "merge": return (.query, "OTHER")
        case "copy": return (.query, "COPY")
        case "unload": return (.query, "UNLOAD")
        case "create":
            let isQuery = words.contains("as") && second != "view" && second != "or"
            return isQuery ? (.query, "CTAS") : (.definition, "DDL")
        case "alter", "drop", "truncate", "comment": return (.definition, "DDL")
        default: return (.utility, "UTILITY")
        }
    }

    private static func firstWords(_ text: String) -> [String] {
        var words: [String] = []
        var rest = Substring(text)
        while words.count < 400 {
            rest = rest.drop { $0.isWhitespace }
            if rest.hasPrefix("/*") {
                guard let end = rest.firstRange(of: "*/") else { return words }
                rest = rest[end.upperBound...]
            } else if rest.hasPrefix("--") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.first == "(" {
                if words.isEmpty { return ["("] }
                rest = rest.dropFirst()
            } else {
                let word = rest.prefix { !$0.isWhitespace && $0 != "(" }
                if word.isEmpty { return words }
                words.append(word.lowercased())
                rest = rest[word.endIndex...]
                if words.count == 1 && words[0] != "create" { return words }
            }
        }
        return words
    }
}
