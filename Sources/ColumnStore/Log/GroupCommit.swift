import Platform
import SQLTypes

/// Puts commits into an order, makes all that wait durable with one write and one sync, and then visible. Safe from any
/// thread.
///
/// A commit is worked out on the one before it, durable or not. The first session that finds nobody writing writes for
/// all; the others wait. When a write fails, all commits that wait fail with it, for they may build on each other.
final class GroupCommit: @unchecked Sendable {  // guarded by `monitor`; `writer` belongs to who set `isWriting`
    /// A commit that has its place in the order.
    struct Ordered {
        /// The state before it.
        var base: StoreSnapshot
        var snapshot: StoreSnapshot
        var payload: [UInt8]
        var change: StoreChange
        var retired: [PartFile]
    }
    /// A commit's place in the line. Its session sleeps on it alone: if all woke up at once, they would only wait for
    /// the common monitor.
    final class Ticket: @unchecked Sendable {  // guarded by its own monitor
        private let monitor = Monitor()
        private var outcome: Result<Void, SQLError>?
        private var isCalled = false

        fileprivate var result: Result<Void, SQLError>? { monitor.withLock { outcome } }
        fileprivate func finish(_ result: Result<Void, SQLError>) { monitor.withLock { outcome = result } }
        fileprivate func wake() { monitor.wakeAll() }
        /// Wakes the session before its commit is over: somebody has to write.
        fileprivate func call() {
            monitor.withLock { isCalled = true }
            wake()
        }
        /// Until the commit is over or the session is called.
        fileprivate func sleep() {
            monitor.withLock {
                while outcome == nil && !isCalled { monitor.wait() }
                isCalled = false
            }
        }
    }
    /// What may be done while no commit is on its way.
    struct Quiet {
        var pending: StoreSnapshot
        var refusal: SQLError?
        var writer: LogWriter
    }

    private let monitor = Monitor()
    private var state: Quiet
    private var waiting: [(ticket: Ticket, commit: Ordered)] = []
    private var isWriting = false
    /// Who wants quiet: nobody gets a new place in the order meanwhile.
    private var quietWanted = 0
    /// The last commit that is visible.
    private var visible: UInt64
    /// Bytes of the log, as of the last write that is over.
    private var written: Int
    private let publish: (StoreSnapshot, [Ordered]) -> Void
    /// How many sessions seem to commit at once.
    private var expected = 1
    private var syncNanoseconds: Int64 = 0
    private static let longestWait: Int64 = 2_000_000
    /// The one who gathers others' commits waits on it.
    private let gathered = Monitor.Turn()
    private var isGathering = false

    /// - Parameter publish: makes the last of some durable commits visible.
    init(
        _ snapshot: StoreSnapshot, _ writer: LogWriter, publish: @escaping (StoreSnapshot, [Ordered]) -> Void
    ) {
        state = Quiet(pending: snapshot, refusal: nil, writer: writer)
        visible = snapshot.version
        written = writer.bytes
        self.publish = publish
    }

    /// The newest state in the order, which may not be durable yet.
    var pending: StoreSnapshot { monitor.withLock { state.pending } }
    /// Bytes of the log.
    var logBytes: Int { monitor.withLock { written } }

    /// Works a commit out on the newest state and gives it its place.
    func order(_ make: (StoreSnapshot) throws -> Ordered) throws -> Ticket {
        try monitor.withLock {
            while quietWanted > 0 { monitor.wait() }
            if let refusal = state.refusal { throw refusal }
            let commit = try make(state.pending)
            let ticket = Ticket()
            state.pending = commit.snapshot
            waiting.append((ticket, commit))
            if isGathering && waiting.count * 2 >= expected { monitor.wake(gathered) }
            return ticket
        }
    }

    /// Returns when the commit is durable and visible.
    func wait(for ticket: Ticket) throws {
        while true {
            if let result = ticket.result { return try result.get() }
            let mustSleep = monitor.withLock {
                if !isWriting && !waiting.isEmpty && ticket.result == nil { write() }
                return isWriting
            }
            if mustSleep { ticket.sleep() }
        }
    }

    /// Returns when all commits that have a place in the order now are visible, or have failed.
    func settle() {
        monitor.withLock {
            let last = state.pending.version
            while visible < last && (isWriting || !waiting.isEmpty) {
                if isWriting { monitor.wait() } else { write() }
            }
        }
    }

    /// Runs something while all commits are durable and no other can be made.
    func exclusively<Result>(_ body: (inout Quiet) throws -> Result) rethrows -> Result {
        try monitor.withLock {
            quietWanted += 1
            if isGathering { monitor.wake(gathered) }
            defer {
                quietWanted -= 1
                written = state.writer.bytes
                monitor.wakeAll()
            }
            while isWriting || !waiting.isEmpty {
                if isWriting { monitor.wait() } else { write() }
            }
            return try body(&state)
        }
    }

    /// Writes what waits. Called with the monitor held, which is free while the disk works.
    private func write() {
        isWriting = true
        gather()
        let batch = waiting
        waiting = []
        let last = batch[batch.count - 1].commit.snapshot
        let start = SystemTime().monotonicNanoseconds()
        monitor.unlock()
        let failure = append(batch.map(\.commit))
        if failure == nil { publish(last, batch.map(\.commit)) }
        monitor.lock()
        isWriting = false
        guard let failure else {
            syncNanoseconds = SystemTime().monotonicNanoseconds() - start
            expected = batch.count + waiting.count
            visible = last.version
            written = state.writer.bytes
            finish(batch, .success(()))
            return
        }
        fail(batch + waiting, failure)
    }

    /// The monitor is free while they wake up: who wakes needs it at once.
    private func finish(_ entries: [(ticket: Ticket, commit: Ordered)], _ outcome: Result<Void, SQLError>) {
        for entry in entries { entry.ticket.finish(outcome) }
        // One of those who came meanwhile writes for all of them.
        let next = waiting.first?.ticket
        monitor.wakeAll()
        monitor.unlock()
        next?.call()
        for entry in entries { entry.ticket.wake() }
        monitor.lock()
    }

    private func append(_ commits: [Ordered]) -> LogWriter.Failure? {
        let first = commits[0].snapshot.version
        var records: [UInt8] = []
        records.reserveCapacity(commits.reduce(0) { $0 + $1.payload.count + 2 * LogRecord.headLength })
        for commit in commits {
            LogRecord.append(commit.payload, commit: commit.snapshot.version, durable: first - 1, to: &records)
        }
        do throws(LogWriter.Failure) {
            try state.writer.append(records, first: first)
            return nil
        } catch {
            return error
        }
    }

    private func fail(_ entries: [(ticket: Ticket, commit: Ordered)], _ failure: LogWriter.Failure) {
        let reason: SQLError
        switch failure {
        case .before(let error): reason = error
        case .unknown(let error):
            reason = error
            state.refusal = SQLError(
                .ioError, "the warehouse must be opened again: the outcome of a commit is unknown",
                detail: error.message)
            // The log may name them after all.
            for entry in entries { for parts in entry.commit.change.added { parts.markCommitted() } }
        }
        waiting = []
        if let base = entries.first?.commit.base { state.pending = base }
        finish(entries, .failure(reason))
    }

    /// Sessions that committed together last time will be back in a moment: waiting for half of them is cheaper than a
    /// sync for each, and the rest work while the disk does.
    private func gather() {
        let deadline = SystemTime().monotonicNanoseconds() + min(syncNanoseconds / 2, GroupCommit.longestWait)
        isGathering = true
        defer { isGathering = false }
        while waiting.count * 2 < expected && quietWanted == 0 {
            if !monitor.wait(for: gathered, untilNanoseconds: deadline) { return }
        }
    }
}
