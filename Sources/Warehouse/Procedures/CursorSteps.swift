import SQLSyntax
import SQLTypes

/// OPEN: the cursor's rows are made, and its name goes into the variable.
final class OpenStep: ProcedureStep {
    private let place: Int
    private let source: RowSourceStep

    init(_ line: Int, _ place: Int, _ source: RowSourceStep) {
        self.place = place
        self.source = source
        super.init(line, "open")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let name = try run.cursorName(place) ?? run.context.makeCursorName()
        // A cursor lives in a transaction, which a procedure without one begins for it.
        if run.context.isNonatomic && run.context.session.transaction == nil { run.context.beginTransaction() }
        switch source.source {
        case .query(let sql): try open(name, sql, run)
        case .cursor(let sql, let arguments):
            for argument in arguments { try argument.value.assign(run, argument.place) }
            try open(name, sql, run)
        case .dynamic(let value):
            guard let text = try value.text(run) else { throw RowSourceStep.nullText }
            let query: Query
            do {
                query = try Parser.parseQuery(
                    text, options: run.context.session.settings.syntax, budget: run.context.budget)
            } catch {
                throw SQLError(error).inStatement(text, from: 1)
            }
            try run.perform(ProcedureText(.declaring(name, for: query, text: text), 0), [], source: text, .none)
        case .unbound(let cursor):
            throw SQLError(.syntaxError, "cursor \"\(cursor)\" has no query", hint: "Use OPEN ... FOR.")
        }
        try run.set(place, .text(name))
        return .next
    }

    private func open(_ name: String, _ sql: ProcedureSQL, _ run: ProcedureRun) throws {
        guard case .query(let query) = sql.parsed.statement else {
            throw SQLError(.syntaxError, "cannot open a cursor for a statement that is no query")
        }
        let values = try run.parameters(sql.references)
        let text = ProcedureText(.declaring(name, for: query, text: sql.source), values.count)
        try run.perform(text, values, source: sql.source, .none)
    }
}

/// FETCH and MOVE.
final class FetchStep: ProcedureStep {
    private let fetch: ProcedureStatement.Fetch

    init(_ line: Int, _ fetch: ProcedureStatement.Fetch) {
        self.fetch = fetch
        super.init(line, fetch.isMove ? "move" : "fetch")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let name = try run.openCursorName(fetch.cursor)
        let text = ProcedureText(.fetching(fetch.direction, fetch.amount, from: name), 0)
        let outcome = try run.perform(text, [], source: text.text, fetch.isMove ? .discard : .firstRow)
        run.rowCount = outcome.rowsSeen
        run.setFound(outcome.rowsSeen > 0)
        if !fetch.isMove { try run.assign(fetch.targets, outcome.first, outcome.names, outcome.types) }
        return .next
    }
}

final class CloseStep: ProcedureStep {
    private let place: Int

    init(_ line: Int, _ place: Int) {
        self.place = place
        super.init(line, "close")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let text = ProcedureText(.closing(try run.openCursorName(place)), 0)
        try run.perform(text, [], source: text.text, .none)
        return .next
    }
}

extension ProcedureRun {
    /// nil while the variable has no name.
    fileprivate func cursorName(_ place: Int) throws -> String? {
        switch get(place) {
        case .string(let bytes): return String(decoding: bytes, as: UTF8.self)
        case .null where program.forms[place].type.isString: return nil
        default:
            throw SQLError(
                .datatypeMismatch, "variable \"\(program.forms[place].name)\" must be of type cursor or refcursor")
        }
    }

    fileprivate func openCursorName(_ place: Int) throws -> String {
        if let name = try cursorName(place) { return name }
        throw SQLError("22004", "cursor variable \"\(program.forms[place].name)\" is NULL")
    }
}
