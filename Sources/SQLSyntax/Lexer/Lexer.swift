/// Cuts SQL text into tokens, over UTF-8 bytes and without creating strings.
struct Lexer {
    /// Why a token does not end.
    enum Failure: Error {
        case openString(start: Int)
        case openName(start: Int)
        case openComment(start: Int)
        case openDollarQuote(start: Int)
        case emptyName(start: Int)
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var offset: Int
    /// Whether a `#` may begin a temporary table's name here: not behind an operand, where it is XOR.
    private var isNameExpected = true
    private let backslashEscapes: Bool

    /// - Parameter backslashEscapes: as in statements; stored texts keep backslashes as they are.
    init(_ bytes: UnsafeBufferPointer<UInt8>, from offset: Int = 0, backslashEscapes: Bool = true) {
        self.bytes = bytes
        self.offset = offset
        self.backslashEscapes = backslashEscapes
    }

    /// The next token; `.endOfInput` at the end, again and again.
    mutating func next() throws(Failure) -> Token {
        try skipBlanks()
        let start = offset
        guard start < bytes.count else { return make(.endOfInput, start) }
        let token = try scan(start, bytes[start])
        switch token.kind {
        case .word: isNameExpected = token.keyword != .none
        case .quotedName, .string, .backslashString, .escapeString, .dollarString, .integer, .decimal, .float,
            .parameter, .rightParenthesis, .rightBracket:
            isNameExpected = false
        default: isNameExpected = true
        }
        return token
    }

    @inline(__always)
    private func peek(_ distance: Int) -> UInt8 {
        let index = offset + distance
        return index < bytes.count ? bytes[index] : 0
    }

    @inline(__always)
    private func make(_ kind: TokenKind, _ start: Int, keyword: Keyword = .none) -> Token {
        Token(
            kind: kind, keyword: keyword, offset: UInt32(truncatingIfNeeded: start),
            length: UInt32(truncatingIfNeeded: offset - start))
    }

    private mutating func scan(_ start: Int, _ byte: UInt8) throws(Failure) -> Token {
        if ASCII.isNameStart(byte) {
            if peek(1) == 39 {
                if byte | 0x20 == 101 { return try escapeString(start) }
                if byte | 0x20 == 110 {
                    offset += 1
                    return try string(start)
                }
            }
            return word(start)
        }
        if ASCII.isDigit(byte) || (byte == 46 && ASCII.isDigit(peek(1)) && !isBehindDot) { return number(start) }
        switch byte {
        case 39: return try string(start)
        case 34: return try quotedName(start)
        case 36: return try dollar(start)
        case 35 where isNameExpected && ASCII.isNameStart(peek(1)):
            offset += 1
            return word(start)
        default: return symbol(start, byte)
        }
    }

    /// The second `.` of `1..10`.
    private var isBehindDot: Bool { offset > 0 && bytes[offset - 1] == 46 }

    /// Blanks and both kinds of comments; `/* */` nests.
    private mutating func skipBlanks() throws(Failure) {
        while offset < bytes.count {
            let byte = bytes[offset]
            if ASCII.isSpace(byte) {
                offset += 1
            } else if byte == 45, peek(1) == 45 {
                while offset < bytes.count, bytes[offset] != 10 { offset += 1 }
            } else if byte == 47, peek(1) == 42 {
                try skipComment()
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(Failure) {
        let start = offset
        var depth = 0
        while offset < bytes.count {
            if bytes[offset] == 47, peek(1) == 42 {
                depth += 1
                offset += 2
            } else if bytes[offset] == 42, peek(1) == 47 {
                depth -= 1
                offset += 2
                if depth == 0 { return }
            } else {
                offset += 1
            }
        }
        throw .openComment(start: start)
    }

    private mutating func word(_ start: Int) -> Token {
        var hash = KeywordTable.hashSeed
        if offset > start { hash = KeywordTable.mix(hash, bytes[start]) }
        while offset < bytes.count, ASCII.isNamePart(bytes[offset]) {
            hash = KeywordTable.mix(hash, bytes[offset])
            offset += 1
        }
        let text = UnsafeBufferPointer(rebasing: bytes[start..<offset])
        return make(.word, start, keyword: KeywordTable.shared.find(text, hash: hash))
    }

    private mutating func number(_ start: Int) -> Token {
        var kind = TokenKind.integer
        skipDigits()
        // `1..2` is not a decimal.
        if peek(0) == 46, peek(1) != 46 {
            kind = .decimal
            offset += 1
            skipDigits()
        }
        if peek(0) | 0x20 == 101 {
            let sign = peek(1) == 43 || peek(1) == 45
            if ASCII.isDigit(peek(sign ? 2 : 1)) {
                kind = .float
                offset += sign ? 2 : 1
                skipDigits()
            }
        }
        return make(kind, start)
    }

    private mutating func skipDigits() {
        while offset < bytes.count, ASCII.isDigit(bytes[offset]) { offset += 1 }
    }

    /// `offset` stands on the opening quote.
    private mutating func string(_ start: Int) throws(Failure) -> Token {
        offset += 1
        let hasEscape = try skipLiteral(start, escapes: backslashEscapes)
        return make(hasEscape ? .backslashString : .string, start)
    }

    private mutating func escapeString(_ start: Int) throws(Failure) -> Token {
        offset += 2
        _ = try skipLiteral(start, escapes: true)
        return make(.escapeString, start)
    }

    /// From behind the opening quote to behind the closing one; true when there is an escape between them.
    private mutating func skipLiteral(_ start: Int, escapes: Bool) throws(Failure) -> Bool {
        var hasEscape = false
        while offset < bytes.count {
            if bytes[offset] == 39 {
                offset += 1
                if peek(0) != 39 { return hasEscape }
            } else if escapes, bytes[offset] == 92 {
                hasEscape = true
                offset += 1
            }
            offset += 1
        }
        offset = min(offset, bytes.count)
        throw .openString(start: start)
    }

    private mutating func quotedName(_ start: Int) throws(Failure) -> Token {
        offset += 1
        while offset < bytes.count {
            if bytes[offset] == 34 {
                offset += 1
                if peek(0) != 34 {
                    if offset - start == 2 { throw .emptyName(start: start) }
                    return make(.quotedName, start)
                }
            }
            offset += 1
        }
        throw .openName(start: start)
    }

    /// `$1` or `$tag$ ... $tag$`.
    private mutating func dollar(_ start: Int) throws(Failure) -> Token {
        offset += 1
        if ASCII.isDigit(peek(0)) {
            skipDigits()
            return make(.parameter, start)
        }
        if ASCII.isNameStart(peek(0)) {
            while ASCII.isNameStart(peek(0)) || ASCII.isDigit(peek(0)) { offset += 1 }
        }
        guard peek(0) == 36 else {
            offset = start + 1
            return make(.other, start)
        }
        offset += 1
        let tagLength = offset - start
        while offset + tagLength <= bytes.count {
            if bytes[offset] == 36, isTag(at: offset, from: start, length: tagLength) {
                offset += tagLength
                return make(.dollarString, start)
            }
            offset += 1
        }
        offset = bytes.count
        throw .openDollarQuote(start: start)
    }

    private func isTag(at place: Int, from start: Int, length: Int) -> Bool {
        for index in 0..<length where bytes[place + index] != bytes[start + index] { return false }
        return true
    }

    private mutating func symbol(_ start: Int, _ byte: UInt8) -> Token {
        let (kind, length) = symbolKind(byte)
        offset += length
        return make(kind, start)
    }

    private func symbolKind(_ byte: UInt8) -> (TokenKind, Int) {
        switch byte {
        case 40: (.leftParenthesis, 1)
        case 41: (.rightParenthesis, 1)
        case 91: (.leftBracket, 1)
        case 93: (.rightBracket, 1)
        case 44: (.comma, 1)
        case 59: (.semicolon, 1)
        case 46: (.dot, 1)
        case 43: (.plus, 1)
        case 45: (.dash, 1)
        case 42: (.star, 1)
        case 47: (.slash, 1)
        case 37: (.percentSign, 1)
        case 94: (peek(1) == 61 ? .notEqual : .caret, peek(1) == 61 ? 2 : 1)
        case 64: (.atSign, 1)
        case 35: (.hash, 1)
        case 38: (.ampersand, 1)
        case 126: tildeKind()
        default: comparisonKind(byte)
        }
    }

    private func tildeKind() -> (TokenKind, Int) {
        switch peek(1) {
        case 126: peek(2) == 42 ? (.insensitiveLikeSign, 3) : (.likeSign, 2)
        case 42: (.matchesIgnoringCase, 2)
        default: (.tilde, 1)
        }
    }

    private func comparisonKind(_ byte: UInt8) -> (TokenKind, Int) {
        let second = peek(1)
        switch byte {
        case 58: return second == 58 ? (.doubleColon, 2) : second == 61 ? (.assign, 2) : (.colon, 1)
        case 61: return second == 62 ? (.arrow, 2) : (.equal, 1)
        case 60:
            if second == 61 { return (.lessOrEqual, 2) }
            if second == 62 { return (.notEqual, 2) }
            return second == 60 ? (.shiftLeft, 2) : (.less, 1)
        case 62: return second == 61 ? (.greaterOrEqual, 2) : second == 62 ? (.shiftRight, 2) : (.greater, 1)
        case 33:
            if second == 61 { return (.notEqual, 2) }
            if second == 126 && peek(2) == 126 {
                return peek(3) == 42 ? (.notInsensitiveLikeSign, 4) : (.notLikeSign, 3)
            }
            if second == 126 { return peek(2) == 42 ? (.notMatchesIgnoringCase, 3) : (.notMatches, 2) }
            return (.other, 1)
        case 124:
            if second == 124 { return peek(2) == 47 ? (.cubeRoot, 3) : (.concatenate, 2) }
            return second == 47 ? (.squareRoot, 2) : (.pipe, 1)
        default: return (.other, 1)
        }
    }
}
