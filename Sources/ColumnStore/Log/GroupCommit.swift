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
    final class Ticket {
        fileprivate(set) var outcome: Result<Void, SQLError>?
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
            return ticket
        }
    }

    /// Returns when the commit is durable and visible.
    func wait(for ticket: Ticket) throws {
        try monitor.withLock {
            while ticket.outcome == nil {
                if isWriting { monitor.wait() } else { write() }
            }
            try ticket.outcome?.get()
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
            for entry in batch { entry.ticket.outcome = .success(()) }
            return monitor.wakeAll()
        }
        fail(batch + waiting, failure)
        monitor.wakeAll()
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
        for entry in entries { entry.ticket.outcome = .failure(reason) }
    }

    /// Sessions that committed together last time will be back in a moment: waiting for them a little is cheaper than
    /// a sync for some and one more for the rest.
    private func gather() {
        let deadline = SystemTime().monotonicNanoseconds() + min(syncNanoseconds / 2, GroupCommit.longestWait)
        while waiting.count < expected && quietWanted == 0 {
            let now = SystemTime().monotonicNanoseconds()
            if now >= deadline { return }
            _ = monitor.wait(untilNanoseconds: min(now + 50_000, deadline))
        }
    }
}
