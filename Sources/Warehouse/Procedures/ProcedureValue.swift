import Binder
import Optimizer
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// An expression of a procedure. It is bound when it is first reached: as instructions over words where it is simple
/// arithmetic, as a compiled expression over one row where it names nothing but variables, and as a query otherwise.
final class ProcedureValue {
    let source: ProcedureExpression
    /// What it is assigned to; nil: it stays what it is.
    private let target: SQLType?
    private enum Way {
        /// Compiled when words are not enough for the first time.
        case bound(BoundExpression)
        case row(RowExpression, SQLType)
        case query
    }
    private var words: WordProgram?
    private var way: Way?
    /// For which types of variables and which settings it was bound.
    private var types: [SQLType] = []
    private var settingsKey = ""
    private let hasFields: Bool

    init(_ source: ProcedureExpression, as target: SQLType? = nil) {
        self.source = source
        self.target = target
        hasFields = source.query.references.contains { $0.field != nil }
    }

    /// Computes a word where that is possible.
    ///
    /// - Returns: its register; nil: ``evaluate(_:)`` is to do it.
    @inline(__always)
    private func word(_ run: ProcedureRun) -> Int? {
        guard let words, words.run(run.words, run.nulls) else { return nil }
        return words.result
    }

    func condition(_ run: ProcedureRun) throws -> Bool {
        if let word = word(run) { return !run.nulls[word] && run.words[word] != 0 }
        let (value, type) = try evaluate(run)
        if value.isNull { return false }
        return try value.cast(from: type, to: .boolean, explicit: true) == .boolean(true)
    }

    /// Into a variable of the type that it was made for.
    func assign(_ run: ProcedureRun, _ place: Int) throws {
        if run.program.forms[place].isWord, let word = word(run) {
            if run.nulls[word], run.program.forms[place].isNotNull {
                throw ProcedureRun.isNull(run.program.forms[place].name)
            }
            run.words[place] = run.words[word]
            run.nulls[place] = run.nulls[word]
            return
        }
        let (value, type) = try evaluate(run)
        try run.assign(ProcedureReference(variable: place, field: nil), value, type)
    }

    /// A whole number for a loop; nil for NULL.
    func integer(_ run: ProcedureRun) throws -> Int64? {
        if let word = word(run) { return run.nulls[word] ? nil : run.words[word] }
        let (value, type) = try evaluate(run)
        guard case .integer(let number) = try value.cast(from: type, to: .integer, explicit: true) else { return nil }
        return Int64(clamping: number)
    }

    func text(_ run: ProcedureRun) throws -> String? {
        let (value, type) = try evaluate(run)
        if value.isNull { return nil }
        let session = run.context.session
        if case .string(let bytes) = value { return String(decoding: bytes, as: UTF8.self) }
        let text = try value.cast(
            from: type, to: ProcedureForm.longestText, explicit: true, context: session.datetime)
        guard case .string(let bytes) = text else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    func evaluate(_ run: ProcedureRun) throws -> (Datum, SQLType) {
        let parameters = try run.parameters(source.query.references)
        if way == nil || isOutdated(run, parameters) { try prepare(run, parameters) }
        if let word = word(run), let words { return (run.datum(ofWord: word, words.type), words.type) }
        switch way {
        case .row(let expression, let type): return (try expression.value(parameters.map(\.value)), type)
        case .bound(let bound):
            let made = try RowExpression(
                bound, parameters: types, context: try run.program.executionContext(run.context))
            way = .row(made, bound.type)
            return (try made.value(parameters.map(\.value)), bound.type)
        case .query, nil: return try run.selectOne(source.query)
        }
    }

    private func isOutdated(_ run: ProcedureRun, _ parameters: [StatementParameter]) -> Bool {
        if hasFields, !zip(types, parameters).allSatisfy({ $0 == $1.type }) { return true }
        return settingsKey != run.context.session.settings.planningKey
    }

    private func prepare(_ run: ProcedureRun, _ parameters: [StatementParameter]) throws {
        types = parameters.map(\.type)
        settingsKey = run.context.session.settings.planningKey
        (words, way) = (nil, .query)
        guard let expression = source.expression else { return }
        let budget = run.context.budget
        let mark = budget.mark
        defer { budget.restore(mark) }
        let execution = run.context.makeExecution()
        let binder = execution.binder(try run.context.session.currentSnapshot, parameterTypes: types)
        var bound: BoundExpression
        do {
            guard let found = try binder.bindScalar(expression), found.isRepeatable else { return }
            bound = found
            if let target { bound = try binder.assigned(bound, to: target) }
            guard bound.isRepeatable else { return }
        } catch let error as SQLError where !budget.isSpent && error.state != .queryCanceled {
            // As a query it may be right, such as `count(*)`, or else it says what is wrong.
            return
        }
        let places = source.query.references.map { reference in
            reference.field == nil && run.program.forms[reference.variable].isWord ? reference.variable : nil
        }
        let isPlain = run.context.session.settings.execution.disabled.contains(.procedureWords)
        words = hasFields || isPlain ? nil : WordProgram(bound, places: places, scratch: run.program.forms.count)
        way = .bound(bound)
    }
}
