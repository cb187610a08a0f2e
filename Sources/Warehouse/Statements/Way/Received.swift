import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

/// A statement's way, first stage: whatever comes from a client enters here, under the session's time limit and
/// cancellation, and with its record begun.
extension Session {
    /// All statements of a text; the first error ends it.
    func receive(text sql: String, _ handler: any ResultHandler) throws {
        // One statement's limits begin with the reading of its text.
        let several = try limited { budget in
            if let template = StatementTemplate(sql) {
                try receive(.text(sql, template), handler)
                return [ParsedStatement]()
            }
            let statements = try parse(sql, budget, handler)
            if statements.count > 1 { return statements }
            for statement in statements { try receive(.parsed(statement, sql), handler) }
            return []
        }
        for statement in several { try receive(.parsed(statement, sql), handler) }
    }

    /// One statement, from here to its record.
    func receive(_ input: StatementInput, _ handler: any ResultHandler) throws {
        try receive(input.loggedText, handler) { try $0.follow(input) }
    }

    private func receive(
        _ text: String, _ handler: any ResultHandler, _ body: (StatementExecution) throws -> Void
    ) throws {
        try limited { budget in
            try counted {
                let execution = StatementExecution(
                    session: self, queryID: warehouse.log.makeQueryID(), text: text, budget: budget,
                    handler: handler)
                try recorded(execution) { try body(execution) }
            }
        }
    }

    /// A text that cannot be read fails the block as any other statement does.
    func parse(
        _ sql: String, _ budget: PlanningBudget, _ handler: any ResultHandler = QueryResult()
    ) throws -> [ParsedStatement] {
        budget.restore(.start)
        do {
            return try Parser.parse(sql, options: settings.syntax, budget: budget)
        } catch {
            failTransaction()
            // The log tells of what a limit has ended, not of what is no SQL.
            if !budget.isSpent { throw error }
            try receive(SecretRedaction.redacted(sql), handler) { _ in throw error }
            return []
        }
    }

    /// Runs something that a cancel and the session's time limit end; inside of one such it is a part of that.
    func limited<Result>(_ body: (PlanningBudget) throws -> Result) throws -> Result {
        if let budget { return try body(budget) }
        let cancellation = CancellationToken()
        let made = PlanningBudget(cancellation, memory: warehouse.budget, limit: settings.memoryLimitBytes)
        running.withLock { $0 = cancellation }
        budget = made
        defer {
            budget = nil
            running.withLock { $0 = nil }
        }
        let milliseconds = settings.statementTimeoutMilliseconds
        let timer = milliseconds > 0 ? try StatementTimer(milliseconds, cancellation, warehouse.alarms) : nil
        defer { timer?.stop() }
        return try body(made)
    }

    /// Runs something as one of the statements that RESIZE CLUSTER waits for; inside of one it is a part of that.
    func counted<Result>(_ body: () throws -> Result) throws -> Result {
        if isCounted { return try body() }
        try limited { try warehouse.gate.enter($0.cancellation) }
        isCounted = true
        defer {
            isCounted = false
            warehouse.gate.leave()
        }
        return try body()
    }
}

extension StatementExecution {
    /// The stages between receiving and recording, in the session's transaction or in one of the statement's own that
    /// ends with it.
    func follow(_ input: StatementInput) throws {
        do {
            try checkUser(input.statement)
            try checkBlock(input.statement)
        } catch {
            if let block = session.transaction { session.end(block, failed: true) }
            throw error
        }
        // They are about the transaction itself: no plan, no rights, no locks.
        if case .transaction(let statement)? = input.statement { return try statement.run(self, store.snapshot()) }
        do {
            try pass(input)
        } catch {
            endStatement(failed: true)
            throw error
        }
        endStatement(failed: false)
    }

    /// EXECUTE: the prepared statement goes the way itself, as a part of this one's record.
    func follow(inner input: StatementInput) throws {
        let inner = StatementExecution(session: session, queryID: queryID, text: text, budget: budget, handler: handler)
        endOwnTransaction()
        defer {
            rowCount = inner.rowCount
            admission = inner.admission
            sourceQuery = inner.sourceQuery
            isOfLeader = inner.isOfLeader
            resultBytes = inner.resultBytes
            runs = inner.runs
            inserted = inner.inserted
            lastTransaction = inner.lastTransaction
            executionStart = inner.executionStart
        }
        try inner.follow(input)
    }

    /// A failed block takes nothing but its end. EXECUTE may bring that: its statement is asked again.
    private func checkBlock(_ statement: Statement?) throws {
        guard session.transaction?.hasFailed == true else { return }
        if case .transaction? = statement { return }
        if case .execute? = statement { return }
        throw StatementExecution.failedBlock()
    }

    /// Through all stages; again, in another queue, when workload management says so.
    private func pass(_ input: StatementInput) throws {
        let read = budget.mark
        var queue: Int?
        while let next = try pass(input, read, after: queue) { queue = next }
    }

    /// - Returns: the queue behind which it is to begin again; nil when it is done.
    private func pass(_ input: StatementInput, _ read: PlanningBudget.Mark, after queue: Int?) throws -> Int? {
        while true {
            budget.restore(read)
            warehouse.transactions.willRead(transaction, store)
            let snapshot = try session.located(transaction.snapshot(store))
            let planned = try plan(input, snapshot)
            isOfLeader = planned.query?.isOfLeader ?? false
            try authorise(planned, snapshot)
            if try commitsBlock(planned.kind) { continue }
            if try answer(input, planned, snapshot) { return nil }
            let ticket = try admit(planned, snapshot, after: queue)
            var isComplete = false
            defer { release(ticket, planned, isComplete: isComplete) }
            do {
                if try lock(planned, snapshot) {
                    try run(planned, snapshot)
                    isComplete = true
                    return nil
                }
            } catch {
                let decision = ticket?.decision
                guard case .restart(let left)? = decision, cancellation.reason == .queueHop else {
                    throw explained(error, decision)
                }
                cancellation.clear(.queueHop)
                warehouse.queueTimes.noteRestart(after: left)
                runs = []
                return left
            }
        }
    }

    /// What a kind has to say to a block; true when it was committed, so that there is a newer state to plan on.
    private func commitsBlock(_ kind: StatementKind) throws -> Bool {
        switch kind.blockRule {
        case .anywhere, .ownRule: return false
        case .outside(let what):
            if !transaction.isExplicit { return false }
            throw SQLError(.activeTransaction, "\(what) cannot run inside a transaction block")
        case .inside(let message):
            if transaction.isExplicit { return false }
            throw SQLError(.noActiveTransaction, message)
        case .commitsBlock:
            if !transaction.isExplicit { return false }
            try session.procedure?.checkEnd(kind.name)
            try session.commitTransaction()
            return true
        }
    }

    /// In a block a failure leaves nothing but waiting for the block's end.
    private func endStatement(failed: Bool) {
        if let block = session.transaction { return session.end(block, failed: failed) }
        if let own = ownTransaction { session.end(own, failed: failed) }
        ownTransaction = nil
    }
}
