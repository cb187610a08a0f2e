import SQLTypes

/// What a session may change about reading SQL.
package struct SyntaxOptions: Sendable, Hashable {
    /// `enable_case_sensitive_identifier`: quoted names keep their case.
    package var keepsQuotedCase: Bool
    /// Whether `\` is an escape in ordinary literals and not only in `E''`.
    package var backslashEscapes: Bool

    package init(keepsQuotedCase: Bool = false, backslashEscapes: Bool = true) {
        self.keepsQuotedCase = keepsQuotedCase
        self.backslashEscapes = backslashEscapes
    }

    package static let standard = SyntaxOptions()
    /// For definitions kept in the catalog, see ``StoredText``.
    package static let stored = SyntaxOptions(backslashEscapes: false)
}

/// Recursive descent over the tokens of one text; expressions by precedence climbing.
///
/// A value lives for one call of the static functions. The methods are spread over the files of this folder, one
/// family of statements or expressions each.
package struct Parser {
    let bytes: [UInt8]
    let tokens: [Token]
    /// Character position of every token, empty when the text is ASCII and offsets are positions.
    let characterPositions: [UInt32]
    let options: SyntaxOptions
    let budget: PlanningBudget?
    var index = 0
    /// Levels of recursion now open, see ``SyntaxLimits/nestingDepth``.
    var depth = 0
    /// Height of the tallest sibling parsed so far at the current level, see ``SyntaxLimits/treeHeight``.
    var tallest = 0
    /// Highest `$n` of the statement.
    var highestParameter = 0
    /// Of the procedure whose body this is; names of its variables are parameters.
    var scope: ProcedureScope?
    var lines: LineNumbers?
    /// Statements of PL/pgSQL inside of each other.
    var statementDepth = 0

    /// Parses every statement of a text; empty statements are left out.
    ///
    /// - Parameter budget: what it may take; nil for texts that are known to be short.
    package static func parse(
        _ sql: String, options: SyntaxOptions = .standard, budget: PlanningBudget? = nil
    ) throws(SQLError) -> [ParsedStatement] {
        try parse(Array(sql.utf8), options: options, budget: budget)
    }

    package static func parse(
        _ bytes: [UInt8], options: SyntaxOptions = .standard, budget: PlanningBudget? = nil
    ) throws(SQLError) -> [ParsedStatement] {
        try run(bytes, options, budget) { try $0.statements() }
    }

    /// Parses one expression that fills the whole text: column defaults, stored predicates.
    package static func parseExpression(
        _ sql: String, options: SyntaxOptions = .standard
    ) throws(SQLError) -> Expression {
        try run(Array(sql.utf8), options, nil) { parser in
            let result = try parser.expression()
            try parser.expectEnd()
            return result
        }
    }

    /// Parses one query that fills the whole text: view definitions, UNLOAD's inner text.
    package static func parseQuery(
        _ sql: String, options: SyntaxOptions = .standard, budget: PlanningBudget? = nil
    ) throws(SQLError) -> Query {
        try run(Array(sql.utf8), options, budget) { parser in
            let result = try parser.query()
            _ = parser.take(.semicolon)
            try parser.expectEnd()
            return result
        }
    }

    /// Parses a type name that fills the whole text.
    package static func parseTypeName(_ sql: String) throws(SQLError) -> ParsedTypeName {
        try run(Array(sql.utf8), .standard, nil) { parser in
            let result = try parser.typeName()
            try parser.expectEnd()
            return result
        }
    }

    /// See ``ProcedureBody``.
    static func parseProcedure(
        _ text: String, parameters: [String?], options: SyntaxOptions, budget: PlanningBudget?
    ) throws(SQLError) -> ProcedureBody {
        try run(Array(text.utf8), options, budget) { parser in
            let scope = ProcedureScope(parameters: parameters)
            parser.scope = scope
            parser.lines = LineNumbers(parser.bytes)
            return try parser.procedureBody(scope)
        }
    }

    private static func run<Result>(
        _ bytes: [UInt8], _ options: SyntaxOptions, _ budget: PlanningBudget?,
        _ body: (inout Parser) throws -> Result
    ) throws(SQLError) -> Result {
        do {
            var parser = try Parser(bytes, options, budget)
            return try body(&parser)
        } catch {
            throw SQLError(error)
        }
    }

    private init(_ bytes: [UInt8], _ options: SyntaxOptions, _ budget: PlanningBudget?) throws {
        guard bytes.count <= SyntaxLimits.statementBytes else {
            throw SQLError(
                .limitExceeded,
                "Statement is too large. Statement Size: \(bytes.count) bytes. "
                    + "Maximum Allowed: \(SyntaxLimits.statementBytes) bytes")
        }
        self.bytes = bytes
        self.options = options
        self.budget = budget
        let isASCII = bytes.allSatisfy { $0 < 0x80 }
        if !isASCII, String(validating: bytes, as: UTF8.self) == nil {
            throw SQLError(.characterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\"")
        }
        tokens = try Self.tokenize(bytes, options, budget)
        characterPositions = isASCII ? [] : CharacterPositions.positions(of: tokens, in: bytes)
    }

    /// A parser of some tokens of the text.
    init(_ whole: Parser, tokens: [Token], positions: [UInt32]) {
        bytes = whole.bytes
        self.tokens = tokens
        characterPositions = positions
        options = whole.options
        budget = whole.budget
        scope = whole.scope
    }

    private static func tokenize(
        _ bytes: [UInt8], _ options: SyntaxOptions, _ budget: PlanningBudget?
    ) throws -> [Token] {
        var tokens: [Token] = []
        tokens.reserveCapacity(bytes.count / 5 + 8)
        try bytes.withUnsafeBufferPointer { buffer in
            var lexer = Lexer(buffer, backslashEscapes: options.backslashEscapes)
            while true {
                if tokens.count % checkedTokens == checkedTokens - 1 {
                    try budget?.take(bytes: checkedTokens * SyntaxLimits.tokenBytes)
                }
                let token = try next(&lexer, bytes)
                tokens.append(token)
                if token.kind == .endOfInput { return }
            }
        }
        return tokens
    }

    private static func next(_ lexer: inout Lexer, _ bytes: [UInt8]) throws -> Token {
        do throws(Lexer.Failure) {
            return try lexer.next()
        } catch {
            throw SQLError(lexical: error, in: bytes)
        }
    }

    /// Called for everything of which a text can have any number.
    @inline(__always)
    func checkBudget() throws {
        if index & (Self.checkedTokens - 1) == 0 { try budget?.check() }
    }
    /// A power of two.
    private static let checkedTokens = 1 << 12

    private mutating func statements() throws -> [ParsedStatement] {
        var result: [ParsedStatement] = []
        while true {
            while take(.semicolon) {}
            try checkBudget()
            if at(.endOfInput) { return result }
            highestParameter = 0
            let start = token.start
            let statement = try statement()
            guard at(.semicolon) || at(.endOfInput) else { throw syntaxError() }
            result.append(
                ParsedStatement(
                    statement: statement, byteRange: start..<tokens[index - 1].end, parameterCount: highestParameter))
        }
    }
}

/// Turns byte offsets into one-based character positions for text that is not ASCII.
enum CharacterPositions {
    static func positions(of tokens: [Token], in bytes: [UInt8]) -> [UInt32] {
        var result: [UInt32] = []
        result.reserveCapacity(tokens.count)
        var offset = 0
        var characters: UInt32 = 1
        for token in tokens {
            while offset < token.start {
                if bytes[offset] & 0xC0 != 0x80 { characters += 1 }
                offset += 1
            }
            result.append(characters)
        }
        return result
    }

    static func position(of offset: Int, in bytes: [UInt8]) -> Int {
        1 + bytes[..<min(offset, bytes.count)].reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) }
    }
}
