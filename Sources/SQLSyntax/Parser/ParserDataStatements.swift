import SQLTypes

/// INSERT, UPDATE, DELETE, MERGE, TRUNCATE.
extension Parser {
    mutating func insert() throws -> InsertStatement {
        let place = position
        try expect(.insert)
        try expect(.into)
        let table = try objectName()
        let columns = at(.leftParenthesis) && !atParenthesizedQuery ? try nameList() : []
        if take(.default, .values) {
            return InsertStatement(table: table, columns: columns, source: .defaultValues, position: place)
        }
        return InsertStatement(table: table, columns: columns, source: .query(try query()), position: place)
    }

    private var atParenthesizedQuery: Bool {
        var distance = 0
        while peek(distance).kind == .leftParenthesis { distance += 1 }
        let keyword = peek(distance).keyword
        return keyword == .select || keyword == .with || (keyword == .values && distance > 1)
    }

    mutating func update(_ with: WithClause?) throws -> UpdateStatement {
        let place = position
        try expect(.update)
        _ = take(.only)
        let table = try objectName()
        let alias = try targetAlias()
        try expect(.set)
        let assignments = try list { try $0.assignment() }
        let from = take(.from) ? try list { try $0.tableReference() } : []
        let filter = take(.where) ? try expression() : nil
        return UpdateStatement(
            with: with, table: table, alias: alias, assignments: assignments, from: from, filter: filter,
            position: place)
    }

    private mutating func targetAlias() throws -> Identifier? {
        if take(.as) { return try label() }
        return isBareAlias(token) ? try label() : nil
    }

    /// `c = e`; a table name in front of the column is allowed and ignored.
    private mutating func assignment() throws -> ColumnAssignment {
        var column = try name()
        while take(.dot) { column = try label() }
        try expect(.equal)
        return ColumnAssignment(column: column, value: try expression())
    }

    mutating func delete(_ with: WithClause?) throws -> DeleteStatement {
        let place = position
        try expect(.delete)
        _ = take(.from)
        _ = take(.only)
        let table = try objectName()
        let alias = try targetAlias()
        let using = take(.using) ? try list { try $0.tableReference() } : []
        let filter = take(.where) ? try expression() : nil
        return DeleteStatement(
            with: with, table: table, alias: alias, using: using, filter: filter, position: place)
    }

    mutating func merge() throws -> MergeStatement {
        let place = position
        try expect(.merge)
        try expect(.into)
        let target = try objectName()
        let alias = try targetAlias()
        try expect(.using)
        let source = try tableReference()
        try expect(.on)
        let condition = try expression()
        return MergeStatement(
            target: target, targetAlias: alias, source: source, condition: condition, action: try mergeAction(),
            position: place)
    }

    private mutating func mergeAction() throws -> MergeStatement.Action {
        if take(.remove, .duplicates) { return .removeDuplicates }
        var matched: MergeStatement.MatchedAction?
        var notMatched: MergeStatement.Insertion?
        guard at(.when) else { throw syntaxError(expecting: .when) }
        while take(.when) {
            if take(.not) {
                guard notMatched == nil else { throw error("only one WHEN NOT MATCHED clause is allowed") }
                try expect(.matched, .then)
                notMatched = try mergeInsertion()
            } else {
                guard matched == nil else { throw error("only one WHEN MATCHED clause is allowed") }
                try expect(.matched, .then)
                matched = try matchedAction()
            }
        }
        return .clauses(matched: matched, notMatched: notMatched)
    }

    private mutating func matchedAction() throws -> MergeStatement.MatchedAction {
        if take(.delete) { return .delete }
        try expect(.update, .set)
        return .update(try list { try $0.assignment() })
    }

    private mutating func mergeInsertion() throws -> MergeStatement.Insertion {
        try expect(.insert)
        let columns = try optionalNameList()
        try expect(.values)
        return MergeStatement.Insertion(columns: columns, values: try parenthesizedList { try $0.expression() })
    }

    mutating func truncate() throws -> TruncateStatement {
        let place = position
        try expect(.truncate)
        _ = take(.table)
        return TruncateStatement(table: try objectName(), position: place)
    }
}
