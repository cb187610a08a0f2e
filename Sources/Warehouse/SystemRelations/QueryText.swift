/// Statement texts as the log tables keep them.
enum QueryText {
    /// Newlines stand as the two characters `\n`.
    static func oneLine(_ text: String) -> String {
        text.utf8.contains(10) ? text.replacing("\r\n", with: "\\n").replacing("\n", with: "\\n") : text
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
        if let plain = plainKind(text) { return plain }
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

    /// Of texts that begin with their word, as nearly all do: every statement is asked.
    private static func plainKind(_ text: String) -> (family: Family, type: String)? {
        let first = text.utf8.prefix(7).prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20) }
        switch String(decoding: first.map { $0 | 0x20 }, as: UTF8.self) {
        case "select": return (.query, "SELECT")
        case "insert": return (.query, "INSERT")
        case "update": return (.query, "UPDATE")
        case "delete": return (.query, "DELETE")
        default: return nil
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
