import SQLSyntax
import SQLTypes

/// Where a procedure goes on behind a statement.
struct ProcedureFlow: Equatable {
    enum Kind: UInt8 { case next, leave, again, returning }
    var kind: Kind
    /// Of the loop or block that is left or begun again.
    var label: Int32 = 0
    static let next = ProcedureFlow(kind: .next)
    static let returning = ProcedureFlow(kind: .returning)
}

/// A statement of a compiled procedure. Immutable but for what it keeps of earlier executions.
class ProcedureStep {
    final let line: Int
    /// As context lines name it.
    final let word: String
    init(_ line: Int, _ word: String) {
        self.line = line
        self.word = word
    }
    func run(_ run: ProcedureRun) throws -> ProcedureFlow { .next }
}

/// Statements one after the other.
struct ProcedureSteps {
    let steps: ContiguousArray<ProcedureStep>

    init(_ steps: [ProcedureStep]) { self.steps = ContiguousArray(steps) }

    @inline(__always)
    func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        for step in steps {
            let flow: ProcedureFlow
            do {
                flow = try step.run(run)
            } catch {
                throw run.located(error, at: step)
            }
            if flow.kind != .next { return flow }
        }
        return .next
    }
}

final class NullStep: ProcedureStep {}

final class ReturnStep: ProcedureStep {
    override func run(_ run: ProcedureRun) throws -> ProcedureFlow { .returning }
}

final class AssignmentStep: ProcedureStep {
    private let target: ProcedureReference
    private let value: ProcedureValue
    private let isPlain: Bool

    /// - Parameter isPlain: the target is a variable with a type of its own.
    init(_ line: Int, _ target: ProcedureReference, _ value: ProcedureValue, isPlain: Bool) {
        self.target = target
        self.value = value
        self.isPlain = isPlain
        super.init(line, "assignment")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        if isPlain {
            try value.assign(run, target.variable)
        } else {
            let (result, type) = try value.evaluate(run)
            try run.assign(target, result, type)
        }
        return .next
    }
}

/// IF and CASE.
final class BranchStep: ProcedureStep {
    struct Branch {
        let condition: ProcedureValue
        let steps: ProcedureSteps
    }
    private let branches: [Branch]
    private let otherwise: ProcedureSteps?

    init(_ line: Int, _ branches: [Branch], otherwise: ProcedureSteps?) {
        self.branches = branches
        self.otherwise = otherwise
        super.init(line, "if")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        for branch in branches where try branch.condition.condition(run) { return try branch.steps.run(run) }
        guard let otherwise else {
            throw SQLError("20000", "case not found", hint: "CASE statement is missing ELSE part.")
        }
        return try otherwise.run(run)
    }
}

/// EXIT and CONTINUE.
final class LeaveStep: ProcedureStep {
    private let flow: ProcedureFlow
    private let condition: ProcedureValue?

    init(_ line: Int, _ flow: ProcedureFlow, when condition: ProcedureValue?) {
        self.flow = flow
        self.condition = condition
        super.init(line, flow.kind == .again ? "continue" : "exit")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        if let condition, try !condition.condition(run) { return .next }
        return flow
    }
}

/// `BEGIN ... EXCEPTION WHEN OTHERS ... END`
final class BlockStep: ProcedureStep {
    struct Declaration {
        let place: Int
        let line: Int
        let value: ProcedureValue?
        let isRecord: Bool
        /// What a bound cursor is called until somebody says otherwise.
        let cursorName: String?
    }
    private let declarations: [Declaration]
    private let steps: ProcedureSteps
    private let handler: ProcedureSteps?
    private let label: Int32

    init(
        _ line: Int, _ declarations: [Declaration], _ steps: ProcedureSteps, handler: ProcedureSteps?, label: Int32
    ) {
        self.declarations = declarations
        self.steps = steps
        self.handler = handler
        self.label = label
        super.init(line, "block variables initialization")
    }

    override func run(_ run: ProcedureRun) throws -> ProcedureFlow {
        for declaration in declarations { try initialise(declaration, run) }
        let flow: ProcedureFlow
        do {
            flow = try steps.run(run)
        } catch {
            guard let handler, let caught = run.caught(error) else { throw error }
            return own(try handle(caught, handler, run))
        }
        return own(flow)
    }

    /// EXIT of this very block ends here.
    private func own(_ flow: ProcedureFlow) -> ProcedureFlow {
        flow.kind == .leave && flow.label == label ? .next : flow
    }

    private func initialise(_ declaration: Declaration, _ run: ProcedureRun) throws {
        if declaration.isRecord { return try run.clear(declaration.place) }
        if let value = declaration.value { return try value.assign(run, declaration.place) }
        try run.set(declaration.place, declaration.cursorName.map { .text($0) } ?? .null)
    }

    /// The work is gone when the handler begins. In an atomic procedure the error goes on behind it, while what it has
    /// done stays; in one without a transaction it is over.
    private func handle(_ error: SQLError, _ handler: ProcedureSteps, _ run: ProcedureRun) throws -> ProcedureFlow {
        let context = run.context
        let outer = run.handled
        defer { run.handled = outer }
        run.handled = error
        run.isLocated = false
        try run.set(run.program.body.places.errorState, .text(error.state.code))
        try run.set(run.program.body.places.errorMessage, .text(error.message))
        if context.isNonatomic {
            if context.session.transaction != nil { context.session.rollBackTransaction() }
            return try handler.run(run)
        }
        context.rollBack()
        _ = try handler.run(run)
        try context.keepHandlerWork()
        run.isLocated = true
        throw error
    }
}
