import SQLTypes

/// Finds the statement by its first words.
extension Parser {
    mutating func statement() throws -> Statement {
        try nested { try $0.statementBody() }
    }

    private mutating func statementBody() throws -> Statement {
        switch token.keyword {
        case .select, .values: return .query(try query())
        case .with: return try statementAfterWith()
        case .insert: return .insert(try insert())
        case .update: return .update(try update(nil))
        case .delete: return .delete(try delete(nil))
        case .merge: return .merge(try merge())
        case .truncate: return .truncate(try truncate())
        case .copy: return try copy()
        case .unload: return .unload(try unload())
        case .create: return try create()
        case .alter: return try alter()
        case .drop: return try drop()
        case .comment: return .comment(try comment())
        case .grant, .revoke: return try grantOrRevoke()
        default: return try sessionStatement()
        }
    }

    private mutating func sessionStatement() throws -> Statement {
        switch token.keyword {
        case .analyze, .analyse: return .analyze(try analyze())
        case .vacuum: return .vacuum(try vacuum())
        case .explain: return .explain(try explain())
        case .set: return .set(try set())
        case .reset: return .reset(try reset())
        case .show: return .show(try show())
        case .begin, .start, .commit, .end, .rollback, .abort: return .transaction(try transaction())
        case .lock: return .lock(try lock())
        case .prepare: return .prepare(try prepare())
        case .execute: return .execute(try execute())
        case .deallocate: return .deallocate(try deallocate())
        case .declare: return .declareCursor(try declareCursor())
        case .fetch: return .fetch(try fetch())
        case .close: return .closeCursor(try closeCursor())
        case .call: return .call(try call())
        case .refresh: return .refreshMaterializedView(try refresh())
        case .use: return .use(try use())
        case .cancel: return .cancel(try cancel())
        case .restore: return .snapshot(try restore())
        case _ where at(word: "resize"): return .resize(try resize())
        case .attach, .detach: return .generic(try generic(words: 3))
        case .desc, .describe: return .generic(try generic(words: matches(peek(), "identity") ? 3 : 2))
        case .table where isName(peek()): return .query(try query())
        default: break
        }
        guard at(.leftParenthesis) else { throw syntaxError() }
        return .query(try query())
    }

    /// WITH in front of SELECT, UPDATE or DELETE: decided by the word behind the common tables.
    private mutating func statementAfterWith() throws -> Statement {
        let start = index
        let height = tallest
        let with = try optionalWith()
        switch token.keyword {
        case .update: return .update(try update(with))
        case .delete: return .delete(try delete(with))
        case .insert: throw syntaxError()
        default: break
        }
        index = start
        tallest = height
        return .query(try query())
    }

    mutating func create() throws -> Statement {
        let start = index
        try expect(.create)
        if take(.or, .replace) { return try createOrReplace(start) }
        switch token.keyword {
        case .table: return try createTable(start, isTemporary: false)
        case .temp, .temporary, .local:
            return try createTemporary(start)
        case .view: return .createView(try createView(start, orReplace: false, isTemporary: false))
        case .materialized: return .createMaterializedView(try createMaterializedView(start))
        case .schema: return .createSchema(try createSchema(start))
        case .database: return .createDatabase(try createDatabase(start))
        case .user: return .createUser(try user(start, isCreate: true))
        case .group: return .createGroup(try createGroup(start))
        case .role: return .createRole(try role(start, isCreate: true))
        case .function, .procedure: return try createRoutine(start, orReplace: false)
        case .external: return try createExternal(start)
        case _ where at(word: "protected"):
            advance()
            return try genericDefinition(start)
        case .snapshot: return .snapshot(try createSnapshot(start))
        default: return try genericDefinition(start)
        }
    }

    private mutating func createOrReplace(_ start: Int) throws -> Statement {
        switch token.keyword {
        case .view: return .createView(try createView(start, orReplace: true, isTemporary: false))
        case .function, .procedure: return try createRoutine(start, orReplace: true)
        case .temp, .temporary:
            advance()
            return .createView(try createView(start, orReplace: true, isTemporary: true))
        case .external, .library: return try genericDefinition(start)
        default: throw syntaxError()
        }
    }

    private mutating func createTemporary(_ start: Int) throws -> Statement {
        _ = take(.local)
        if !take(.temp) { try expect(.temporary) }
        if at(.view) { return .createView(try createView(start, orReplace: false, isTemporary: true)) }
        return try createTable(start, isTemporary: true)
    }

    mutating func alter() throws -> Statement {
        let start = index
        try expect(.alter)
        switch token.keyword {
        case .table: return .alterTable(try alterTable(start))
        case .schema: return .alterSchema(try alterSchema(start))
        case .database: return .alterDatabase(try alterDatabase(start))
        case .user: return .alterUser(try user(start, isCreate: false))
        case .group: return .alterGroup(try alterGroup(start))
        case .role: return .alterRole(try role(start, isCreate: false))
        case .materialized: return .alterMaterializedView(try alterMaterializedView(start))
        case .procedure: return .alterProcedure(try alterProcedure(start))
        case .default where peek().keyword == .privileges: return try alterDefaultPrivileges(start)
        default:
            if at(word: "system") { return .alterSystem(try alterSystem(start)) }
            return try genericDefinition(start)
        }
    }

    /// CREATE, ALTER and DROP of things that nobody executes: the kind's words make the tag.
    mutating func genericDefinition(_ start: Int) throws -> Statement {
        let verb = TokenText.uppered(TokenText.raw(bytes, tokens[start]))
        if take(.or) { try expect(.replace) }
        for (first, second) in Self.genericKinds where matches(token, first) {
            guard let second else {
                return .generic(try generic(from: start, tag: verb + " " + TokenText.uppered(first.description)))
            }
            if matches(peek(), second) {
                let words = first.description + " " + second.description
                return .generic(try generic(from: start, tag: verb + " " + TokenText.uppered(words)))
            }
        }
        throw syntaxError()
    }

    private static let genericKinds: [(StaticString, StaticString?)] = [
        ("rls", "policy"), ("masking", "policy"), ("identity", "provider"), ("external", "function"),
        ("external", "model"), ("external", "view"), ("external", "schema"), ("external", "table"), ("datashare", nil),
        ("model", nil), ("library", nil), ("system", nil), ("function", nil), ("procedure", nil), ("view", nil),
        ("policy", nil), ("index", nil), ("unique", "index"), ("sequence", nil), ("trigger", nil), ("type", nil),
        ("extension", nil), ("language", nil), ("aggregate", nil), ("operator", nil), ("cast", nil), ("domain", nil),
        ("rule", nil), ("tablespace", nil), ("server", nil), ("constraint", "trigger"), ("conversion", nil),
    ]

    /// Takes the rest of the statement, with the first words as its tag.
    mutating func generic(words count: Int) throws -> GenericStatement {
        let words = (0..<count).map { TokenText.uppered(TokenText.raw(bytes, peek($0))) }
        return try generic(from: index, tag: words.joined(separator: " "))
    }

    mutating func generic(from start: Int, tag: String) throws -> GenericStatement {
        skipStatement()
        return GenericStatement(commandTag: tag, text: text(from: start, to: index), position: position(of: start))
    }

    /// Moves to the `;` or the end.
    mutating func skipStatement() {
        while !at(.semicolon), !at(.endOfInput) { advance() }
    }

    mutating func ifExists() throws -> Bool {
        guard take(.if) else { return false }
        try expect(.exists)
        return true
    }

    mutating func ifNotExists() throws -> Bool {
        guard take(.if) else { return false }
        try expect(.not, .exists)
        return true
    }

    /// CASCADE or RESTRICT; false for neither.
    mutating func cascade() -> Bool {
        if take(.cascade) { return true }
        _ = take(.restrict)
        return false
    }
}
