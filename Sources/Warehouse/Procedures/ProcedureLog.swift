import Binder
import Platform
import SQLSyntax
import SQLTypes

/// Calls of procedures and their messages, for SVL_STORED_PROC_CALL and SVL_STORED_PROC_MESSAGES. Bounded, and gone
/// when the process ends. Safe from any thread.
final class ProcedureLog: Sendable {
    struct Call: Sendable {
        var user: Int
        /// Who has logged in.
        var sessionUser: Int
        var query: Int
        var label: String
        var transaction: Int64
        var session: Int
        var database: String
        var text: String
        var startMicroseconds: Int64
        var endMicroseconds: Int64
        var isAborted: Bool
        /// The call that has called it.
        var caller: Int?
    }
    struct Message: Sendable {
        var user: Int
        var sessionUser: Int
        var session: Int
        var transaction: Int64
        var query: Int
        var microseconds: Int64
        var level: ProcedureRaiseLevel
        var text: String
        var line: Int
        var queryText: String
        var label: String
    }
    private let recentCalls = Lock(RecentList<Call>(keeping: ProcedureLog.kept))
    private let recentMessages = Lock(RecentList<Message>(keeping: ProcedureLog.kept))
    private static let kept = 10_000

    func add(_ call: Call) { recentCalls.withLock { $0.append(call) } }
    func add(_ message: Message) { recentMessages.withLock { $0.append(message) } }
    var calls: [Call] { recentCalls.withLock { $0.elements } }
    var messages: [Message] { recentMessages.withLock { $0.elements } }
}

extension ProcedureRaiseLevel {
    /// `loglevel`: the higher the graver.
    var number: Int {
        switch self {
        case .debug: 10
        case .log: 15
        case .info: 17
        case .notice: 18
        case .warning: 19
        case .exception: 20
        }
    }
}

extension ProcedureContext {
    private static let textBytes = 4_000

    /// A call comes into the log when it has ended, well or not.
    func logged(_ call: BoundCall, _ execution: StatementExecution, _ body: () throws -> Void) throws {
        let caller = callers.last?.query
        callers.append((query: execution.queryID, text: execution.text))
        defer { callers.removeLast() }
        let warehouse = session.warehouse
        var record = ProcedureLog.Call(
            user: session.effectiveUser, sessionUser: session.authenticatedUser, query: execution.queryID,
            label: session.settings.queryGroup, transaction: 0, session: session.number,
            database: session.databaseName, text: String(execution.text.prefix(ProcedureContext.textBytes)),
            startMicroseconds: warehouse.time.wallMicroseconds(), endMicroseconds: 0, isAborted: false,
            caller: caller)
        func end(isAborted: Bool) {
            record.isAborted = isAborted
            record.transaction = lastTransaction
            record.endMicroseconds = warehouse.time.wallMicroseconds()
            warehouse.procedureLog.add(record)
        }
        do {
            try body()
        } catch {
            end(isAborted: true)
            throw error
        }
        end(isAborted: false)
    }

    /// A message of RAISE, if the session keeps those of its level.
    func note(_ level: ProcedureRaiseLevel, _ text: String, line: Int) {
        let least = ProcedureRaiseLevel(rawValue: session.settings["stored_proc_log_min_messages"].uppercased())
        if level.number < (least ?? .log).number { return }
        let warehouse = session.warehouse
        warehouse.procedureLog.add(
            ProcedureLog.Message(
                user: session.effectiveUser, sessionUser: session.authenticatedUser, session: session.number,
                transaction: session.transaction?.number ?? lastTransaction, query: callers.last?.query ?? queryID,
                microseconds: warehouse.time.wallMicroseconds(), level: level, text: String(text.prefix(1_024)),
                line: line, queryText: String((callers.last?.text ?? "").prefix(500)),
                label: session.settings.queryGroup))
    }
}
