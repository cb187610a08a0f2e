import SQLTypes

/// FROM: tables, subqueries, joins, pivots.
extension Parser {
    mutating func tableReference() throws -> TableReference {
        try nested { parser in
            var left = try parser.tablePrimary()
            while let joined = try parser.join(left) {
                left = joined
                try parser.grow()
            }
            return left
        }
    }

    /// The join that follows `left`; nil when none does.
    private mutating func join(_ left: TableReference) throws -> TableReference? {
        let place = position
        let natural = take(.natural)
        guard let kind = try joinKind() else {
            if natural { throw syntaxError(expecting: .join) }
            return nil
        }
        let right = natural ? try tablePrimary() : try joinedTable(kind)
        var constraint = Join.Constraint.none
        if natural {
            constraint = .natural
        } else if kind != .cross {
            if take(.using) {
                constraint = .using(try nameList())
            } else {
                try expect(.on)
                constraint = .on(try expression())
            }
        }
        return .join(Join(kind: kind, left: left, right: right, constraint: constraint, position: place))
    }

    /// The right side. `a JOIN b JOIN c ON .. ON ..` nests to the right when the condition of `b` comes later.
    private mutating func joinedTable(_ kind: Join.Kind) throws -> TableReference {
        var right = try tablePrimary()
        guard kind != .cross else { return right }
        while at(anyOf: .join, .inner, .left, .right, .full, .cross, .natural) {
            guard let joined = try nested({ try $0.join(right) }) else { break }
            right = joined
        }
        return right
    }

    private mutating func joinKind() throws -> Join.Kind? {
        let kind: Join.Kind
        switch token.keyword {
        case .join: kind = .inner
        case .inner: kind = .inner
        case .left: kind = .left
        case .right: kind = .right
        case .full: kind = .full
        case .cross: kind = .cross
        default: return nil
        }
        if take(.join) { return kind }
        advance()
        if kind == .left || kind == .right || kind == .full { _ = take(.outer) }
        try expect(.join)
        return kind
    }

    private mutating func tablePrimary() throws -> TableReference {
        var table = try plainTable()
        while true {
            if at(.pivot) {
                table = try pivot(table)
            } else if at(.unpivot) {
                table = try unpivot(table)
            } else {
                return table
            }
            try grow()
        }
    }

    private mutating func plainTable() throws -> TableReference {
        let place = position
        if at(.leftParenthesis) { return try parenthesizedTable() }
        let isLateral = take(.lateral)
        if isLateral, at(.leftParenthesis) {
            advance()
            return try derivedTable(isLateral: true, place)
        }
        if take(.unpivot) {
            let path = try expression(Precedence.sign)
            return .objectUnpivot(NavigationTable(path: path, alias: try tableAlias()))
        }
        _ = take(.only)
        // UNNEST is reserved, and yet a function.
        let isUnnest = at(.unnest) && peek().kind == .leftParenthesis
        let name = isUnnest ? ObjectName(try label()) : try objectName()
        if at(.leftParenthesis) { return try tableFunction(name) }
        if at(.leftBracket) {
            let path = try postfix(.name(name))
            return .navigation(NavigationTable(path: path, alias: try tableAlias()))
        }
        _ = take(.star)
        return .table(NamedTable(name: name, alias: try tableAlias()))
    }

    /// `(query) alias` or `(a JOIN b ...)`; the first token behind the parentheses decides.
    private mutating func parenthesizedTable() throws -> TableReference {
        let place = position
        if parenthesesHoldQuery {
            advance()
            return try derivedTable(isLateral: false, place)
        }
        advance()
        let inner = try tableReference()
        try expect(.rightParenthesis)
        return inner
    }

    /// Whether the parentheses here hold a query rather than a join: `((select 1) union select 2)` does,
    /// `((select 1) a join b ...)` does not. Decided by what follows the innermost query's parenthesis.
    private var parenthesesHoldQuery: Bool {
        var opened = 0
        var place = index
        while tokens[place].kind == .leftParenthesis {
            opened += 1
            place += 1
        }
        switch tokens[place].keyword {
        case .select, .with, .values: break
        default: return false
        }
        if opened == 1 { return true }
        return closesAsQuery(from: place, opened)
    }

    /// Walks to the end of the innermost parentheses and looks whether a set operation or another `)` follows.
    private func closesAsQuery(from start: Int, _ opened: Int) -> Bool {
        var place = start
        var level = opened
        while place < tokens.count {
            switch tokens[place].kind {
            case .leftParenthesis: level += 1
            case .rightParenthesis:
                level -= 1
                if level == 0 { return true }
                if level < opened {
                    let next = tokens[min(place + 1, tokens.count - 1)]
                    switch next.keyword {
                    case .union, .intersect, .except, .minus, .order, .limit, .offset, .fetch: return true
                    default:
                        if next.kind != .rightParenthesis { return false }
                    }
                }
            case .endOfInput: return true
            default: break
            }
            place += 1
        }
        return true
    }

    private mutating func derivedTable(isLateral: Bool, _ place: SourcePosition) throws -> TableReference {
        let query = try query()
        try expect(.rightParenthesis)
        return .subquery(DerivedTable(query: query, isLateral: isLateral, alias: try tableAlias(), position: place))
    }

    private mutating func tableFunction(_ name: ObjectName) throws -> TableReference {
        let call = try functionCall(name, form: .call, name.position)
        guard at(.as) || isBareAlias(token) else {
            return .function(TableFunction(call: call, alias: nil, columnTypes: []))
        }
        _ = take(.as)
        let alias = try label()
        guard at(.leftParenthesis) else {
            let tableAlias = TableAlias(name: alias, columns: [], at: nil)
            return .function(TableFunction(call: call, alias: tableAlias, columnTypes: []))
        }
        var columns: [Identifier] = []
        var types: [ParsedTypeName] = []
        _ = try parenthesizedList { parser in
            columns.append(try parser.name())
            if !parser.at(.comma), !parser.at(.rightParenthesis) { types.append(try parser.typeName()) }
        }
        return .function(
            TableFunction(call: call, alias: TableAlias(name: alias, columns: columns, at: nil), columnTypes: types))
    }

    mutating func tableAlias() throws -> TableAlias? {
        let name: Identifier
        if take(.as) {
            name = try label()
        } else if isBareAlias(token) {
            name = try label()
        } else {
            return nil
        }
        let columns = try optionalNameList()
        let at = take(.at) ? try self.name() : nil
        return TableAlias(name: name, columns: columns, at: at)
    }

    private mutating func pivot(_ source: TableReference) throws -> TableReference {
        let place = position
        try expect(.pivot)
        try expect(.leftParenthesis)
        let aggregates = try list { try $0.pivotValue() }
        try expect(.for)
        let column = try expression(Precedence.other)
        try expect(.in)
        let values = try parenthesizedList { try $0.pivotValue() }
        try expect(.rightParenthesis)
        return .pivot(
            PivotTable(
                source: source, aggregates: aggregates, column: column, values: values, alias: try tableAlias(),
                position: place))
    }

    private mutating func pivotValue() throws -> PivotTable.Value {
        let value = try expression()
        let hasAlias = take(.as) || isBareAlias(token)
        return PivotTable.Value(expression: value, alias: hasAlias ? try label() : nil)
    }

    private mutating func unpivot(_ source: TableReference) throws -> TableReference {
        let place = position
        try expect(.unpivot)
        let includesNulls = take(.include, .nulls)
        if !includesNulls { _ = take(.exclude, .nulls) }
        try expect(.leftParenthesis)
        let valueName = try name()
        try expect(.for)
        let labelName = try name()
        try expect(.in)
        let columns = try parenthesizedList { parser in
            let name = try parser.name()
            return UnpivotTable.Column(name: name, label: parser.take(.as) ? try parser.expression() : nil)
        }
        try expect(.rightParenthesis)
        return .unpivot(
            UnpivotTable(
                source: source, includesNulls: includesNulls, valueName: valueName, labelName: labelName,
                columns: columns, alias: try tableAlias(), position: place))
    }
}
