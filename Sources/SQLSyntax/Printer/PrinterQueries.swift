/// Queries and FROM.
extension SQLPrinter {
    mutating func write(_ query: Query) {
        if let with = query.with { write(with) }
        write(query.body, 0)
        orderBy(query.orderBy)
        if let limit = query.limit {
            text += " LIMIT "
            write(limit)
        }
        if let offset = query.offset {
            text += " OFFSET "
            write(offset)
        }
        if query.isLocking { text += " FOR UPDATE" }
    }

    mutating func write(_ with: WithClause) {
        text += with.isRecursive ? "WITH RECURSIVE " : "WITH "
        list(with.tables) { printer, table in
            printer.write(table.name)
            printer.optional(table.columns)
            printer.text += " AS ("
            printer.write(table.query)
            printer.text += ")"
        }
        text += " "
    }

    /// UNION and EXCEPT have precedence 0, INTERSECT 1, single queries 2.
    private mutating func write(_ body: QueryBody, _ minimum: Int) {
        switch body {
        case .select(let select): write(select)
        case .values(let values): write(values)
        case .nested(let query):
            text += "("
            write(query)
            text += ")"
        case .setOperation(let node):
            let precedence = node.kind == .intersect ? 1 : 0
            if precedence < minimum { text += "(" }
            write(node.left, precedence)
            text += " " + node.kind.rawValue + (node.all ? " ALL " : " ")
            write(node.right, precedence + 1)
            if precedence < minimum { text += ")" }
        }
    }

    private mutating func write(_ values: ValuesBody) {
        text += "VALUES "
        list(values.rows) { printer, row in
            printer.text += "("
            printer.write(row)
            printer.text += ")"
        }
    }

    private mutating func write(_ select: SelectBody) {
        text += "SELECT"
        if select.isDistinct { text += " DISTINCT" }
        if !select.distinctOn.isEmpty {
            text += " ON ("
            write(select.distinctOn)
            text += ")"
        }
        if let top = select.top {
            text += " TOP ("
            write(top)
            text += ")"
        }
        if !select.items.isEmpty { text += " " }
        list(select.items) { $0.write($1) }
        if !select.exclude.isEmpty {
            text += " EXCLUDE "
            parenthesized(select.exclude)
        }
        if let into = select.into {
            text += into.isTemporary ? " INTO TEMP " : " INTO "
            write(into.name)
        }
        if !select.from.isEmpty { text += " FROM " }
        list(select.from) { $0.write($1) }
        writeClauses(select)
    }

    private mutating func writeClauses(_ select: SelectBody) {
        clause(" WHERE ", select.filter)
        if let connect = select.connectBy {
            clause(" START WITH ", connect.startWith)
            clause(connect.noCycle ? " CONNECT BY NOCYCLE " : " CONNECT BY ", connect.condition)
        }
        switch select.groupBy {
        case nil: break
        case .all: text += " GROUP BY ALL"
        case .elements(let elements):
            text += " GROUP BY "
            list(elements) { $0.write($1) }
        }
        clause(" HAVING ", select.having)
        clause(" QUALIFY ", select.qualify)
        if !select.windows.isEmpty { text += " WINDOW " }
        list(select.windows) { printer, window in
            printer.write(window.name)
            printer.text += " AS "
            printer.write(window.specification)
        }
    }

    mutating func clause(_ words: String, _ expression: Expression?) {
        guard let expression else { return }
        text += words
        write(expression)
    }

    private mutating func write(_ item: SelectItem) {
        switch item {
        case .expression(let expression, let alias):
            write(expression)
            if let alias {
                text += " AS "
                write(alias)
            }
        case .wildcard(let qualifier, _):
            if let qualifier {
                write(qualifier)
                text += "."
            }
            text += "*"
        }
    }

    private mutating func write(_ element: GroupingElement) {
        switch element {
        case .expression(let expression): write(expression)
        case .set(let expressions): grouping(expressions.count == 1 ? "ROW" : "", expressions)
        case .rollup(let expressions): grouping("ROLLUP ", expressions)
        case .cube(let expressions): grouping("CUBE ", expressions)
        case .groupingSets(let elements):
            text += "GROUPING SETS ("
            list(elements) { $0.write($1) }
            text += ")"
        }
    }

    private mutating func grouping(_ words: String, _ expressions: [Expression]) {
        text += words + "("
        write(expressions)
        text += ")"
    }
}
