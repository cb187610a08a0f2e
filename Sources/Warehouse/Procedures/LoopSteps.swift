import ColumnVectors
import SQLSyntax
import SQLTypes
import VectorEngine

/// What loops have in common: a body, a label, and an end by cancel.
class LoopStep: ProcedureStep {
    fileprivate final let body: ProcedureSteps
    fileprivate final let label: Int32

    init(_ line: Int, _ word: String, _ body: ProcedureSteps, label: Int32) {
        self.body = body
        self.label = label
        super.init(line, word)
    }

    /// One round.
    ///
    /// - Returns: nil to go on; otherwise where the procedure goes on behind the loop.
    @inline(__always)
    fileprivate final func round(_ run: ProcedureRun) throws -> ProcedureFlow? {
        try run.context.check()
        let flow = try body.run(run)
        switch flow.kind {
        case .next: return nil
        case .again: return flow.label == label ? nil : flow
        case .leave: return flow.label == label ? .next : flow
        case .returning: return flow
        }
    }
}

final class EndlessLoopStep: LoopStep {
    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        while true { if let flow = try round(run) { return flow } }
    }
}

final class WhileStep: LoopStep {
    private let condition: ProcedureValue

    init(_ line: Int, _ condition: ProcedureValue, _ body: ProcedureSteps, label: Int32) {
        self.condition = condition
        super.init(line, "while", body, label: label)
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        while try condition.condition(run) { if let flow = try round(run) { return flow } }
        return .next
    }
}

/// `FOR i IN [REVERSE] a..b [BY c]`
final class IntegerLoopStep: LoopStep {
    private let place: Int
    private let isReverse: Bool
    private let from: ProcedureValue
    private let to: ProcedureValue
    private let step: ProcedureValue?

    init(
        _ line: Int, _ place: Int, isReverse: Bool, from: ProcedureValue, to: ProcedureValue, step: ProcedureValue?,
        _ body: ProcedureSteps, label: Int32
    ) {
        self.place = place
        self.isReverse = isReverse
        self.from = from
        self.to = to
        self.step = step
        super.init(line, "for with integer counter", body, label: label)
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let first = try bound(from, "lower bound of FOR loop cannot be null", run)
        let last = try bound(to, "upper bound of FOR loop cannot be null", run)
        let stride = try step.map { try bound($0, "BY value of FOR loop cannot be null", run) } ?? 1
        if stride <= 0 {
            throw SQLError(.invalidParameterValue, "BY value of FOR loop must be greater than zero")
        }
        var number = first
        var isFound = false
        defer { run.setFound(isFound) }
        while isReverse ? number >= last : number <= last {
            isFound = true
            run.words[place] = number
            run.nulls[place] = false
            if let flow = try round(run) { return flow }
            // Bounds and stride are of 32 bits.
            number += isReverse ? -stride : stride
        }
        return .next
    }

    private func bound(_ value: ProcedureValue, _ message: String, _ run: ProcedureRun) throws -> Int64 {
        guard let number = try value.integer(run) else { throw SQLError("22004", message) }
        guard let small = Int32(exactly: number) else {
            throw SQLError(.numericOutOfRange, "integer out of range")
        }
        return Int64(small)
    }
}

/// FOR over the rows of a query.
final class RowLoopStep: LoopStep {
    private let targets: [ProcedureReference]
    private let source: RowSourceStep
    private static let batchRows = 1_024

    init(_ line: Int, _ targets: [ProcedureReference], _ source: RowSourceStep, _ body: ProcedureSteps, label: Int32) {
        self.targets = targets
        self.source = source
        super.init(line, source.loopWord, body, label: label)
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let outcome = try source.open(run)
        var isFound = false
        while let rows = outcome.rows, let batch = try rows.next(RowLoopStep.batchRows) {
            for index in 0..<batch.rowCount {
                isFound = true
                try run.assign(targets, batch.row(index), outcome.names, outcome.types)
                if let flow = try round(run) {
                    run.setFound(true)
                    return flow
                }
            }
        }
        if !isFound { try run.assign(targets, nil, outcome.names, outcome.types) }
        run.setFound(isFound)
        return .next
    }
}

/// Where rows come from: a query of the body, a text, or the query of a bound cursor.
struct RowSourceStep {
    enum Source {
        case query(ProcedureSQL)
        case dynamic(ProcedureValue)
        case cursor(ProcedureSQL, arguments: [(place: Int, value: ProcedureValue)])
        /// A cursor without a query of its own.
        case unbound(String)
    }
    let source: Source

    var loopWord: String {
        switch source {
        case .query, .cursor, .unbound: "for over select rows"
        case .dynamic: "for over execute statement"
        }
    }

    func open(_ run: ProcedureRun) throws -> StatementOutcome {
        switch source {
        case .query(let sql): return try run.perform(sql, .allRows)
        case .cursor(let sql, let arguments):
            for argument in arguments { try argument.value.assign(run, argument.place) }
            return try run.perform(sql, .allRows)
        case .dynamic(let value):
            guard let text = try value.text(run) else { throw RowSourceStep.nullText }
            guard let (outcome, _) = try run.performDynamic(text, using: [], .allRows) else {
                throw SQLError(.syntaxError, "the text of FOR ... EXECUTE has no statement")
            }
            return outcome
        case .unbound(let name):
            throw SQLError(
                .syntaxError, "cursor \"\(name)\" has no query", hint: "Open it, and use FETCH in a loop.")
        }
    }

    static let nullText = SQLError("22004", "cannot EXECUTE a null querystring")
}
