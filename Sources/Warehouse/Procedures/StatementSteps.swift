import SQLSyntax
import SQLTypes

/// A statement in SQL, with the row of a query in variables.
final class SQLStep: ProcedureStep {
    private let sql: ProcedureSQL
    private let targets: [ProcedureReference]
    /// PERFORM: rows are counted and dropped.
    private let isDiscarded: Bool

    init(_ line: Int, _ sql: ProcedureSQL, into targets: [ProcedureReference], isDiscarded: Bool = false) {
        self.sql = sql
        self.targets = targets
        self.isDiscarded = isDiscarded
        super.init(line, targets.isEmpty ? (isDiscarded ? "perform" : "SQL statement") : "select into variables")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        if case .truncate = sql.parsed.statement { try checkTruncate(run) }
        let purpose: StatementOutcome.Purpose = targets.isEmpty ? (isDiscarded ? .discard : .none) : .firstRow
        let outcome = try run.perform(sql, purpose)
        run.note(outcome, of: sql.parsed.statement)
        if !targets.isEmpty {
            run.rowCount = min(outcome.rowsSeen, 1)
            run.setFound(outcome.rowsSeen > 0)
            try run.assign(targets, outcome.first, outcome.names, outcome.types)
        }
        return .next
    }

    /// It commits what was done so far.
    private func checkTruncate(_ run: ProcedureRun) throws {
        if !run.context.isNonatomic { try run.context.checkEnd("TRUNCATE") }
    }
}

/// EXECUTE of a text.
final class ExecuteStep: ProcedureStep {
    private let text: ProcedureValue
    private let targets: [ProcedureReference]
    private let values: [ProcedureValue]

    init(_ line: Int, _ text: ProcedureValue, into targets: [ProcedureReference], using values: [ProcedureValue]) {
        self.text = text
        self.targets = targets
        self.values = values
        super.init(line, "execute statement")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        guard let text = try text.text(run) else { throw RowSourceStep.nullText }
        let values = try self.values.map { value in
            let (datum, type) = try value.evaluate(run)
            return StatementParameter(type: type == .unknown ? ProcedureForm.longestText : type, value: datum)
        }
        guard
            let (outcome, statement) = try run.performDynamic(
                text, using: values, targets.isEmpty ? .discard : .firstRow)
        else { return .next }
        run.note(outcome, of: statement)
        if !targets.isEmpty {
            run.rowCount = min(outcome.rowsSeen, 1)
            try run.assign(targets, outcome.first, outcome.names, outcome.types)
        }
        return .next
    }
}

/// CALL within a procedure: what comes back goes into the variables that stand in the list.
final class CallStep: ProcedureStep {
    private let sql: ProcedureSQL

    init(_ line: Int, _ sql: ProcedureSQL) {
        self.sql = sql
        super.init(line, "SQL statement")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        let outcome = try run.perform(sql, .discard)
        guard case .call(let call) = sql.parsed.statement else { return .next }
        for output in outcome.outputs {
            guard let parameter = call.parameter(ofArgument: output.argument) else { continue }
            try run.assign(sql.references[parameter - 1], output.value, output.type)
        }
        return .next
    }
}

/// COMMIT and ROLLBACK.
final class TransactionStep: ProcedureStep {
    private let isCommit: Bool

    init(_ line: Int, isCommit: Bool) {
        self.isCommit = isCommit
        super.init(line, "SQL statement")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        try run.endTransaction(isCommit: isCommit)
        return .next
    }
}

/// GET DIAGNOSTICS x := ROW_COUNT.
final class DiagnosticsStep: ProcedureStep {
    private let targets: [ProcedureReference]

    init(_ line: Int, _ targets: [ProcedureReference]) {
        self.targets = targets
        super.init(line, "get diagnostics")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        for target in targets { try run.assign(target, .integer(Int128(run.rowCount)), .bigint) }
        return .next
    }
}

/// RAISE: a message, or an error.
final class RaiseStep: ProcedureStep {
    private let level: ProcedureRaiseLevel
    private let pieces: [String]
    private let values: [ProcedureValue]

    init(_ line: Int, _ level: ProcedureRaiseLevel, format: String, _ values: [ProcedureValue]) {
        self.level = level
        pieces = RaiseFormat.pieces(of: format)
        self.values = values
        super.init(line, "raise")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        var message = pieces[0]
        for (value, piece) in zip(values, pieces.dropFirst()) {
            message += try value.text(run) ?? "<NULL>"
            message += piece
        }
        run.context.note(level, message, line: line)
        switch level {
        case .exception: throw SQLError("P0001", message)
        case .info, .notice, .warning: run.context.handler.notice("\(level.rawValue):  \(message)")
        // As in PostgreSQL clients are not told of these.
        case .debug, .log: break
        }
        return .next
    }
}

/// RAISE without anything: the error that is being handled.
final class RaiseAgainStep: ProcedureStep {
    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        guard let error = run.handled else {
            throw SQLError(
                "0Z002", "RAISE without parameters cannot be used outside an exception handler")
        }
        run.isLocated = true
        throw error
    }
}
