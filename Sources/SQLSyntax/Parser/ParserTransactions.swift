import SQLTypes

/// Transactions, prepared statements, cursors.
extension Parser {
    mutating func transaction() throws -> TransactionStatement {
        let place = position
        let command: TransactionStatement.Command
        switch token.keyword {
        case .start:
            advance()
            guard at(.transaction) else { throw syntaxError(expecting: .transaction) }
            command = .begin
        case .begin:
            advance()
            command = .begin
        case .commit, .end:
            advance()
            command = .commit
        default:
            advance()
            command = .rollback
        }
        if !take(.work) { _ = take(.transaction) }
        var level: String?
        var readOnly: Bool?
        while command == .begin, at(.word) {
            if take(.isolation) {
                try expect(.level)
                level = try isolationLevel()
            } else {
                try expect(.read)
                readOnly = take(.only)
                if readOnly == false { try expect(.write) }
            }
            _ = take(.comma)
        }
        return TransactionStatement(command: command, isolationLevel: level, readOnly: readOnly, position: place)
    }

    mutating func isolationLevel() throws -> String {
        if take(.serializable) { return "SERIALIZABLE" }
        if take(.snapshot) { return "SNAPSHOT" }
        if take(.repeatable) {
            try expect(.read)
            return "REPEATABLE READ"
        }
        try expect(.read)
        if take(.committed) { return "READ COMMITTED" }
        try expect(.uncommitted)
        return "READ UNCOMMITTED"
    }

    mutating func lock() throws -> LockStatement {
        let place = position
        try expect(.lock)
        _ = take(.table)
        let tables = try list { try $0.objectName() }
        var mode: String?
        if take(.in) {
            let start = index
            while at(.word), !at(.mode) { advance() }
            mode = TokenText.uppered(text(from: start, to: index))
            try expect(.mode)
        }
        return LockStatement(tables: tables, mode: mode, position: place)
    }

    mutating func prepare() throws -> PrepareStatement {
        let place = position
        try expect(.prepare)
        let name = try name()
        let types = at(.leftParenthesis) ? try parenthesizedList { try $0.typeName() } : []
        try expect(.as)
        let start = index
        let inner = try statement()
        return PrepareStatement(
            name: name, parameterTypes: types, statement: inner, statementText: text(from: start, to: index),
            position: place)
    }

    mutating func execute() throws -> ExecuteStatement {
        let place = position
        try expect(.execute)
        let name = try name()
        let hasArguments = at(.leftParenthesis) && peek().kind != .rightParenthesis
        let arguments = hasArguments ? try parenthesizedList { try $0.expression() } : []
        if !hasArguments, take(.leftParenthesis) { try expect(.rightParenthesis) }
        return ExecuteStatement(name: name, arguments: arguments, position: place)
    }

    mutating func deallocate() throws -> DeallocateStatement {
        let place = position
        try expect(.deallocate)
        _ = take(.prepare)
        return DeallocateStatement(name: take(.all) ? nil : try name(), position: place)
    }

    mutating func declareCursor() throws -> DeclareCursorStatement {
        let place = position
        try expect(.declare)
        let name = try name()
        var options: [String] = []
        while !at(.cursor) {
            guard at(anyOf: .binary, .insensitive, .no, .scroll) else { throw syntaxError() }
            options.append(TokenText.uppered(try label().text))
        }
        try expect(.cursor)
        if at(.with) || at(.without), peek().keyword == .hold {
            options.append(at(.with) ? "WITH HOLD" : "WITHOUT HOLD")
            index += 2
        }
        try expect(.for)
        let start = index
        let query = try query()
        if take(.for) { _ = take(.read, .only) }
        return DeclareCursorStatement(
            name: name, options: options, query: query, queryText: text(from: start, to: index), position: place)
    }

    mutating func fetch() throws -> FetchStatement {
        let place = position
        try expect(.fetch)
        return try fetch(from: place)
    }

    /// What stands behind FETCH or MOVE.
    mutating func fetch(from place: SourcePosition) throws -> FetchStatement {
        var direction = FetchStatement.Direction.forward
        var amount = FetchStatement.Amount.rows(1)
        if take(.first) {
            direction = .first
        } else if take(.last) {
            direction = .last
        } else if take(.prior) {
            direction = .prior
        } else if take(.absolute) {
            direction = .absolute
            amount = .rows(try integer())
        } else if take(.relative) {
            direction = .relative
            amount = .rows(try integer())
        } else if take(.backward) {
            direction = .backward
            amount = try fetchAmount()
        } else if !take(.next) {
            _ = take(.forward)
            amount = try fetchAmount()
        }
        if !take(.from) { _ = take(.in) }
        return FetchStatement(direction: direction, amount: amount, cursor: try name(), position: place)
    }

    private mutating func fetchAmount() throws -> FetchStatement.Amount {
        if take(.all) { return .all }
        return at(.integer) || at(.dash) ? .rows(try integer()) : .rows(1)
    }

    mutating func closeCursor() throws -> CloseCursorStatement {
        let place = position
        try expect(.close)
        return CloseCursorStatement(name: take(.all) ? nil : try name(), position: place)
    }
}
