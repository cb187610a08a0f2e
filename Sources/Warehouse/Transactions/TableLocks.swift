import Catalog
import Platform
import SQLTypes

/// Write locks on tables: a transaction takes one at its first change of a table and keeps it to its end. Readers need
/// none. Safe from any thread.
final class TableLocks: Sendable {
    /// Who asks, for the system tables and for messages.
    struct Owner: Hashable, Sendable {
        var transaction: Int64
        var session: Int
    }
    enum Mode: String, Sendable {
        case write = "ShareRowExclusiveLock"
        case exclusive = "AccessExclusiveLock"
    }
    struct Entry: Sendable {
        var table: ObjectID
        var owner: Owner
        var mode: Mode
        var isGranted: Bool
    }

    private final class State: @unchecked Sendable {  // guarded by `monitor`
        var held: [ObjectID: (owner: Owner, mode: Mode)] = [:]
        var waiting: [Owner: (table: ObjectID, mode: Mode, ticket: UInt64)] = [:]
        var nextTicket: UInt64 = 0
    }
    private let monitor = Monitor()
    private let state = State()
    /// How often a waiter looks whether its statement was cancelled.
    private static let lookNanoseconds: Int64 = 10_000_000

    /// Waits until the table is free and everybody who came before has had it, the statement is cancelled, or the wait
    /// can never end.
    func lock(_ table: ObjectID, _ mode: Mode, _ owner: Owner, _ cancellation: CancellationToken) throws {
        try monitor.withLock {
            let ticket = state.nextTicket
            state.nextTicket &+= 1
            defer { if state.waiting.removeValue(forKey: owner) != nil { monitor.wakeAll() } }
            while mustWait(table, owner, ticket) {
                state.waiting[owner] = (table, mode, ticket)
                try checkDeadlock(owner)
                _ = monitor.wait(untilNanoseconds: SystemTime().monotonicNanoseconds() + TableLocks.lookNanoseconds)
                try cancellation.check()
            }
            let known = state.held[table]?.mode
            state.held[table] = (owner, known == .exclusive ? .exclusive : mode)
        }
    }

    private func mustWait(_ table: ObjectID, _ owner: Owner, _ ticket: UInt64) -> Bool {
        if let holder = state.held[table] { return holder.owner != owner }
        return state.waiting.contains { $0.key != owner && $0.value.table == table && $0.value.ticket < ticket }
    }

    func isHeld(_ table: ObjectID, by owner: Owner) -> Bool {
        monitor.withLock { state.held[table]?.owner == owner }
    }

    func releaseAll(_ owner: Owner) {
        monitor.withLock {
            let tables = state.held.filter { $0.value.owner == owner }.map(\.key)
            if tables.isEmpty { return }
            for table in tables { state.held[table] = nil }
            monitor.wakeAll()
        }
    }

    var entries: [Entry] {
        monitor.withLock {
            state.held.map { Entry(table: $0.key, owner: $0.value.owner, mode: $0.value.mode, isGranted: true) }
                + state.waiting.map {
                    Entry(table: $0.value.table, owner: $0.key, mode: $0.value.mode, isGranted: false)
                }.sorted { $0.owner.transaction < $1.owner.transaction }
        }
    }

    /// Follows who waits for whom; the one who closes the circle gives up.
    private func checkDeadlock(_ owner: Owner) throws {
        var detail = ""
        var current = owner
        for _ in 0...state.waiting.count {
            guard let wait = state.waiting[current], let holder = state.held[wait.table] else { return }
            if !detail.isEmpty { detail += "\n" }
            detail +=
                "Process \(current.session) waits for \(wait.mode.rawValue) on relation \(wait.table); "
                + "blocked by process \(holder.owner.session)."
            if holder.owner == owner { throw SQLError("40P01", "deadlock detected", detail: detail) }
            current = holder.owner
        }
    }
}
