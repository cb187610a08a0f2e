import SQLTypes

/// The DECLARE part of a block.
extension Parser {
    /// - Returns: nil for another name of a variable that there is.
    mutating func declaration() throws -> Int? {
        let scope = try names()
        let line = line(of: index), place = position
        let name = try name().text
        if take(word: "alias") {
            try alias(name, scope)
            return nil
        }
        if scope.variables.count >= ProcedureLimits.variables {
            throw SQLError(
                .limitExceeded, "a procedure cannot have more than \(ProcedureLimits.variables) variables", at: place)
        }
        let isConstant = take(word: "constant")
        let kind = try variableKind(name, scope)
        let isNotNull = take(.not, .null)
        var initial: ProcedureExpression?
        if take(.default) || take(.assign) || take(.equal) { initial = try procedureExpression { $0.at(.semicolon) } }
        if isNotNull && initial == nil {
            throw SQLError(
                "22004", "variable \"\(name)\" must have a default value, since it's declared NOT NULL", at: place)
        }
        try expect(.semicolon)
        let variable = ProcedureVariable(
            name: name, kind: kind, isConstant: isConstant, isNotNull: isNotNull, initial: initial, line: line)
        guard let number = scope.declare(variable) else {
            throw SQLError(.syntaxError, "duplicate declaration at or near \"\(name)\"", at: place)
        }
        return number
    }

    private mutating func alias(_ name: String, _ scope: ProcedureScope) throws {
        try expect(.for)
        let place = position
        if at(.parameter) {
            let number = Int(TokenText.raw(bytes, token).dropFirst()) ?? 0
            guard let argument = scope.argument(number) else {
                throw SQLError(.undefinedParameter, "there is no parameter $\(number)", at: place)
            }
            advance()
            scope.alias(name, argument)
        } else {
            let other = try self.name().text
            guard let variable = scope.variable(named: other) else { throw unknownVariable(other, place) }
            scope.alias(name, variable)
        }
        try expect(.semicolon)
    }

    func unknownVariable(_ name: String, _ place: SourcePosition) -> SQLError {
        SQLError(.syntaxError, "\"\(name)\" is not a known variable", at: place)
    }

    private mutating func variableKind(_ name: String, _ scope: ProcedureScope) throws -> ProcedureVariable.Kind {
        if take(word: "record") { return .record }
        if take(word: "refcursor") { return .cursor(nil, arguments: []) }
        if at(.cursor) || at(.no) || at(word: "scroll") { return try boundCursor(scope) }
        if let kind = try derivedKind(scope) { return kind }
        let type = try typeName()
        return type.isCursor ? .cursor(nil, arguments: []) : .scalar(type)
    }

    /// `x%TYPE` and `x%ROWTYPE`; nil and nothing taken where no `%` follows.
    private mutating func derivedKind(_ scope: ProcedureScope) throws -> ProcedureVariable.Kind? {
        var distance = 1
        while peek(distance).kind == .dot { distance += 2 }
        guard at(.word) || at(.quotedName), peek(distance).kind == .percentSign else { return nil }
        let place = position
        let name = try objectName()
        advance()
        if take(word: "rowtype") { return .row(name) }
        guard take(.type) else { throw syntaxError() }
        if name.parts.count == 1 {
            guard let variable = scope.variable(named: name.name) else { throw unknownVariable(name.name, place) }
            return .same(variable)
        }
        return .column(name)
    }

    /// `[NO] [SCROLL] CURSOR [(name type, ...)] FOR query`
    private mutating func boundCursor(_ scope: ProcedureScope) throws -> ProcedureVariable.Kind {
        _ = take(.no)
        if take(.scroll) { throw error("cursors can only move forward", state: .featureNotSupported) }
        try expect(.cursor)
        scope.open(label: nil)
        defer { scope.close() }
        var arguments: [Int] = []
        if at(.leftParenthesis) {
            arguments = try parenthesizedList { parser in
                let name = try parser.name()
                let kind = ProcedureVariable.Kind.scalar(try parser.typeName())
                let variable = ProcedureVariable(
                    name: name.text, kind: kind, isConstant: false, isNotNull: false, initial: nil, line: 0)
                guard let number = scope.declare(variable) else {
                    throw SQLError(.syntaxError, "duplicate declaration at or near \"\(name)\"", at: name.position)
                }
                return number
            }
        }
        if !take(.for) { try expect(.is) }
        let end = statementEnd { $0.at(.semicolon) }
        return .cursor(try procedureSQL(to: end), arguments: arguments)
    }
}
