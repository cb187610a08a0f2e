import SQLTypes

/// Expressions and SQL within a procedure: read by the ordinary parser, which makes parameters of the names of
/// variables (``Parser/scope``).
extension Parser {
    /// - Parameter isEnd: whether the parser is at what may follow the expression.
    mutating func procedureExpression(_ isEnd: (Parser) -> Bool) throws -> ProcedureExpression {
        let scope = try names()
        let start = index
        do {
            let (expression, references) = try collecting(scope) { try $0.expression() }
            if isEnd(self) { return made(expression, references, start, scope) }
            throw syntaxError()
        } catch {
            // What only a query can be: `count(*) FROM t`.
            let end = index
            index = start
            let limit = statementEnd(isEnd)
            if limit == start { throw error }
            let query: ProcedureSQL
            do {
                query = try procedureSQL(to: limit, isSelected: true)
            } catch _ {
                index = end
                throw error
            }
            return ProcedureExpression(id: query.id, expression: nil, query: query, line: line(of: start))
        }
    }

    /// A condition that is made of several expressions.
    mutating func comparison(_ body: (inout Parser) throws -> Expression) throws -> ProcedureExpression {
        let scope = try names()
        let start = index
        let (expression, references) = try collecting(scope, body)
        return made(expression, references, start, scope)
    }

    private func made(
        _ expression: Expression, _ references: [ProcedureReference], _ start: Int, _ scope: ProcedureScope
    ) -> ProcedureExpression {
        var body = SelectBody(position: position(of: start))
        body.items = [.expression(expression, alias: nil)]
        let statement = Statement.query(Query(body: .select(body), position: position(of: start)))
        let sql = ProcedureSQL(
            id: scope.makeText(),
            parsed: ParsedStatement(statement: statement, byteRange: 0..<0, parameterCount: references.count),
            references: references, source: "SELECT " + text(from: start, to: index), position: position(of: start))
        return ProcedureExpression(id: sql.id, expression: expression, query: sql, line: line(of: start))
    }

    private mutating func collecting<Result>(
        _ scope: ProcedureScope, _ body: (inout Parser) throws -> Result
    ) throws -> (Result, [ProcedureReference]) {
        let outer = scope.references
        scope.references = []
        defer { scope.references = outer }
        let (depth, tallest) = (self.depth, self.tallest)
        defer { (self.depth, self.tallest) = (depth, tallest) }
        let result = try body(&self)
        return (result, scope.references ?? [])
    }

    /// The first token, from here on, where `isEnd` holds outside of parentheses and CASE.
    func statementEnd(_ isEnd: (Parser) -> Bool) -> Int {
        var ahead = self
        var parentheses = 0, cases = 0
        while !ahead.at(.endOfInput) {
            if parentheses <= 0, cases <= 0, isEnd(ahead) { break }
            switch ahead.token.kind {
            case .leftParenthesis: parentheses += 1
            case .rightParenthesis: parentheses -= 1
            case .semicolon: return ahead.index
            default: break
            }
            if ahead.at(.case) { cases += 1 } else if ahead.at(.end), cases > 0 { cases -= 1 }
            ahead.advance()
        }
        return ahead.index
    }

    /// One statement of the tokens up to `end`, which is taken.
    ///
    /// - Parameter isSelected: SELECT is to be thought in front.
    mutating func procedureSQL(to end: Int, isSelected: Bool = false) throws -> ProcedureSQL {
        try procedureSQL(index..<end, without: 0..<0, isSelected: isSelected)
    }

    /// - Parameter hole: tokens in the range that are no part of the statement: INTO and its targets.
    mutating func procedureSQL(
        _ range: Range<Int>, without hole: Range<Int>, isSelected: Bool = false
    ) throws -> ProcedureSQL {
        let scope = try names()
        guard !range.isEmpty else { throw syntaxError() }
        var part = part(range, without: hole, isSelected: isSelected)
        let source = (isSelected ? "SELECT " : "") + text(from: range.lowerBound, to: range.upperBound)
        let place = position(of: range.lowerBound)
        let (statement, references) = try part.collecting(scope) { parser in
            let statement = try parser.statement()
            try parser.expectEnd()
            return statement
        }
        if !references.isEmpty, statement.keepsText {
            throw SQLError(
                .featureNotSupported, "variables cannot be used in a definition that is kept as a text",
                hint: "Put the text together and run it with EXECUTE.", at: place)
        }
        index = range.upperBound
        return ProcedureSQL(
            id: scope.makeText(),
            parsed: ParsedStatement(statement: statement, byteRange: 0..<0, parameterCount: references.count),
            references: references, source: source, position: place)
    }

    /// A parser of these tokens alone.
    private func part(_ range: Range<Int>, without hole: Range<Int>, isSelected: Bool) -> Parser {
        var places = range.filter { !hole.contains($0) }
        places.append(range.upperBound)
        var chosen = places.map { tokens[$0] }
        let last = tokens[range.upperBound]
        chosen[chosen.count - 1] = Token(kind: .endOfInput, keyword: .none, offset: last.offset, length: 0)
        var positions = characterPositions.isEmpty ? [] : places.map { characterPositions[$0] }
        if isSelected {
            let first = tokens[range.lowerBound]
            chosen.insert(Token(kind: .word, keyword: .select, offset: first.offset, length: 0), at: 0)
            if let place = positions.first { positions.insert(place, at: 0) }
        }
        return Parser(self, tokens: chosen, positions: positions)
    }

    // MARK: Targets

    /// `variable` or `record.field`.
    mutating func procedureTarget() throws -> ProcedureReference {
        let scope = try names()
        let place = position
        var parts: [String] = []
        if at(.parameter), let argument = scope.argument(Int(TokenText.raw(bytes, token).dropFirst()) ?? 0) {
            advance()
            return try target(ProcedureReference(variable: argument, field: nil), scope, place)
        }
        parts.append(try name().text)
        while parts.count < 3, at(.dot), peek().kind == .word || peek().kind == .quotedName {
            advance()
            parts.append(try label().text)
        }
        guard let reference = scope.find(parts) else {
            throw unknownVariable(parts.joined(separator: "."), place)
        }
        return try target(reference, scope, place)
    }

    private func target(
        _ reference: ProcedureReference, _ scope: ProcedureScope, _ place: SourcePosition
    ) throws -> ProcedureReference {
        let variable = scope.variables[reference.variable]
        if variable.isConstant {
            throw SQLError("22005", "\"\(variable.name)\" is declared CONSTANT", at: place)
        }
        return reference
    }

    mutating func procedureTargets() throws -> [ProcedureReference] { try list { try $0.procedureTarget() } }

    /// The parameter that stands for a name of a variable; nil: another name, or no procedure.
    mutating func variable(_ name: ObjectName) -> Expression? {
        guard let scope, name.parts.count <= 3,
            let number = scope.parameter(scope.find(name.parts.map(\.text)))
        else { return nil }
        highestParameter = max(highestParameter, number)
        return .parameter(ParameterReference(number: number, position: name.position))
    }

    /// What `$n` of a body stands for: the n-th argument.
    mutating func argument(_ number: Int, at place: SourcePosition) throws -> Int {
        guard let scope, scope.references != nil else { return number }
        guard let argument = scope.argument(number),
            let parameter = scope.parameter(ProcedureReference(variable: argument, field: nil))
        else { throw SQLError(.undefinedParameter, "there is no parameter $\(number)", at: place) }
        return parameter
    }
}

extension Statement {
    /// Parts of it go into the catalog as they were written.
    fileprivate var keepsText: Bool {
        if case .createView = self { return true }
        if case .createMaterializedView = self { return true }
        if case .createTable = self { return true }
        if case .alterTable = self { return true }
        if case .createRoutine = self { return true }
        if case .prepare = self { return true }
        return false
    }
}
