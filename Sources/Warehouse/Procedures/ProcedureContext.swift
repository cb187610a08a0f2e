import Binder
import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes
import VectorEngine

/// A client's CALL with all the calls inside of it: whose transaction it runs in, how deep it is, and the programs that
/// it has compiled. Confined to the session's thread.
final class ProcedureContext {
    let session: Session
    /// The client's own.
    let handler: any ResultHandler
    let queryID: Int
    let cancellation: CancellationToken
    let budget: PlanningBudget
    /// No block of the client's was open: the procedure may end transactions.
    let ownsTransaction: Bool
    private(set) var depth = 0
    /// Procedures in the chain of calls that may not end transactions: SECURITY DEFINER, or SET.
    private var restricted = 0
    private(set) var definers = 0
    /// Of the call that runs now: its statements are committed one by one.
    private(set) var isNonatomic = false
    private var programs: [ObjectID: ProcedureProgram] = [:]
    /// Of the newest transaction, for the log.
    private(set) var lastTransaction: Int64 = 0
    private var nextCursor = 1
    /// The calls that are open, for the log.
    var callers: [(query: Int, text: String)] = []
    static let deepest = 16

    init(_ execution: StatementExecution) {
        session = execution.session
        handler = execution.handler
        queryID = execution.queryID
        cancellation = execution.cancellation
        budget = execution.budget
        ownsTransaction = session.transaction == nil
    }

    /// Ends loops that somebody has cancelled.
    @inline(__always) func check() throws {
        if cancellation.isCancelled { try budget.check() }
    }

    // MARK: Calls

    /// - Returns: values of the parameters that return one, in their order.
    func call(_ procedure: ProcedureDefinition, _ values: [Datum]) throws -> [Datum] {
        guard depth < ProcedureContext.deepest else {
            throw SQLError(
                .statementTooComplex,
                "stored procedure nesting limit exceeded: calls can be \(ProcedureContext.deepest) levels deep")
        }
        depth += 1
        defer { depth -= 1 }
        let outer = isNonatomic
        let isOutermost = depth == 1
        isNonatomic = procedure.isNonatomic && (isOutermost || outer) && session.transaction == nil
        defer { isNonatomic = outer }
        // In a procedure without a transaction an atomic one has its own.
        let endsTransaction = !isOutermost && outer && !isNonatomic && session.transaction == nil
        do {
            let outputs = try asDefined(procedure) { try run(procedure, values) }
            if endsTransaction { try session.commitTransaction() }
            return outputs
        } catch {
            if endsTransaction { session.rollBackTransaction() }
            throw error
        }
    }

    private func run(_ procedure: ProcedureDefinition, _ values: [Datum]) throws -> [Datum] {
        let run = ProcedureRun(self, try program(of: procedure))
        return try run.execute(values)
    }

    /// In the name and with the parameters that the definition says.
    private func asDefined<Result>(_ procedure: ProcedureDefinition, _ body: () throws -> Result) throws -> Result {
        let isRestricted = procedure.isDefiner || !procedure.settings.isEmpty
        restricted += isRestricted ? 1 : 0
        definers += procedure.isDefiner ? 1 : 0
        let caller = session.effectiveUser
        if procedure.isDefiner { session.effectiveUser = procedure.owner }
        defer {
            if procedure.isDefiner { session.effectiveUser = caller }
            restricted -= isRestricted ? 1 : 0
            definers -= procedure.isDefiner ? 1 : 0
        }
        if procedure.settings.isEmpty { return try body() }
        let before = try procedure.settings.map { ($0.name, try session.settings.value($0.name)) }
        for setting in procedure.settings { try session.setParameter(setting.name, setting.value, isLocal: false) }
        let result: Result
        do {
            result = try body()
        } catch {
            for (name, value) in before { try session.setParameter(name, value, isLocal: false) }
            throw error
        }
        for (name, value) in before { try session.setParameter(name, value, isLocal: false) }
        return result
    }

    /// Compiled once a CALL of a client.
    private func program(of procedure: ProcedureDefinition) throws -> ProcedureProgram {
        if let known = programs[procedure.id], known.definition == procedure { return known }
        let mark = budget.mark
        defer { budget.restore(mark) }
        let made = try ProcedureProgram(procedure, self)
        programs[procedure.id] = made
        return made
    }

    /// To bind and compute expressions in the session's present state.
    func makeExecution() -> StatementExecution {
        StatementExecution(session: session, queryID: queryID, text: "", budget: budget, handler: handler)
    }

    func makeCursorName() -> String {
        defer { nextCursor += 1 }
        return "<unnamed portal \(nextCursor)>"
    }

    // MARK: Transactions

    /// Before each statement: an atomic procedure's statements are of one transaction, a new one behind COMMIT.
    func ensureTransaction() {
        if let open = session.transaction {
            lastTransaction = open.number
            return
        }
        if isNonatomic { return }
        beginTransaction()
    }

    func beginTransaction() {
        let made = session.warehouse.transactions.begin(
            session: session.number, isExplicit: true, modes: session.defaultTransactionModes)
        session.transaction = made
        lastTransaction = made.number
    }

    /// COMMIT, ROLLBACK and TRUNCATE end the transaction, which is not always the procedure's own.
    func checkEnd(_ statement: String) throws {
        if ownsTransaction && restricted == 0 { return }
        throw SQLError(
            "2D000", "\(statement) cannot be invoked from a procedure that is executing in an atomic context.",
            hint: "Try calling the procedure as a top-level call i.e. not from within an explicit transaction block. "
                + "Or, if this procedure (or one of its ancestors in the call chain) was created with SET config "
                + "options, or as SECURITY DEFINER, recreate the procedure without them.")
    }

    /// An error ends the transaction before its handler begins.
    func rollBack() {
        if session.transaction != nil { session.rollBackTransaction() }
        // The client's block goes on until it hears of the error; what the handler does is lost with it.
        if !ownsTransaction { beginTransaction() }
    }

    /// What a handler has done stays, although the error goes on.
    func keepHandlerWork() throws {
        if ownsTransaction, session.transaction != nil { try session.commitTransaction() }
    }
}
