import SQLSyntax

/// What a statement comes as.
enum StatementInput {
    /// A text that is one query and nothing else, with its template.
    case text(String, StatementTemplate)
    /// A statement of this text.
    case parsed(ParsedStatement, String)
    /// With the values of its parameters.
    case prepared(PreparedStatement, ParsedStatement, [StatementParameter])
    /// The warehouse's own work, and what the log calls it.
    case program(any StatementProgram, String)

    /// nil for what nobody has parsed: a query, or the warehouse's own work.
    var statement: Statement? {
        switch self {
        case .text, .program: nil
        case .parsed(let parsed, _), .prepared(_, let parsed, _): parsed.statement
        }
    }

    /// The statement as the log may keep it.
    var loggedText: String {
        switch self {
        case .text(let text, let template): text.slice(template.byteRange)
        case .parsed(let parsed, let text): StatementInput.logged(parsed, text)
        case .prepared(let prepared, let parsed, _): StatementInput.logged(parsed, prepared.text)
        case .program(_, let text): text
        }
    }

    private static func logged(_ parsed: ParsedStatement, _ text: String) -> String {
        let source = text.slice(parsed.byteRange)
        return parsed.statement.mayHoldSecrets ? SecretRedaction.redacted(source) : source
    }
}

extension String {
    /// The text of these bytes.
    fileprivate func slice(_ bytes: Range<Int>) -> String {
        if bytes == 0..<utf8.count { return self }
        let start = utf8.index(utf8.startIndex, offsetBy: bytes.lowerBound)
        return String(self[start..<utf8.index(utf8.startIndex, offsetBy: bytes.upperBound)])
    }
}
