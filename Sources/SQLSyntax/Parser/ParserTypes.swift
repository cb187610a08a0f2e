import SQLTypes

extension Parser {
    /// A type name with its modifiers, qualifiers and array brackets.
    mutating func typeName() throws -> ParsedTypeName {
        let place = position
        if take(.interval) { return try intervalType(place) }
        var words = try typeWords()
        if at(.less), ["struct", "array", "map"].contains(words) { return try nestedType(words, place) }
        var modifiers: [Int?] = []
        if at(.leftParenthesis) { modifiers = try typeModifiers() }
        if words == "time" || words == "timestamp" { words += try zoneSuffix() }
        var arrayDepth = 0
        while take(.leftBracket) {
            if at(.integer) { advance() }
            try expect(.rightBracket)
            arrayDepth += 1
        }
        return ParsedTypeName(name: words, modifiers: modifiers, arrayDepth: arrayDepth, position: place)
    }

    private mutating func intervalType(_ place: SourcePosition) throws -> ParsedTypeName {
        let qualifier = try intervalQualifier()
        if qualifier == nil, at(.leftParenthesis) { _ = try typeModifiers() }
        return ParsedTypeName(name: "interval", intervalQualifier: qualifier, position: place)
    }

    /// The words before the parentheses, lower case; a schema such as pg_catalog is dropped.
    private mutating func typeWords() throws -> String {
        guard at(.quotedName) || at(.timestamp) || at(.array) || at(.binary) || atName else { throw syntaxError() }
        let quoted = at(.quotedName)
        var word = try label().text
        while take(.dot) { word = try label().text }
        if quoted { return word == "char" ? "\"char\"" : word }
        switch word {
        case "double" where at(.precision): return try appended(word)
        case "character", "binary", "bit":
            return at(.varying) ? try appended(word) : word
        case "national":
            word = try appended(word)
            return at(.varying) ? try appended(word) : word
        default: return word
        }
    }

    private mutating func appended(_ words: String) throws -> String {
        words + " " + (try label().text)
    }

    private mutating func zoneSuffix() throws -> String {
        guard at(.with) || at(.without), peek().keyword == .time, peek(2).keyword == .zone else { return "" }
        let word = at(.with) ? " with time zone" : " without time zone"
        index += 3
        return word
    }

    private mutating func typeModifiers() throws -> [Int?] {
        try parenthesizedList { parser in
            if parser.take(word: "max") { return nil }
            let place = parser.position
            let value = try parser.integer()
            guard let small = Int32(exactly: value) else {
                throw SQLError(.invalidParameterValue, "type modifier \(value) is out of range", at: place)
            }
            return Int(small)
        }
    }

    /// `struct<a:int, b:array<varchar(10)>>` of external tables: kept as written.
    private mutating func nestedType(_ words: String, _ place: SourcePosition) throws -> ParsedTypeName {
        let start = index - 1
        var open = 0
        repeat {
            switch token.kind {
            case .less: open += 1
            case .greater: open -= 1
            case .shiftRight: open -= 2
            case .endOfInput, .semicolon: throw syntaxError()
            default: break
            }
            advance()
        } while open > 0
        return ParsedTypeName(name: TokenText.lowered(text(from: start, to: index)), position: place)
    }

    /// `DAY`, `YEAR TO MONTH`, `DAY TO SECOND (3)`; nil if none is there.
    mutating func intervalQualifier() throws -> IntervalQualifier? {
        guard let first = intervalField(token.keyword) else { return nil }
        advance()
        var precision = try fieldPrecision(first)
        var last = first
        if at(.to), let field = intervalField(peek().keyword) {
            guard first < field, (first <= .month) == (field <= .month) else {
                index += 1
                throw syntaxError()
            }
            index += 2
            last = field
            precision = try fieldPrecision(field)
        }
        return IntervalQualifier(first: first, last: last, precision: precision)
    }

    private mutating func fieldPrecision(_ field: IntervalField) throws -> Int? {
        guard field == .second, at(.leftParenthesis) else { return nil }
        advance()
        let place = position
        let value = try integer()
        guard (0...6).contains(value) else {
            throw SQLError(
                .invalidParameterValue, "INTERVAL(\(value)) precision must be between 0 and 6", at: place)
        }
        try expect(.rightParenthesis)
        return Int(value)
    }

    private func intervalField(_ keyword: Keyword) -> IntervalField? {
        switch keyword {
        case .year: .year
        case .month: .month
        case .day: .day
        case .hour: .hour
        case .minute: .minute
        case .second: .second
        default: nil
        }
    }
}
