import SQLTypes

extension Parser {
    /// `syntax error at or near "x"` at the current token.
    func syntaxError(expecting keyword: Keyword? = nil) -> SQLError {
        let hint = spellingHint(expecting: keyword)
        if at(.endOfInput) {
            return SQLError(.syntaxError, "syntax error at end of input", hint: hint, at: position)
        }
        return SQLError(
            .syntaxError, "syntax error at or near \"\(SQLError.excerpt(bytes, token.start, token.end))\"", hint: hint,
            at: position)
    }

    func error(_ message: String, state: SQLState = .syntaxError, hint: String? = nil) -> SQLError {
        SQLError(state, message, hint: hint, at: position)
    }

    func tooComplex() -> SQLError {
        SQLError(
            .statementTooComplex, "stack depth limit exceeded",
            detail: "The statement is nested more than \(SyntaxLimits.nestingDepth) levels deep, or chains more than "
                + "\(SyntaxLimits.treeHeight) operators.",
            hint: "Split the statement, or write long chains as lists.", at: position)
    }

    /// A likely misspelled keyword: the word at the error, or the one before it that was taken as an alias.
    private func spellingHint(expecting keyword: Keyword?) -> String? {
        let places = index > 0 ? [index, index - 1] : [index]
        for place in places {
            let token = tokens[place]
            guard token.kind == .word, token.keyword == .none, token.length >= 3, token.length <= 16 else { continue }
            let word = TokenText.lowered(TokenText.raw(bytes, token))
            let candidates = keyword.map { [$0] } ?? []
            let keywords = candidates + Self.suggestedKeywords
            guard let best = SpellingSuggestion.nearest(to: word, among: keywords) else { continue }
            return "Did you mean \(TokenText.uppered(best.rawValue))?"
        }
        return nil
    }

    private static let suggestedKeywords: [Keyword] = [
        .select, .from, .where, .group, .order, .having, .limit, .offset, .join, .inner, .left, .right, .full, .cross,
        .union, .intersect, .except, .insert, .into, .values, .update, .set, .delete, .using, .create, .table, .view,
        .schema, .drop, .alter, .column, .distinct, .between, .case, .when, .then, .else, .end, .truncate, .copy,
        .unload,
        .vacuum, .analyze, .explain, .with, .and, .not, .null, .like, .exists, .begin, .commit, .rollback, .grant,
        .revoke, .primary, .references, .default, .distkey, .sortkey, .diststyle, .encode, .qualify, .show,
    ]
}

/// Finds the keyword that a misspelled word was meant to be.
enum SpellingSuggestion {
    static func nearest(to word: String, among keywords: [Keyword]) -> Keyword? {
        var best: (keyword: Keyword, distance: Int)?
        let letters = Array(word.utf8)
        for keyword in keywords {
            let distance = distance(letters, Array(keyword.rawValue.utf8))
            let allowed = letters.count <= 4 ? 1 : 2
            if distance <= allowed, distance < best?.distance ?? .max { best = (keyword, distance) }
        }
        return best?.keyword
    }

    /// Edits to turn one word into the other, where swapping two neighbours is one edit.
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        if (left.count - right.count).magnitude > 2 { return 3 }
        var before = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                var cost = last[column] + (left[row] == right[column] ? 0 : 1)
                cost = min(cost, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            before = last
            last = current
        }
        return last[right.count]
    }
}

extension SQLError {
    /// What stands in the quotes of "at or near": long texts are cut.
    static func excerpt(_ bytes: [UInt8], _ start: Int, _ end: Int) -> String {
        let limit = 100
        guard end - start > limit else { return String(decoding: bytes[start..<end], as: UTF8.self) }
        var cut = start + limit
        while cut > start, bytes[cut] & 0xC0 == 0x80 { cut -= 1 }
        return String(decoding: bytes[start..<cut], as: UTF8.self) + "..."
    }

    init(lexical failure: Lexer.Failure, in bytes: [UInt8]) {
        let (message, start): (String, Int) =
            switch failure {
            case .openString(let start): ("unterminated quoted string", start)
            case .openName(let start): ("unterminated quoted identifier", start)
            case .openComment(let start): ("unterminated /* comment", start)
            case .openDollarQuote(let start): ("unterminated dollar-quoted string", start)
            case .emptyName(let start): ("zero-length delimited identifier", start)
            }
        let end: Int = if case .emptyName = failure { start + 2 } else { bytes.count }
        self.init(
            .syntaxError, "\(message) at or near \"\(Self.excerpt(bytes, start, end))\"",
            position: CharacterPositions.position(of: start, in: bytes))
    }
}
