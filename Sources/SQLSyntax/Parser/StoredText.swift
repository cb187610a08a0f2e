/// Texts of definitions in the catalog. Those written before backslashes were escapes in ordinary literals hold them
/// there as plain characters, so stored text is read with ``SyntaxOptions/stored``, without such escapes, and new
/// definitions have `E''` wherever a literal has one.
package enum StoredText {
    /// In front of texts whose quoted names keep their case: they were written under
    /// `enable_case_sensitive_identifier`.
    static let caseMark = "/*case-sensitive*/ "

    /// How the text of a definition is read.
    package static func options(of stored: String) -> SyntaxOptions {
        SyntaxOptions(keepsQuotedCase: stored.hasPrefix(caseMark), backslashEscapes: false)
    }

    /// The definition as a statement's text, with the same meaning.
    package static func statementText(_ stored: String) -> String {
        if stored.hasPrefix(caseMark) { return statementText(String(stored.dropFirst(caseMark.count))) }
        guard stored.utf8.contains(0x5C) else { return stored }
        let bytes = Array(stored.utf8)
        let tokens = bytes.withUnsafeBufferPointer { buffer -> [Token] in
            var lexer = Lexer(buffer, backslashEscapes: false)
            var tokens: [Token] = []
            while let token = try? lexer.next(), token.kind != .endOfInput {
                let text = bytes[token.start..<token.end]
                if token.kind == .string, text.contains(0x5C) { tokens.append(token) }
            }
            return tokens
        }
        return rewritten(bytes, 0..<bytes.count, tokens)
    }

    /// The range of the text with each of the literals written anew.
    static func rewritten(_ bytes: [UInt8], _ range: Range<Int>, _ literals: [Token]) -> String {
        var result: [UInt8] = []
        var copied = range.lowerBound
        for token in literals {
            guard let text = TokenText.string(bytes, token) else { continue }
            result += bytes[copied..<token.start]
            result += Array(SQLPrinter.literal(text).utf8)
            copied = token.end
        }
        return String(decoding: result + bytes[copied..<range.upperBound], as: UTF8.self)
    }
}
