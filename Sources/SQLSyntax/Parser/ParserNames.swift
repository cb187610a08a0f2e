import SQLTypes

extension Parser {
    /// A column, table or schema name.
    func isName(_ token: Token) -> Bool {
        if token.kind == .quotedName { return true }
        guard token.kind == .word else { return false }
        if token.keyword == .none { return true }
        switch token.keyword.category {
        case .unreserved, .columnName: return true
        case .functionName, .reserved: return false
        }
    }

    /// A name that may follow an expression or table without AS.
    func isBareAlias(_ token: Token) -> Bool {
        if token.keyword == .none { return token.kind == .word || token.kind == .quotedName }
        switch token.keyword {
        case .exclude, .qualify, .connect, .start, .window, .fetch, .set, .over, .at, .lateral, .escape, .prior,
            .values:
            return false
        default: return isName(token)
        }
    }

    var atName: Bool { isName(token) }

    private mutating func takeIdentifier() -> Identifier {
        let result = TokenText.identifier(
            bytes, token, position: position, keepsQuotedCase: options.keepsQuotedCase)
        advance()
        return result
    }

    mutating func name() throws -> Identifier {
        guard atName else { throw syntaxError() }
        return takeIdentifier()
    }

    /// Any word: behind AS or a dot.
    mutating func label() throws -> Identifier {
        guard at(.word) || at(.quotedName) else { throw syntaxError() }
        return takeIdentifier()
    }

    mutating func objectName() throws -> ObjectName {
        var parts = [try name()]
        while at(.dot) {
            guard parts.count < 4 else { throw error("improper qualified name (too many dotted names)") }
            advance()
            parts.append(try label())
        }
        return ObjectName(parts: parts)
    }

    mutating func nameList() throws -> [Identifier] {
        try parenthesizedList { try $0.name() }
    }

    mutating func optionalNameList() throws -> [Identifier] {
        at(.leftParenthesis) ? try nameList() : []
    }

    /// User, group and role names: also PUBLIC-like words and `sys:dba`, `IAM:x`.
    mutating func roleName() throws -> Identifier {
        let start = index
        let first = at(.user) || at(.current_user) || at(.session_user) ? try label() : try name()
        guard at(.colon), token.start == tokens[start].end else { return first }
        advance()
        let second = try label()
        return Identifier(first.text + ":" + second.text, position: first.position)
    }

    /// A string literal, pieces on separate lines joined.
    mutating func stringLiteral() throws -> String {
        guard token.kind.isString else { throw syntaxError() }
        var text = try literalPiece()
        while isNextPiece, tokens[index - 1].kind != .dollarString, isOnLaterLine {
            text += try literalPiece()
        }
        return text
    }

    private var isNextPiece: Bool {
        at(.string) || at(.backslashString) || (at(.escapeString) && !options.backslashEscapes)
    }

    private mutating func literalPiece() throws -> String {
        guard let text = TokenText.string(bytes, token), !text.utf8.contains(0) else {
            throw error("invalid byte sequence for encoding \"UTF8\"", state: .characterNotInRepertoire)
        }
        advance()
        return text
    }

    /// A literal among COPY's and UNLOAD's options. `'\N'` is that mark and not the letter, and `'\0'` is NUL, which
    /// other literals cannot hold.
    mutating func optionLiteral() throws -> String {
        guard token.kind == .backslashString else { return try stringLiteral() }
        let written = TokenText.raw(bytes, token)
        let isNullByte = TokenText.string(bytes, token) == "\0"
        guard isNullByte || written == "'\\N'" else { return try stringLiteral() }
        advance()
        return isNullByte ? "\\0" : "\\N"
    }

    private var isOnLaterLine: Bool {
        bytes[tokens[index - 1].end..<token.start].contains { $0 == 10 || $0 == 13 }
    }

    /// A whole number with an optional sign.
    mutating func integer() throws -> Int64 {
        let start = index
        let isNegative = take(.dash)
        if !isNegative { _ = take(.plus) }
        guard at(.integer) else { throw syntaxError() }
        let digits = TokenText.raw(bytes, token)
        guard let value = Int64(isNegative ? "-" + digits : digits) else {
            throw SQLError(
                .numericOutOfRange, "value \"\(digits)\" is out of range for type bigint", at: position(of: start))
        }
        advance()
        return value
    }
}
