import SQLTypes

/// SET, RESET, SHOW, USE, CANCEL.
extension Parser {
    mutating func set() throws -> SetStatement {
        let place = position
        try expect(.set)
        var scope = SetStatement.Scope.session
        if at(.local), peek().kind == .word || peek().kind == .quotedName {
            advance()
            scope = .local
        } else if at(.session), peek().kind == .word, peek().keyword != .to {
            advance()
            if let special = try setSession(place) { return special }
        }
        if take(word: "names") || take(.names) { return try setStatement(scope, "client_encoding", place) }
        if at(.transaction) {
            return SetStatement(
                scope: .local, name: "transaction", value: .list(try transactionModes()), position: place)
        }
        if at(.time, .zone) {
            index += 2
            return try setTimeZone(scope, place)
        }
        if at(word: "seed"), peek().keyword != .to, peek().kind != .equal {
            advance()
            return try setStatement(scope, "seed", place)
        }
        let name = try parameterName()
        // SET TIMEZONE INTERVAL '-8 hours', with or without TO.
        if name == "timezone", at(.interval) || (at(.to) || at(.equal)) && peek().keyword == .interval {
            return try setTimeZone(scope, place)
        }
        guard take(.to) || take(.equal) else { throw syntaxError(expecting: .to) }
        return try setStatement(scope, name, place)
    }

    /// SET SESSION AUTHORIZATION and SET SESSION CHARACTERISTICS.
    private mutating func setSession(_ place: SourcePosition) throws -> SetStatement? {
        if take(.authorization) { return try setStatement(.session, "session_authorization", place) }
        if take(.characteristics) {
            try expect(.as)
            return SetStatement(
                scope: .session, name: "session_characteristics", value: .list(try transactionModes()), position: place)
        }
        return nil
    }

    /// `TRANSACTION ISOLATION LEVEL ...` as its words.
    private mutating func transactionModes() throws -> [Literal] {
        let place = position
        let start = index
        try expect(.transaction)
        skipStatement()
        return [Literal(.string(TokenText.lowered(text(from: start + 1, to: index))), position: place)]
    }

    private mutating func setTimeZone(_ scope: SetStatement.Scope, _ place: SourcePosition) throws -> SetStatement {
        _ = take(.to) || take(.equal)
        if at(.interval), case .interval(let literal) = try primary() {
            return SetStatement(scope: scope, name: "timezone", value: .interval(literal), position: place)
        }
        return try setStatement(scope, "timezone", place)
    }

    private mutating func setStatement(
        _ scope: SetStatement.Scope, _ name: String, _ place: SourcePosition
    ) throws -> SetStatement {
        if at(.default) {
            advance()
            return SetStatement(scope: scope, name: name, value: .defaultValue, position: place)
        }
        return SetStatement(scope: scope, name: name, value: .list(try list { try $0.setValue() }), position: place)
    }

    /// A string, number, or bare word, which counts as a string.
    private mutating func setValue() throws -> Literal {
        let place = position
        if token.kind.isString { return Literal(.string(try stringLiteral()), position: place) }
        if at(.word) || at(.quotedName) {
            if at(.true) || at(.false) {
                let value = at(.true)
                advance()
                return Literal(.string(value ? "true" : "false"), position: place)
            }
            var word = try label().text
            // Words such as `read-only` or `US/Pacific` need quotes, but dots do not.
            while take(.dot) { word += "." + (try label().text) }
            return Literal(.string(word), position: place)
        }
        let text = try signedNumber()
        if let number = Int64(text) { return Literal(.integer(number), position: place) }
        return Literal(text.utf8.contains { $0 | 0x20 == 101 } ? .float(text) : .decimal(text), position: place)
    }

    private mutating func parameterName() throws -> String {
        var name = try label().text
        while take(.dot) { name += "." + (try label().text) }
        return name
    }

    mutating func reset() throws -> ResetStatement {
        let place = position
        try expect(.reset)
        if take(.all) { return ResetStatement(name: nil, position: place) }
        return ResetStatement(name: try settingName(), position: place)
    }

    /// A parameter as RESET and SHOW name it.
    private mutating func settingName() throws -> String {
        if take(.time, .zone) { return "timezone" }
        if at(.transaction), peek().keyword == .isolation, peek(2).keyword == .level {
            index += 3
            return "transaction_isolation"
        }
        if take(.session, .authorization) { return "session_authorization" }
        return try parameterName()
    }

    mutating func show() throws -> ShowStatement {
        let place = position
        try expect(.show)
        if take(.all) { return .all(place) }
        if let kind = try showKind() { return .metadata(try showMetadata(kind, place)) }
        return .parameter(try settingName(), place)
    }

    private mutating func showKind() throws -> ShowMetadataStatement.Kind? {
        let follows = peek().kind == .word || peek().kind == .quotedName
        switch token.keyword {
        case .databases: return taken(.databases)
        case .datashares: return taken(.datashares)
        case .schemas: return taken(.schemas)
        case .tables: return taken(.tables)
        case .columns: return taken(.columns)
        case .procedures: return taken(.procedures)
        case .functions: return taken(.functions)
        case .grants: return taken(.grants)
        case .table where follows: return taken(.table)
        case .view where follows: return taken(.view)
        case .procedure where follows: return taken(.procedure)
        case .function where follows: return taken(.function)
        case .model where follows: return taken(.model)
        case .external where peek().keyword == .table: return taken(.externalTable, words: 2)
        case .column where matches(peek(), "grants"): return taken(.columnGrants, words: 2)
        case .parameters where matches(peek(), "of"):
            index += 2
            if take(.procedure) { return .procedureParameters }
            try expect(.function)
            return .functionParameters
        case .constraints: return try constraintsKind()
        default: return nil
        }
    }

    private mutating func taken(_ kind: ShowMetadataStatement.Kind, words: Int = 1) -> ShowMetadataStatement.Kind {
        index += words
        return kind
    }

    private mutating func constraintsKind() throws -> ShowMetadataStatement.Kind {
        try expect(.constraints)
        if take(.primary) {
            try expect(.keys)
            return .primaryKeys
        }
        try expect(.foreign, .keys)
        return take(.exported) ? .exportedForeignKeys : .foreignKeys
    }

    private mutating func showMetadata(
        _ kind: ShowMetadataStatement.Kind, _ place: SourcePosition
    ) throws -> ShowMetadataStatement {
        var name: ObjectName?
        var words: String?
        var grantee: Identifier?
        switch kind {
        case .table, .view, .externalTable, .procedure, .function, .model, .procedureParameters, .functionParameters:
            name = at(.all) ? ObjectName(try label()) : try objectName()
        case .databases, .datashares: break
        case .grants, .columnGrants: (words, name, grantee) = try showGrantsObject()
        default:
            if take(.from) || take(.in) {
                if kind == .schemas { _ = take(.database) } else if !take(.schema) { _ = take(.table) }
                name = try objectName()
            }
        }
        let types = try optionalSignature()
        if take(.partition) { _ = types }
        let like = take(.like) ? try stringLiteral() : nil
        let limit = take(.limit) ? try integer() : nil
        return ShowMetadataStatement(
            kind: kind, name: name, argumentTypes: types, objectWords: words, grantee: grantee, like: like,
            limit: limit, position: place)
    }

    private mutating func showGrantsObject() throws -> (String?, ObjectName?, Identifier?) {
        var words = ""
        var name: ObjectName?
        var grantee: Identifier?
        if take(.on) {
            while at(.word), peek().kind == .word, peek().keyword != .for, peek().keyword != .like,
                peek().keyword != .limit || words.isEmpty, isObjectWord
            {
                words += (words.isEmpty ? "" : " ") + TokenText.uppered(try label().text)
            }
            if isObjectWord, peek().kind == .quotedName { words += TokenText.uppered(try label().text) }
            name = try objectName()
        }
        if take(.for) {
            if take(.role) {
                words = words.isEmpty ? "FOR ROLE" : words
            } else if take(.group) {
                words = words.isEmpty ? "FOR GROUP" : words
            }
            grantee = at(.public) ? try label() : try roleName()
        }
        return (words.isEmpty ? nil : words, name, grantee)
    }

    private var isObjectWord: Bool {
        at(
            anyOf: .table, .schema, .database, .function, .procedure, .view, .materialized, .language, .model,
            .datashare)
    }

    mutating func use() throws -> UseStatement {
        let place = position
        try expect(.use)
        return UseStatement(database: try name(), position: place)
    }

    /// `ALTER SYSTEM SET name { TO | = } value`, `ALTER SYSTEM RESET name`; behind ALTER.
    mutating func alterSystem(_ start: Int) throws -> AlterSystemStatement {
        let place = position(of: start)
        advance()
        if take(.reset) { return AlterSystemStatement(name: try parameterName(), value: nil, position: place) }
        try expect(.set)
        let name = try parameterName()
        guard take(.to) || take(.equal) else { throw syntaxError(expecting: .to) }
        guard case .list(let values) = try setStatement(.session, name, place).value, values.count == 1 else {
            return AlterSystemStatement(name: name, value: nil, position: place)
        }
        return AlterSystemStatement(name: name, value: values[0].settingText, position: place)
    }

    mutating func cancel() throws -> CancelStatement {
        let place = position
        try expect(.cancel)
        let process = try integer()
        let message = token.kind.isString ? try stringLiteral() : nil
        return CancelStatement(processID: process, message: message, position: place)
    }
}
