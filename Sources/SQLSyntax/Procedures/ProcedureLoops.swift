import SQLTypes

/// Branches and loops.
extension Parser {
    mutating func labelled() throws -> ProcedureStatement.Kind {
        let label = try blockLabel()
        if at(.for) { return try forStatement(label) }
        if at(word: "loop") || at(word: "while") { return try loop(label) }
        let block = try procedureBlock(label)
        try expect(.semicolon)
        return .block(block)
    }

    mutating func ifStatement() throws -> ProcedureStatement.Kind {
        try expect(.if)
        var branches: [ProcedureStatement.Branch] = []
        var otherwise: [ProcedureStatement] = []
        repeat {
            let condition = try procedureExpression { $0.at(.then) }
            try expect(.then)
            branches.append(ProcedureStatement.Branch(condition: condition, statements: try procedureStatements()))
        } while take(word: "elsif") || take(word: "elseif")
        if take(.else) { otherwise = try procedureStatements() }
        try expect(.end)
        try expect(.if)
        try expect(.semicolon)
        return .branches(branches, otherwise: otherwise)
    }

    /// `CASE [value] WHEN ... THEN ... END CASE`, as the branches that it stands for.
    mutating func caseStatement() throws -> ProcedureStatement.Kind {
        try expect(.case)
        let operand = at(.when) ? nil : index
        if operand != nil { _ = try procedureExpression { $0.at(.when) } }
        var branches: [ProcedureStatement.Branch] = []
        while take(.when) {
            let condition = try operand.map { try caseCondition(operand: $0) } ?? procedureExpression { $0.at(.then) }
            try expect(.then)
            branches.append(ProcedureStatement.Branch(condition: condition, statements: try procedureStatements()))
        }
        if branches.isEmpty { throw syntaxError(expecting: .when) }
        let otherwise = take(.else) ? try procedureStatements() : nil
        try expect(.end)
        try expect(.case)
        try expect(.semicolon)
        return .branches(branches, otherwise: otherwise)
    }

    /// Of a CASE with a value: whether it is one of those behind WHEN.
    private mutating func caseCondition(operand: Int) throws -> ProcedureExpression {
        try comparison { parser in
            let place = parser.index
            parser.index = operand
            let value = try parser.expression()
            parser.index = place
            let members = try parser.list { try $0.expression() }
            guard parser.at(.then) else { throw parser.syntaxError(expecting: .then) }
            return .inList(
                InListExpression(value: value, list: members, negated: false, position: parser.position(of: place)))
        }
    }

    // MARK: Loops

    mutating func loop(_ label: String?) throws -> ProcedureStatement.Kind {
        var condition: ProcedureExpression?
        if take(word: "while") { condition = try procedureExpression { $0.at(word: "loop") } }
        let (body, number) = try loopBody(label)
        if let condition { return .whileLoop(condition, body, label: number) }
        return .loop(body, label: number)
    }

    private mutating func loopBody(_ label: String?) throws -> ([ProcedureStatement], Int) {
        let scope = try names()
        guard take(word: "loop") else { throw syntaxError() }
        let number = scope.openLabel(label, isLoop: true)
        defer { scope.closeLabel() }
        let body = try procedureStatements()
        try expect(.end)
        guard take(word: "loop") else { throw syntaxError() }
        try endLabel(label)
        try expect(.semicolon)
        return (body, number)
    }

    mutating func forStatement(_ label: String?) throws -> ProcedureStatement.Kind {
        try expect(.for)
        let start = index
        while !at(.in), !at(.semicolon), !at(.endOfInput) { advance() }
        try expect(.in)
        let rows = index
        if isIntegerLoop {
            index = start
            return try integerLoop(label)
        }
        index = start
        let targets = try procedureTargets()
        guard index == rows - 1 else { throw syntaxError(expecting: .in) }
        index = rows
        let source = try rowSource { $0.at(word: "loop") }
        let (body, number) = try loopBody(label)
        return .rowLoop(targets, source, body, label: number)
    }

    private var isIntegerLoop: Bool {
        let end = statementEnd { $0.at(word: "loop") || $0.at(.dot) && $0.peek().kind == .dot }
        return tokens[end].kind == .dot
    }

    private mutating func integerLoop(_ label: String?) throws -> ProcedureStatement.Kind {
        let scope = try names()
        let line = line(of: index)
        let name = try name().text
        try expect(.in)
        let isReverse = take(word: "reverse")
        let from = try procedureExpression { $0.at(.dot) }
        try expect(.dot)
        try expect(.dot)
        let to = try procedureExpression { $0.at(word: "loop") || $0.at(.by) }
        let step = take(.by) ? try procedureExpression { $0.at(word: "loop") } : nil
        scope.open(label: label)
        defer { scope.close() }
        let variable = scope.declare(
            ProcedureVariable(
                name: name, kind: .scalar(ParsedTypeName(name: "integer")), isConstant: false, isNotNull: false,
                initial: nil, line: line))
        guard let variable, variable < ProcedureLimits.variables * 2 else {
            throw SQLError(.limitExceeded, "a procedure has too many variables", at: position)
        }
        let (body, number) = try loopBody(label)
        return .integerLoop(
            ProcedureStatement.IntegerLoop(variable: variable, isReverse: isReverse, from: from, to: to, step: step),
            body, label: number)
    }

    /// A query, `EXECUTE text`, or a bound cursor.
    mutating func rowSource(_ isEnd: (Parser) -> Bool) throws -> ProcedureStatement.RowSource {
        if take(.execute) { return .dynamic(try procedureExpression(isEnd)) }
        if at(.select) || at(.with) || at(.leftParenthesis) || at(.values) || at(.table) || at(.show) {
            return .query(try procedureSQL(to: statementEnd(isEnd)))
        }
        let place = position
        let name = try name().text
        guard let cursor = try names().variable(named: name) else { throw unknownVariable(name, place) }
        return .cursor(cursor, try cursorArguments())
    }

    private mutating func cursorArguments() throws -> [ProcedureExpression] {
        guard take(.leftParenthesis) else { return [] }
        let values = try list { parser in
            try parser.procedureExpression { $0.at(.comma) || $0.at(.rightParenthesis) }
        }
        try expect(.rightParenthesis)
        return values
    }

    mutating func leave() throws -> ProcedureStatement.Kind {
        let scope = try names()
        let isContinue = at(word: "continue")
        let place = position
        advance()
        var found = scope.innermostLoop
        if !at(.when), !at(.semicolon) {
            let name = try name().text
            found = scope.label(named: name)
            if found == nil {
                throw SQLError(.syntaxError, "there is no label \"\(name)\" around this statement", at: place)
            }
        }
        guard let found, found.isLoop || !isContinue else {
            throw SQLError(
                .syntaxError, "\(isContinue ? "CONTINUE" : "EXIT") cannot be used outside a loop", at: place)
        }
        let condition = take(.when) ? try procedureExpression { $0.at(.semicolon) } : nil
        try expect(.semicolon)
        return .leave(label: found.number, isContinue: isContinue, when: condition)
    }

    // MARK: Cursors

    private mutating func cursorVariable() throws -> Int {
        let place = position
        let name = try name().text
        guard let variable = try names().variable(named: name) else { throw unknownVariable(name, place) }
        return variable
    }

    mutating func openStatement() throws -> ProcedureStatement.Kind {
        try expect(.open)
        let cursor = try cursorVariable()
        if take(.for) {
            let source = try rowSource { $0.at(.semicolon) }
            try expect(.semicolon)
            return .open(cursor, query: source)
        }
        let arguments = try cursorArguments()
        try expect(.semicolon)
        return .open(cursor, query: .cursor(cursor, arguments))
    }

    mutating func fetchStatement(isMove: Bool) throws -> ProcedureStatement.Kind {
        let place = position
        advance()
        let fetch = try fetch(from: place)
        guard let cursor = try names().variable(named: fetch.cursor.text) else {
            throw unknownVariable(fetch.cursor.text, place)
        }
        var targets: [ProcedureReference] = []
        if !isMove {
            try expect(.into)
            targets = try procedureTargets()
        }
        try expect(.semicolon)
        return .fetch(
            ProcedureStatement.Fetch(
                cursor: cursor, direction: fetch.direction, amount: fetch.amount, targets: targets, isMove: isMove))
    }

    mutating func closeStatement() throws -> ProcedureStatement.Kind {
        try expect(.close)
        let cursor = try cursorVariable()
        try expect(.semicolon)
        return .close(cursor)
    }
}
