import SQLTypes

/// CALL, CREATE FUNCTION, CREATE PROCEDURE, external objects.
extension Parser {
    mutating func call() throws -> CallStatement {
        let place = position
        try expect(.call)
        let name = try objectName()
        try expect(.leftParenthesis)
        let arguments = at(.rightParenthesis) ? [] : try list { try $0.expression() }
        try expect(.rightParenthesis)
        return CallStatement(name: name, arguments: arguments, position: place)
    }

    mutating func createRoutine(_ start: Int, orReplace: Bool) throws -> Statement {
        let kind: ObjectNoun = take(.function) ? .function : .procedure
        if kind == .procedure { try expect(.procedure) }
        let name = try objectName()
        let parameters = try routineParameters()
        var returns: ParsedTypeName?
        if take(.returns) { returns = try typeName() }
        var clauses = RoutineClauses()
        while !at(.semicolon), !at(.endOfInput) { try routineClause(&clauses) }
        guard let body = clauses.body, let bodyPlace = clauses.bodyPlace else {
            throw error("no function body specified")
        }
        guard let language = clauses.language else { throw error("no language specified") }
        return .createRoutine(
            CreateRoutineStatement(
                kind: kind, name: name, orReplace: orReplace, parameters: parameters, returns: returns,
                language: language, body: body, bodyPosition: bodyPlace, textPosition: clauses.textPlace,
                options: clauses.options,
                position: position(of: start)))
    }

    mutating func alterProcedure(_ start: Int) throws -> AlterProcedureStatement {
        try expect(.procedure)
        let name = try objectName()
        let types = try optionalSignature()
        let action: AlterProcedureStatement.Action
        if take(.rename, .to) {
            action = .renameTo(try self.name())
        } else {
            try expect(.owner, .to)
            action = .ownerTo(try roleName())
        }
        return AlterProcedureStatement(
            name: name, argumentTypes: types, action: action, position: position(of: start))
    }

    private struct RoutineClauses {
        var language: String?
        var body: String?
        var bodyPlace: SourcePosition?
        var textPlace = SourcePosition.unknown
        var options: [StatementOption] = []
    }

    private mutating func routineClause(_ clauses: inout RoutineClauses) throws {
        let place = position
        if take(.language) {
            clauses.language = token.kind.isString ? TokenText.lowered(try stringLiteral()) : try label().text
        } else if take(.as) {
            clauses.bodyPlace = position
            if at(.dollarString) {
                clauses.textPlace = SourcePosition(position.character + TokenText.openingCount(bytes, token))
            }
            clauses.body = try stringLiteral()
        } else if take(.security) {
            let value = OptionValue.word(try label().text, position)
            clauses.options.append(StatementOption(name: "SECURITY", values: [value], position: place))
        } else if take(.set) {
            let values = try routineSetting()
            clauses.options.append(StatementOption(name: "SET", values: values, position: place))
        } else if at(anyOf: .volatile, .stable, .immutable, .nonatomic, .strict) {
            let word = TokenText.uppered(try label().text)
            clauses.options.append(StatementOption(name: word, values: [], position: place))
        } else {
            throw syntaxError()
        }
    }

    private mutating func routineSetting() throws -> [OptionValue] {
        let place = position
        let name = try label().text
        if !take(.to) { try expect(.equal) }
        let valuePlace = position
        if token.kind.isString { return [.word(name, place), .string(try stringLiteral(), valuePlace)] }
        if at(.integer) { return [.word(name, place), .number(try signedNumber(), valuePlace)] }
        return [.word(name, place), .word(try label().text, valuePlace)]
    }

    mutating func routineParameters() throws -> [RoutineParameter] {
        try expect(.leftParenthesis)
        if take(.rightParenthesis) { return [] }
        let parameters = try list { try $0.routineParameter() }
        try expect(.rightParenthesis)
        return parameters
    }

    /// `[name] [IN|OUT|INOUT] type`, the mode on either side of the name.
    private mutating func routineParameter() throws -> RoutineParameter {
        var mode = parameterMode()
        var name: Identifier?
        if isParameterName {
            name = try self.name()
            mode = parameterMode() ?? mode
        }
        return RoutineParameter(name: name, mode: mode ?? .input, type: try typeName())
    }

    /// A name is followed by a type; a type of several words is not.
    private var isParameterName: Bool {
        guard atName else { return false }
        let next = peek()
        guard next.kind == .word || next.kind == .quotedName else { return false }
        switch next.keyword {
        case .varying, .precision, .with, .without: return false
        default: return true
        }
    }

    private mutating func parameterMode() -> RoutineParameter.Mode? {
        if take(.in) { return .input }
        if take(.out) { return .output }
        return take(.inout) ? .inputOutput : nil
    }

    mutating func createExternal(_ start: Int) throws -> Statement {
        if at(.external, .schema) { return .createExternalSchema(try createExternalSchema(start)) }
        if at(.external, .table) { return .createExternalTable(try createExternalTable(start)) }
        return try genericDefinition(start)
    }

    private mutating func createExternalSchema(_ start: Int) throws -> CreateExternalSchemaStatement {
        try expect(.external, .schema)
        let ifNotExists = try ifNotExists()
        let name = try objectName()
        return CreateExternalSchemaStatement(
            name: name, ifNotExists: ifNotExists, options: try accountOptions(), position: position(of: start))
    }

    private mutating func createExternalTable(_ start: Int) throws -> CreateExternalTableStatement {
        try expect(.external, .table)
        _ = try ifNotExists()
        let name = try objectName()
        let columns = at(.leftParenthesis) ? try parenthesizedList { try $0.columnDefinition() } : []
        var partitions: [ColumnDefinition] = []
        if take(.partitioned, .by) {
            partitions = try parenthesizedList { parser in
                let isNameOnly = parser.peek().kind == .comma || parser.peek().kind == .rightParenthesis
                guard isNameOnly else { return try parser.columnDefinition() }
                let name = try parser.name()
                return ColumnDefinition(
                    name: name, type: ParsedTypeName(name: "unknown", position: name.position), attributes: [])
            }
        }
        let storage = index
        var query: Query?
        while !at(.semicolon), !at(.endOfInput), query == nil {
            if at(.as), peek().keyword == .select || peek().keyword == .with { break }
            advance()
        }
        let storageText = text(from: storage, to: index)
        if take(.as) { query = try self.query() }
        return CreateExternalTableStatement(
            name: name, columns: columns, partitionColumns: partitions, storageText: storageText, query: query,
            position: position(of: start))
    }
}
