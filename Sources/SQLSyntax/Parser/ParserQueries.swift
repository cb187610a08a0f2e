import SQLTypes

/// Queries: WITH, set operations, SELECT and its clauses.
extension Parser {
    /// The current token begins a query, behind an opening parenthesis.
    var atQueryStart: Bool { at(.select) || at(.with) || (at(.values) && peek().kind == .leftParenthesis) }

    /// A parenthesized query goes on: `(select ...) UNION ...`.
    var atQueryContinuation: Bool {
        at(anyOf: .union, .intersect, .except, .minus, .order, .limit, .offset, .fetch)
    }

    mutating func query() throws -> Query {
        try nested { parser in
            let place = parser.position
            let with = try parser.optionalWith()
            let body = try parser.setOperations(0)
            return try parser.finishQuery(with, body, place)
        }
    }

    /// A query whose first operand was read already, as an expression in parentheses.
    mutating func query(continuing first: Query) throws -> Query {
        try nested { parser in
            try parser.grow()
            let body = try parser.setOperations(continuing: .nested(first), 0)
            return try parser.finishQuery(nil, body, first.position)
        }
    }

    private mutating func finishQuery(
        _ with: WithClause?, _ body: QueryBody, _ place: SourcePosition
    ) throws -> Query {
        var query = Query(with: with, body: body, position: place)
        query.orderBy = try optionalOrderBy()
        var clauses = LimitClauses()
        while try limitClause(&query, &clauses) {}
        if at(.for), peek().keyword == .update || peek().keyword == .share {
            index += 2
            query.isLocking = true
            if take(word: "of") { _ = try list { try $0.objectName() } }
            _ = take(word: "nowait")
        }
        // `(SELECT ...)` without clauses of its own is just what stands in the parentheses.
        if with == nil, query.orderBy.isEmpty, query.limit == nil, query.offset == nil, !query.isLocking,
            case .nested(let inner) = body
        {
            return inner
        }
        return query
    }

    /// Which clauses behind ORDER BY were read: each may stand once.
    private struct LimitClauses {
        var hasLimit = false
        var hasOffset = false
    }

    private mutating func limitClause(_ query: inout Query, _ clauses: inout LimitClauses) throws -> Bool {
        let isFetch = at(.fetch) && (peek().keyword == .first || peek().keyword == .next)
        if clauses.hasLimit && (at(.limit) || isFetch) || clauses.hasOffset && at(.offset) { throw syntaxError() }
        clauses.hasLimit = clauses.hasLimit || at(.limit) || isFetch
        clauses.hasOffset = clauses.hasOffset || at(.offset)
        if take(.limit) {
            if !take(.all) {
                query.limit = try expression()
                if take(.comma) {
                    throw error("LIMIT #,# syntax is not supported", hint: "Use separate LIMIT and OFFSET clauses.")
                }
            }
            return true
        }
        if take(.offset) {
            query.offset = try expression()
            if !take(.rows) { _ = take(.row) }
            return true
        }
        guard isFetch else { return false }
        index += 2
        query.limit = at(.row) || at(.rows) ? .literal(Literal(.integer(1), position: position)) : try primary()
        if !take(.rows) { try expect(.row) }
        try expect(.only)
        return true
    }

    mutating func optionalWith() throws -> WithClause? {
        guard take(.with) else { return nil }
        let isRecursive = take(.recursive)
        let tables = try list { parser in
            let name = try parser.name()
            let columns = try parser.optionalNameList()
            try parser.expect(.as)
            _ = parser.take(.materialized) || parser.take(.not, .materialized)
            try parser.expect(.leftParenthesis)
            let query = try parser.query()
            try parser.expect(.rightParenthesis)
            return CommonTable(name: name, columns: columns, query: query)
        }
        return WithClause(isRecursive: isRecursive, tables: tables)
    }

    /// UNION and EXCEPT have precedence 0, INTERSECT 1.
    private mutating func setOperations(_ minimum: Int) throws -> QueryBody {
        let first = try queryTerm()
        return try setOperations(continuing: first, minimum)
    }

    private mutating func setOperations(continuing first: QueryBody, _ minimum: Int) throws -> QueryBody {
        var left = first
        while let (kind, precedence) = setOperator, precedence >= minimum {
            let place = position
            advance()
            let all = take(.all)
            if !all { _ = take(.distinct) }
            let right = try setOperations(precedence + 1)
            left = .setOperation(SetOperation(kind: kind, all: all, left: left, right: right, position: place))
            try grow()
        }
        return left
    }

    private var setOperator: (SetOperation.Kind, Int)? {
        switch token.keyword {
        case .union: (.union, 0)
        case .except, .minus: (.except, 0)
        case .intersect: (.intersect, 1)
        default: nil
        }
    }

    private mutating func queryTerm() throws -> QueryBody {
        switch token.keyword {
        case .select: return .select(try selectBody())
        case .values: return .values(try valuesBody())
        case .table where isName(peek()): return .select(try tableCommand())
        default: break
        }
        guard at(.leftParenthesis) else { throw syntaxError(expecting: .select) }
        advance()
        let inner = try query()
        try expect(.rightParenthesis)
        // Parentheses around a bare body mean nothing more than grouping.
        if inner.with == nil, inner.orderBy.isEmpty, inner.limit == nil, inner.offset == nil, !inner.isLocking {
            switch inner.body {
            case .select, .values: return inner.body
            default: break
            }
        }
        return .nested(inner)
    }

    /// `TABLE t` is `SELECT * FROM t`.
    private mutating func tableCommand() throws -> SelectBody {
        var body = SelectBody(position: position)
        try expect(.table)
        body.items = [.wildcard(qualifier: nil, position: body.position)]
        body.from = [.table(NamedTable(name: try objectName(), alias: nil))]
        return body
    }

    mutating func valuesBody() throws -> ValuesBody {
        let place = position
        try expect(.values)
        let rows = try list { parser in try parser.parenthesizedList { try $0.expression() } }
        try grow()
        return ValuesBody(rows: rows, position: place)
    }

    private mutating func selectBody() throws -> SelectBody {
        try nested { parser in
            var body = SelectBody(position: parser.position)
            try parser.expect(.select)
            try parser.selectQuantifier(&body)
            if !parser.at(.from) && !parser.at(.into) { body.items = try parser.list { try $0.selectItem() } }
            if parser.take(.exclude) { body.exclude = try parser.excludeList() }
            body.into = try parser.intoClause()
            if parser.take(.from) { body.from = try parser.list { try $0.tableReference() } }
            try parser.selectClauses(&body)
            return body
        }
    }

    private mutating func selectQuantifier(_ body: inout SelectBody) throws {
        // `ALL` and `DISTINCT` stand on either side of TOP in practice.
        for _ in 0..<2 {
            if take(.distinct) {
                body.isDistinct = true
                if take(.on) { body.distinctOn = try parenthesizedList { try $0.expression() } }
            } else if take(.all) {
                continue
            } else if take(.top) {
                body.top = try topCount()
            }
        }
    }

    private mutating func topCount() throws -> Expression {
        if at(.leftParenthesis) {
            advance()
            let count = try expression()
            try expect(.rightParenthesis)
            return count
        }
        guard at(.integer) || at(.parameter) else { throw syntaxError() }
        return try primary()
    }

    private mutating func selectItem() throws -> SelectItem {
        let place = position
        if take(.star) { return .wildcard(qualifier: nil, position: place) }
        if at(.word) || at(.quotedName), let qualifier = try wildcardQualifier() {
            return .wildcard(qualifier: qualifier, position: place)
        }
        let value = try expression()
        if take(.as) { return .expression(value, alias: try label()) }
        return .expression(value, alias: at(.at) || isBareAlias(token) ? try label() : nil)
    }

    /// `a.b.*`: the name in front, tokens taken; nil and nothing taken otherwise.
    private mutating func wildcardQualifier() throws -> ObjectName? {
        var distance = 1
        while peek(distance).kind == .dot, peek(distance + 1).kind == .word || peek(distance + 1).kind == .quotedName {
            distance += 2
        }
        guard peek(distance).kind == .dot, peek(distance + 1).kind == .star, atName else { return nil }
        let name = try qualifierName(parts: (distance + 1) / 2)
        index += 2
        return name
    }

    private mutating func qualifierName(parts count: Int) throws -> ObjectName {
        var parts = [try name()]
        for _ in 1..<max(count, 1) {
            advance()
            parts.append(try label())
        }
        return ObjectName(parts: parts)
    }

    private mutating func excludeList() throws -> [Identifier] {
        at(.leftParenthesis) ? try nameList() : try list { try $0.name() }
    }

    private mutating func intoClause() throws -> IntoClause? {
        guard take(.into) else { return nil }
        _ = take(.local)
        let isTemporary = take(.temporary) || take(.temp)
        _ = take(.table)
        let name = try objectName()
        return IntoClause(name: name, isTemporary: isTemporary || name.name.hasPrefix("#"))
    }

    private mutating func selectClauses(_ body: inout SelectBody) throws {
        if take(.where) { body.filter = try expression() }
        body.connectBy = try connectByClause()
        if take(.group, .by) { body.groupBy = try groupByClause() }
        if take(.having) { body.having = try expression() }
        if take(.qualify) { body.qualify = try expression() }
        if take(.window) {
            body.windows = try list { parser in
                let name = try parser.name()
                try parser.expect(.as)
                return NamedWindow(name: name, specification: try parser.windowSpecification())
            }
        }
        if body.qualify == nil, take(.qualify) { body.qualify = try expression() }
    }

    private mutating func connectByClause() throws -> ConnectByClause? {
        let place = position
        var startWith: Expression?
        if take(.start, .with) { startWith = try expression() }
        guard take(.connect) else {
            if startWith != nil { throw syntaxError(expecting: .connect) }
            return nil
        }
        try expect(.by)
        let noCycle = take(.nocycle)
        let condition = try expression()
        if startWith == nil, take(.start, .with) { startWith = try expression() }
        return ConnectByClause(startWith: startWith, condition: condition, noCycle: noCycle, position: place)
    }

    private mutating func groupByClause() throws -> GroupByClause {
        if take(.all) { return .all }
        return .elements(try list { try $0.groupingElement() })
    }

    private mutating func groupingElement() throws -> GroupingElement {
        if at(.leftParenthesis), peek().kind == .rightParenthesis {
            index += 2
            return .set([])
        }
        if at(.rollup), peek().kind == .leftParenthesis {
            advance()
            return .rollup(try parenthesizedList { try $0.expression() })
        }
        if at(.cube), peek().kind == .leftParenthesis {
            advance()
            return .cube(try parenthesizedList { try $0.expression() })
        }
        if take(.grouping, .sets) {
            return try nested { parser in
                .groupingSets(try parser.parenthesizedList { try $0.groupingElement() })
            }
        }
        let value = try expression()
        if case .row(let list) = value { return .set(list.elements) }
        return .expression(value)
    }
}
