import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

/// Statements of procedures enter the way of all statements.
extension ProcedureRun {
    /// Runs a statement of the body with the present values of its variables.
    @discardableResult
    func perform(_ sql: ProcedureSQL, _ purpose: StatementOutcome.Purpose) throws -> StatementOutcome {
        let text = program.text(sql)
        let values = try parameters(sql.references)
        return try performing(sql.source, from: sql.position.offset ?? 1, purpose) { outcome in
            let prepared = try text.prepare(context.session, values.map(\.type))
            try context.session.receive(.prepared(prepared, text.parsed, values), outcome)
        }
    }

    /// Runs a statement that the procedure has put together.
    @discardableResult
    func perform(
        _ text: ProcedureText, _ values: [StatementParameter], source: String, _ purpose: StatementOutcome.Purpose
    ) throws -> StatementOutcome {
        try performing(source, from: 1, purpose) { outcome in
            let prepared = try text.prepare(context.session, values.map(\.type))
            try context.session.receive(.prepared(prepared, text.parsed, values), outcome)
        }
    }

    /// The session's record of what runs is the CALL's again when the statement is done.
    func performing(
        _ source: String, from start: Int, _ purpose: StatementOutcome.Purpose,
        _ body: (StatementOutcome) throws -> Void
    ) throws -> StatementOutcome {
        try context.check()
        context.ensureTransaction()
        let outcome = StatementOutcome(context, purpose)
        let mark = context.budget.mark
        let running = context.session.activity.statement
        defer {
            context.budget.restore(mark)
            if let running { context.session.activity.begin(running) }
        }
        do {
            try body(outcome)
        } catch {
            throw SQLError(error).inStatement(source, from: start)
        }
        return outcome
    }

    /// The one value of a query; NULL when it has no row.
    func selectOne(_ sql: ProcedureSQL) throws -> (Datum, SQLType) {
        let outcome = try perform(sql, .firstRow)
        if outcome.rowsSeen > 1 {
            throw SQLError(
                .cardinalityViolation, "query \"\(sql.source)\" returned more than one row")
        }
        guard outcome.types.count == 1 else {
            throw SQLError(.syntaxError, "query \"\(sql.source)\" returned \(outcome.types.count) columns")
        }
        return (outcome.first?[0] ?? .null, outcome.types[0])
    }

    /// What a statement leaves for FOUND and GET DIAGNOSTICS.
    func note(_ outcome: StatementOutcome, of statement: Statement) {
        switch statement {
        case .query, .insert, .update, .delete, .merge:
            rowCount = outcome.count
            setFound(outcome.count > 0)
        default: rowCount = outcome.count
        }
    }

    // MARK: EXECUTE

    /// - Returns: what the last statement of the text came to, and which it was.
    func performDynamic(
        _ text: String, using values: [StatementParameter], _ purpose: StatementOutcome.Purpose
    ) throws -> (StatementOutcome, Statement)? {
        let options = context.session.settings.syntax
        if values.isEmpty, let template = StatementTemplate(text) {
            let outcome = try performing(text, from: 1, purpose) {
                try context.session.receive(.text(text, template), $0)
            }
            return (outcome, ProcedureRun.someQuery)
        }
        let statements: [ParsedStatement]
        do {
            statements = try Parser.parse(text, options: options, budget: context.budget)
        } catch {
            throw SQLError(error).inStatement(text, from: 1)
        }
        var last: (StatementOutcome, Statement)?
        for parsed in statements {
            last = (try perform(parsed, of: text, using: values, purpose), parsed.statement)
        }
        return last
    }

    private func perform(
        _ parsed: ParsedStatement, of text: String, using values: [StatementParameter],
        _ purpose: StatementOutcome.Purpose
    ) throws -> StatementOutcome {
        if case .transaction(let statement) = parsed.statement, statement.command != .begin {
            try endTransaction(isCommit: statement.command == .commit)
            return StatementOutcome(context, purpose)
        }
        return try performing(text, from: 1, purpose) { outcome in
            if values.isEmpty { return try context.session.receive(.parsed(parsed, text), outcome) }
            guard parsed.parameterCount <= values.count else {
                throw SQLError(.undefinedParameter, "there is no parameter $\(parsed.parameterCount)")
            }
            let given = Array(values.prefix(parsed.parameterCount))
            let prepared = PreparedStatement(
                text: text, parsed: parsed, givenTypes: given.map(\.type), parameterTypes: given.map(\.type),
                columns: nil, isReusable: false)
            try context.session.receive(.prepared(prepared, parsed, given), outcome)
        }
    }

    private static let someQuery = Statement.query(Query(body: .values(ValuesBody.empty)))

    /// COMMIT and ROLLBACK.
    func endTransaction(isCommit: Bool) throws {
        try context.checkEnd(isCommit ? "COMMIT" : "ROLLBACK")
        if isCommit { try context.session.commitTransaction() } else { context.session.rollBackTransaction() }
    }
}
