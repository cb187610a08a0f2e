import Platform
import SQLTypes
import Synchronization

/// The deaths of the processes that have served a warehouse, and the statements that are refused for them: those that
/// have brought down this very program twice. Safe from any thread.
final class CrashHistory: Sendable {
    private struct State {
        /// Deaths that count, by the hash of the statement that is to blame.
        var deaths: [UInt64: [CrashRecord]] = [:]
        var pardons: [UInt64: Int64]
    }
    /// Oldest first.
    let records: [CrashRecord]
    private let folder: CrashFolder
    private let state: Lock<State>
    /// Every statement asks.
    private let hasRefused: Atomic<Bool>
    private static let tolerated = 1

    init(_ folder: CrashFolder) {
        self.folder = folder
        records = folder.records
        var state = State(pardons: folder.pardons)
        for record in records where record.program == CrashRecord.thisProgram {
            for statement in record.statements where statement.isBlamed {
                if let time = state.pardons[statement.hash], time >= record.microseconds { continue }
                state.deaths[statement.hash, default: []].append(record)
            }
        }
        state.deaths = state.deaths.filter { $0.value.count > CrashHistory.tolerated }
        hasRefused = Atomic(!state.deaths.isEmpty)
        self.state = Lock(state)
    }

    func isRefused(_ hash: UInt64) -> Bool { state.withLock { $0.deaths[hash] != nil } }

    /// Why a statement is refused.
    func refusal(of hash: UInt64) -> SQLError? {
        guard hasRefused.load(ordering: .relaxed), let deaths = state.withLock({ $0.deaths[hash] }),
            let last = deaths.last
        else { return nil }
        let time = TextBuffer()
        TimestampText.append(last.microseconds, to: time)
        return SQLError(
            .objectNotInState, "the statement is refused: it has ended the server \(deaths.count) times",
            detail: "The last time was \(time.string), by \(CrashRecord.signalName(last.signal)).",
            hint: "SVL_REDBARN_CRASHES tells more. After SET redbarn_run_refused TO on a superuser may run it; "
                + "when it comes to its end it is allowed again.")
    }

    /// The statement has run without harm: its deaths count no more.
    func pardon(_ hash: UInt64, now: Int64) throws {
        let pardons = state.withLock { state in
            state.deaths[hash] = nil
            state.pardons[hash] = now
            return state.pardons
        }
        try folder.write(pardons)
    }
}
