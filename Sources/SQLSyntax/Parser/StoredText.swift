import SQLTypes

/// Texts of definitions in the catalog. Those written before backslashes were escapes in ordinary literals hold them
/// there as plain characters, so stored text is read with ``SyntaxOptions/stored``, without such escapes, and new
/// definitions have `E''` wherever a literal has one.
package enum StoredText {
    /// In front of texts whose quoted names keep their case: they were written under
    /// `enable_case_sensitive_identifier`.
    static let caseMark = "/*case-sensitive*/ "

    /// In front of texts with literals that were written under another zone or order of dates than the usual ones:
    /// `/*dates: DMY, Europe/Berlin*/ `.
    private static let dateMark = "/*dates: "
    private static let markEnd = "*/ "
    private static let orders: [(name: String, order: DatetimeContext.Order)] = [
        ("MDY", .monthDayYear), ("DMY", .dayMonthYear), ("YMD", .yearMonthDay),
    ]

    /// The text with a note of what its literals of dates and times mean to whoever writes it.
    package static func dated(_ text: String, _ writer: DatetimeContext) -> String {
        let zone = writer.zone.name
        let isUsual = writer.order == .monthDayYear && zone == ZoneRules.utc.name
        guard !isUsual, text.utf8.contains(0x27), !zone.contains("*"),
            let order = orders.first(where: { $0.order == writer.order })
        else { return text }
        let mark = "\(dateMark)\(order.name), \(zone)\(markEnd)"
        return text.hasPrefix(caseMark) ? caseMark + mark + text.dropFirst(caseMark.count) : mark + text
    }

    /// What literals of dates and times in the text mean, whoever reads it.
    package static func dates(of stored: String) -> (order: DatetimeContext.Order, zone: ZoneRules) {
        let text = withoutCaseMark(stored)
        guard text.hasPrefix(dateMark) else { return (.monthDayYear, .utc) }
        let parts = text.split(separator: markEnd, maxSplits: 1)
        let words = parts[0].dropFirst(dateMark.count).split(separator: ", ", maxSplits: 1)
        let order = orders.first { $0.name == words.first ?? "" }?.order
        return (order ?? .monthDayYear, ZoneRules.named(words.count > 1 ? String(words[1]) : "") ?? .utc)
    }

    private static func withoutCaseMark(_ stored: String) -> Substring {
        stored.hasPrefix(caseMark) ? stored.dropFirst(caseMark.count) : stored[...]
    }

    private static func withoutMarks(_ stored: String) -> String {
        let text = withoutCaseMark(stored)
        guard text.hasPrefix(dateMark) else { return String(text) }
        let parts = text.split(separator: markEnd, maxSplits: 1)
        return String(parts.count > 1 ? parts[1] : text)
    }

    /// How the text of a definition is read.
    package static func options(of stored: String) -> SyntaxOptions {
        SyntaxOptions(keepsQuotedCase: stored.hasPrefix(caseMark), backslashEscapes: false)
    }

    /// The definition as a statement's text, with the same meaning.
    package static func statementText(_ stored: String) -> String {
        let stored = withoutMarks(stored)
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
