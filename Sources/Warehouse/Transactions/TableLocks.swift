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
    enum Mode: Int, Comparable, Sendable {
        /// One statement that only adds rows, for which it needs nothing but the table's definition: any number of them
        /// at once, in whatever order they commit.
        case append
        case write
        case exclusive
        /// As system tables show it.
        var name: String { self == .exclusive ? "AccessExclusiveLock" : "ShareRowExclusiveLock" }
        static func < (a: Mode, b: Mode) -> Bool { a.rawValue < b.rawValue }
    }
    struct Entry: Sendable {
        var table: ObjectID
        var owner: Owner
        var mode: Mode
        var isGranted: Bool
    }

    private final class State: @unchecked Sendable {  // guarded by `monitor`
        /// Several owners only append.
        var held: [ObjectID: [Owner: Mode]] = [:]
        var waiting: [Owner: Waiter] = [:]
        var nextTicket: UInt64 = 0
    }
    private struct Waiter {
        var table: ObjectID
        var mode: Mode
        var ticket: UInt64
        let sinceNanoseconds: Int64
        /// nil before it has to wait.
        var turn: Monitor.Turn?
    }
    private let monitor = Monitor()
    private let state = State()
    /// How often a waiter looks whether its statement was cancelled.
    private static let lookNanoseconds: Int64 = 10_000_000
    /// Who has waited so long is next. Until then whoever is running may have the table first: handing it to a thread
    /// that has to wake up each time makes short statements of many sessions wait for the scheduler.
    private static let patienceNanoseconds: Int64 = 5_000_000

    /// Waits until the table is free and nobody has waited for it too long, the statement is cancelled, or the wait can
    /// never end.
    ///
    /// - Returns: whether the owner did not have the table before.
    func lock(_ table: ObjectID, _ mode: Mode, _ owner: Owner, _ cancellation: CancellationToken) throws -> Bool {
        try monitor.withLock {
            let ticket = state.nextTicket
            state.nextTicket &+= 1
            let request = Waiter(
                table: table, mode: mode, ticket: ticket, sinceNanoseconds: Stopwatch.nanoseconds)
            if mustWait(request, owner) { try wait(request, owner, cancellation) }
            return take(request, owner)
        }
    }

    /// The same where nobody has to be waited for; nil: somebody has.
    func tryLock(_ table: ObjectID, _ mode: Mode, _ owner: Owner) -> Bool? {
        monitor.withLock {
            let request = Waiter(
                table: table, mode: mode, ticket: state.nextTicket, sinceNanoseconds: Stopwatch.nanoseconds)
            if mustWait(request, owner) { return nil }
            state.nextTicket &+= 1
            return take(request, owner)
        }
    }

    private func take(_ request: Waiter, _ owner: Owner) -> Bool {
        let known = state.held[request.table]?[owner]
        state.held[request.table, default: [:]][owner] = known.map { max($0, request.mode) } ?? request.mode
        return known == nil
    }

    private func wait(_ request: Waiter, _ owner: Owner, _ cancellation: CancellationToken) throws {
        let turn = Monitor.Turn()
        var waiter = request
        waiter.turn = turn
        state.waiting[owner] = waiter
        defer { state.waiting[owner] = nil }
        do {
            repeat {
                try checkDeadlock(owner)
                _ = monitor.wait(for: turn, atMostNanoseconds: TableLocks.lookNanoseconds)
                try cancellation.check()
            } while mustWait(waiter, owner)
        } catch {
            // Who had been woken and gives up leaves the table to the next one.
            state.waiting[owner] = nil
            for turn in next(for: waiter.table) { monitor.wake(turn) }
            throw error
        }
    }

    /// Who may have the table now: the one who came first, and where it only appends all others who do.
    private func next(for table: ObjectID) -> [Monitor.Turn] {
        if state.waiting.isEmpty { return [] }
        if state.held[table]?.values.contains(where: { $0 != .append }) ?? false { return [] }
        let waiters = state.waiting.values.filter { $0.table == table }
        guard let first = waiters.min(by: { $0.ticket < $1.ticket }) else { return [] }
        if first.mode != .append { return state.held[table] == nil ? [first].compactMap(\.turn) : [] }
        return waiters.filter { $0.mode == .append }.compactMap(\.turn)
    }

    private func mustWait(_ request: Waiter, _ owner: Owner) -> Bool {
        if let holders = state.held[request.table] {
            if holders[owner] != nil && holders.count == 1 { return false }
            if request.mode != .append || holders.values.contains(where: { $0 != .append }) { return true }
        }
        if state.waiting.isEmpty { return false }
        let latest = Stopwatch.nanoseconds - TableLocks.patienceNanoseconds
        return state.waiting.contains { other, waiter in
            other != owner && waiter.table == request.table && waiter.ticket < request.ticket
                && waiter.sinceNanoseconds < latest
        }
    }

    func releaseAll(_ owner: Owner) {
        let turns = monitor.withLock { () -> [Monitor.Turn] in
            var turns: [Monitor.Turn] = []
            // Found first: a dictionary that changes under its iteration is copied.
            let tables = state.held.compactMap { $0.value[owner] == nil ? nil : $0.key }
            for table in tables {
                state.held[table]?[owner] = nil
                if state.held[table]?.isEmpty ?? false { state.held[table] = nil }
                turns += next(for: table)
            }
            return turns
        }
        // Outside: who wakes needs the monitor at once.
        for turn in turns { monitor.wake(turn) }
    }

    var entries: [Entry] {
        monitor.withLock {
            state.held.flatMap { table, holders in
                holders.map { Entry(table: table, owner: $0.key, mode: $0.value, isGranted: true) }
            }
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
            // Those who only append wait for nothing else.
            guard let wait = state.waiting[current],
                let holder = state.held[wait.table]?.first(where: { $0.value != .append })?.key
            else { return }
            if !detail.isEmpty { detail += "\n" }
            detail +=
                "Process \(current.session) waits for \(wait.mode.name) on relation \(wait.table); "
                + "blocked by process \(holder.session)."
            if holder == owner { throw SQLError("40P01", "deadlock detected", detail: detail) }
            current = holder
        }
    }
}
