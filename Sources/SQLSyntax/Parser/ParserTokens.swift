import SQLTypes

/// Looking at tokens and taking them.
extension Parser {
    @inline(__always)
    var token: Token { tokens[index] }

    /// The token `distance` further on; the end token beyond the end.
    @inline(__always)
    func peek(_ distance: Int = 1) -> Token { tokens[min(index + distance, tokens.count - 1)] }

    @inline(__always)
    func at(_ kind: TokenKind) -> Bool { tokens[index].kind == kind }

    @inline(__always)
    func at(_ keyword: Keyword) -> Bool { tokens[index].keyword == keyword }

    func at(_ first: Keyword, _ second: Keyword) -> Bool {
        tokens[index].keyword == first && peek().keyword == second
    }

    func at(anyOf keywords: Keyword...) -> Bool {
        let keyword = token.keyword
        return keyword != .none && keywords.contains(keyword)
    }

    /// A word that is not in the keyword list, compared without case.
    func at(word: StaticString) -> Bool { matches(token, word) }

    func matches(_ token: Token, _ word: StaticString) -> Bool {
        guard token.kind == .word, Int(token.length) == word.utf8CodeUnitCount else { return false }
        let start = token.start
        for offset in 0..<word.utf8CodeUnitCount where ASCII.lower(bytes[start + offset]) != word.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Moves on, but never behind the end token.
    mutating func advance() {
        if index < tokens.count - 1 { index += 1 }
    }

    mutating func take(_ kind: TokenKind) -> Bool {
        guard at(kind) else { return false }
        advance()
        return true
    }

    mutating func take(_ keyword: Keyword) -> Bool {
        guard at(keyword) else { return false }
        advance()
        return true
    }

    /// Both words or none.
    mutating func take(_ first: Keyword, _ second: Keyword) -> Bool {
        guard at(first, second) else { return false }
        index += 2
        return true
    }

    mutating func take(word: StaticString) -> Bool {
        guard at(word: word) else { return false }
        advance()
        return true
    }

    mutating func expect(_ kind: TokenKind) throws {
        guard take(kind) else { throw syntaxError() }
    }

    mutating func expect(_ keyword: Keyword) throws {
        guard take(keyword) else { throw syntaxError(expecting: keyword) }
    }

    mutating func expect(_ first: Keyword, _ second: Keyword) throws {
        try expect(first)
        try expect(second)
    }

    func expectEnd() throws {
        guard at(.endOfInput) else { throw syntaxError() }
    }

    var position: SourcePosition { position(of: index) }

    func position(of index: Int) -> SourcePosition {
        if characterPositions.isEmpty { return SourcePosition(Int(tokens[index].offset) + 1) }
        return SourcePosition(Int(characterPositions[index]))
    }

    /// The source text from one token up to, not including, another.
    func text(from start: Int, to end: Int) -> String {
        guard end > start else { return "" }
        return String(decoding: bytes[tokens[start].start..<tokens[end - 1].end], as: UTF8.self)
    }

    /// The text as the catalog keeps it, see ``StoredText``.
    func storedText(from start: Int, to end: Int) -> String {
        guard end > start else { return "" }
        let literals = tokens[start..<end].filter { $0.kind == .backslashString }
        let text = StoredText.rewritten(bytes, tokens[start].start..<tokens[end - 1].end, literals)
        let hasCapitals =
            options.keepsQuotedCase
            && tokens[start..<end].contains {
                $0.kind == .quotedName && TokenText.raw(bytes, $0) != TokenText.lowered(TokenText.raw(bytes, $0))
            }
        return hasCapitals ? StoredText.caseMark + text : text
    }

    /// `element, element, ...`
    mutating func list<Element>(_ element: (inout Parser) throws -> Element) throws -> [Element] {
        var result = [try element(&self)]
        while take(.comma) { result.append(try element(&self)) }
        return result
    }

    /// `( element, ... )`
    mutating func parenthesizedList<Element>(_ element: (inout Parser) throws -> Element) throws -> [Element] {
        try expect(.leftParenthesis)
        let result = try list(element)
        try expect(.rightParenthesis)
        return result
    }

    /// Runs one more level of recursion, and refuses when there are too many.
    @inline(__always)
    mutating func nested<Element>(_ body: (inout Parser) throws -> Element) throws -> Element {
        depth += 1
        if depth > SyntaxLimits.nestingDepth { throw tooComplex() }
        try budget?.check()
        let outer = tallest
        tallest = 0
        let result = try body(&self)
        tallest = max(outer, tallest + 1)
        if tallest > SyntaxLimits.treeHeight { throw tooComplex() }
        depth -= 1
        return result
    }

    /// One more node above what was parsed so far at this level.
    mutating func grow() throws {
        tallest += 1
        if tallest > SyntaxLimits.treeHeight { throw tooComplex() }
    }
}
