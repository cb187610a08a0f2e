import Platform
import SQLTypes
import Warehouse

/// The sessions that clients hold: for cancel requests, the limit, and the end of the server. Safe from any thread.
final class ClientRegistry: Sendable {
    struct Entry: Sendable {
        var key: Int32
        var session: Session
        var interruption: Interruption
        var input: any ClientInput
        var output: any ClientOutput
        var silence: Silence
    }
    private struct State {
        var entries: [Int32: Entry] = [:]
        var isClosed = false
    }
    private let state = Lock(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.entries.count } }

    func add(_ entry: Entry, processID: Int32) throws {
        try state.withLock { state in
            if state.isClosed { throw SQLError("57P03", "the database system is shutting down") }
            guard state.entries.count < limit else {
                throw SQLError("53300", "sorry, too many clients already")
            }
            state.entries[processID] = entry
        }
    }

    func remove(_ processID: Int32) {
        state.withLock { _ = $0.entries.removeValue(forKey: processID) }
    }

    /// A wrong key has no effect, and nobody learns of it.
    func cancel(processID: Int32, key: Int32) {
        let entry = state.withLock { $0.entries[processID] }
        guard let entry, entry.key ^ key == 0 else { return }
        entry.interruption.request()
        entry.session.cancel()
    }

    /// Takes nobody in any more and asks everybody to end after their statement.
    func shutDown() {
        let entries = state.withLock { state in
            state.isClosed = true
            return Array(state.entries.values)
        }
        for entry in entries { entry.input.end(.shuttingDown) }
    }

    func cancelAll() {
        for entry in state.withLock({ Array($0.entries.values) }) {
            entry.interruption.request()
            entry.session.cancel()
        }
    }

    /// Cancels the statements of clients that are gone. While its thread works nobody reads a session's socket. Not
    /// while the server ends, which shuts the reading side itself: then statements have their grace.
    func cancelAbandoned() {
        let entries = state.withLock { $0.isClosed ? [] : Array($0.entries.values) }
        for entry in entries where entry.interruption.isWorking {
            if !entry.output.hasHungUp { continue }
            entry.interruption.request()
            entry.session.cancel()
        }
    }

    /// Ends the sessions whose clients have been silent for too long.
    func endSilent() {
        let silent = state.withLock { $0.entries.values.filter(\.silence.isTooLong) }
        for entry in silent { entry.input.end(.idleSession) }
    }

    /// Ends a session for good: its statement is cancelled and its client told.
    func terminate(processID: Int32) {
        guard let entry = state.withLock({ $0.entries[processID] }) else { return }
        entry.input.end(.shuttingDown)
        entry.interruption.request()
        entry.session.cancel()
    }
}
