import SQLTypes

/// Statements of PL/pgSQL by their first word; whatever is none of them is SQL.
extension Parser {
    mutating func procedureStatement() throws -> ProcedureStatement.Kind {
        if atAssignment { return try assignment() }
        if at(.shiftLeft) { return try labelled() }
        switch token.keyword {
        case .declare, .begin:
            let block = try procedureBlock(nil)
            try expect(.semicolon)
            return .block(block)
        case .if: return try ifStatement()
        case .case: return try caseStatement()
        case .for: return try forStatement(nil)
        case .null:
            advance()
            try expect(.semicolon)
            return .null
        case .execute: return try executeStatement()
        case .open: return try openStatement()
        case .fetch: return try fetchStatement(isMove: false)
        case .close: return try closeStatement()
        case .call: return .call(try wholeSQL())
        case .commit, .rollback, .abort: return try transactionEnd()
        default: return try wordStatement()
        }
    }

    private mutating func wordStatement() throws -> ProcedureStatement.Kind {
        if at(word: "loop") || at(word: "while") { return try loop(nil) }
        if at(word: "exit") || at(word: "continue") { return try leave() }
        if take(word: "return") {
            if !at(.semicolon) {
                throw error(
                    "RETURN cannot have a parameter in a procedure",
                    hint: "Assign to the output arguments instead.")
            }
            advance()
            return .returning
        }
        if at(word: "raise") { return try raise() }
        if at(word: "perform") { return try perform() }
        if at(word: "move") { return try fetchStatement(isMove: true) }
        if at(word: "get"), matches(peek(), "diagnostics") { return try diagnostics() }
        return try sqlStatement()
    }

    // MARK: Assignments and SQL

    /// `name :=`, `name =`, `record.field :=`
    private var atAssignment: Bool {
        guard at(.word) || at(.quotedName) || at(.parameter) else { return false }
        var distance = 1
        while distance < 5, peek(distance).kind == .dot { distance += 2 }
        return peek(distance).kind == .assign || peek(distance).kind == .equal
    }

    private mutating func assignment() throws -> ProcedureStatement.Kind {
        let target = try procedureTarget()
        if !take(.assign) { try expect(.equal) }
        let value = try procedureExpression { $0.at(.semicolon) }
        try expect(.semicolon)
        return .assignment(target, value)
    }

    private mutating func wholeSQL() throws -> ProcedureSQL {
        let sql = try procedureSQL(to: statementEnd { $0.at(.semicolon) })
        try expect(.semicolon)
        return sql
    }

    private mutating func sqlStatement() throws -> ProcedureStatement.Kind {
        guard at(.word) || at(.leftParenthesis) else { throw syntaxError() }
        let start = index, end = statementEnd { $0.at(.semicolon) }
        var hole = start..<start
        var targets: [ProcedureReference] = []
        if at(.select) || at(.with) || at(.leftParenthesis) {
            let into = statementEnd { $0.at(.into) }
            if into < end {
                index = into + 1
                targets = try intoTargets()
                hole = into..<index
                index = start
            }
        }
        let sql = try procedureSQL(start..<end, without: hole)
        try expect(.semicolon)
        if case .transaction(let statement) = sql.parsed.statement, statement.command != .begin {
            return statement.command == .commit ? .commit : .rollback
        }
        return .sql(sql, into: targets)
    }

    private mutating func intoTargets() throws -> [ProcedureReference] {
        if at(anyOf: .table, .temp, .temporary, .local) || at(.word) && matches(token, "#") {
            throw error(
                "SELECT INTO a new table is not possible in a procedure", state: .featureNotSupported,
                hint: "Use CREATE TABLE ... AS.")
        }
        return try procedureTargets()
    }

    private mutating func perform() throws -> ProcedureStatement.Kind {
        advance()
        let end = statementEnd { $0.at(.semicolon) }
        let sql = try procedureSQL(to: end, isSelected: !at(.select) && !at(.with))
        try expect(.semicolon)
        return .perform(sql)
    }

    private mutating func executeStatement() throws -> ProcedureStatement.Kind {
        try expect(.execute)
        let text = try procedureExpression { $0.at(.semicolon) || $0.at(.into) || $0.at(.using) }
        var targets: [ProcedureReference] = []
        var values: [ProcedureExpression] = []
        for _ in 0..<2 {
            if take(.into) { targets = try procedureTargets() }
            if take(.using) {
                values = try list { parser in
                    try parser.procedureExpression { $0.at(.semicolon) || $0.at(.comma) || $0.at(.into) }
                }
            }
        }
        try expect(.semicolon)
        return .execute(text, into: targets, using: values)
    }

    private mutating func transactionEnd() throws -> ProcedureStatement.Kind {
        let isCommit = at(.commit)
        advance()
        if !take(.work) { _ = take(.transaction) }
        try expect(.semicolon)
        return isCommit ? .commit : .rollback
    }

    // MARK: Messages and counts

    private mutating func raise() throws -> ProcedureStatement.Kind {
        advance()
        if take(.semicolon) { return .raiseAgain }
        var level = ProcedureRaiseLevel.exception
        if at(.word), let named = ProcedureRaiseLevel(rawValue: TokenText.uppered(TokenText.raw(bytes, token))) {
            level = named
            advance()
        }
        let place = position
        let format = try stringLiteral()
        var values: [ProcedureExpression] = []
        while take(.comma) { values.append(try procedureExpression { $0.at(.semicolon) || $0.at(.comma) }) }
        try expect(.semicolon)
        let wanted = RaiseFormat.pieces(of: format).count - 1
        if wanted != values.count {
            let word = wanted > values.count ? "few" : "many"
            throw SQLError(.syntaxError, "too \(word) parameters specified for RAISE", at: place)
        }
        return .raise(level, format: format, values)
    }

    private mutating func diagnostics() throws -> ProcedureStatement.Kind {
        index += 2
        let targets = try list { parser in
            let target = try parser.procedureTarget()
            if !parser.take(.assign) { try parser.expect(.equal) }
            guard parser.take(word: "row_count") else { throw parser.syntaxError() }
            return target
        }
        try expect(.semicolon)
        return .diagnostics(targets)
    }
}

/// `100 %% of % rows`: the texts between the places for values.
package enum RaiseFormat {
    package static func pieces(of format: String) -> [String] {
        var pieces: [[UInt8]] = [[]]
        var isEscape = false
        let bytes = Array(format.utf8)
        for (index, byte) in bytes.enumerated() {
            if isEscape {
                isEscape = false
                continue
            }
            if byte == UInt8(ascii: "%") {
                if index + 1 < bytes.count, bytes[index + 1] == byte {
                    pieces[pieces.count - 1].append(byte)
                    isEscape = true
                } else {
                    pieces.append([])
                }
            } else {
                pieces[pieces.count - 1].append(byte)
            }
        }
        return pieces.map { String(decoding: $0, as: UTF8.self) }
    }
}
