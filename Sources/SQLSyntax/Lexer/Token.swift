/// A piece of the text: its class and where it stands. What it means is decoded only when the parser asks.
struct Token: Sendable {
    let kind: TokenKind
    /// ``Keyword/none`` unless `kind` is `.word`.
    let keyword: Keyword
    /// Byte offset and length, with quotes.
    let offset: UInt32
    let length: UInt32

    @inline(__always) var start: Int { Int(offset) }
    @inline(__always) var end: Int { Int(offset) + Int(length) }
}

enum TokenKind: UInt8, Sendable {
    case endOfInput
    case word, quotedName
    /// `backslashString` is an ordinary literal in which a backslash is an escape.
    case string, backslashString, escapeString, dollarString
    case integer, decimal, float, parameter
    case leftParenthesis, rightParenthesis, leftBracket, rightBracket, comma, semicolon, dot, colon, doubleColon
    case plus, dash, star, slash, percentSign, caret, squareRoot, cubeRoot, atSign, hash, ampersand, pipe, tilde
    case shiftLeft, shiftRight, concatenate
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
    case matchesIgnoringCase, notMatches, notMatchesIgnoringCase
    /// `~~`, `~~*`, `!~~`, `!~~*`: LIKE and ILIKE as operators.
    case likeSign, insensitiveLikeSign, notLikeSign, notInsensitiveLikeSign
    case arrow, assign
    /// A byte that no token begins with.
    case other

    var isString: Bool { isQuotedString || self == .dollarString }
    var isQuotedString: Bool { self == .string || self == .backslashString || self == .escapeString }
}
