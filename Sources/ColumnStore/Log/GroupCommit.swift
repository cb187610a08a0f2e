import Catalog
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
        /// Tables.
        var defined: [ObjectID]
        var dropped: [ObjectID]
    }
    /// Commits that become durable together. Their sessions sleep on it: if they slept on the common monitor, each
    /// would need that when it wakes up.
    final class Batch: @unchecked Sendable {  // `commits` by the monitor; `outcome` is set before `state` says so
        fileprivate var commits: [Ordered] = []
        private var outcome: Result<Void, SQLError> = .success(())
        private let state = Futex()
        /// Somebody has to write, and one of the sessions shall.
        private static let isCalled: UInt32 = 1
        private static let isOver: UInt32 = 2

        /// nil: not durable yet.
        fileprivate var result: Result<Void, SQLError>? { state.value == Batch.isOver ? outcome : nil }
        fileprivate func finish(_ result: Result<Void, SQLError>) {
            outcome = result
            state.value = Batch.isOver
        }
        fileprivate func wake() { state.wake() }
        fileprivate func call() { if state.exchange(0, for: Batch.isCalled) { state.wake(1) } }
        /// Until the commits are over or the session is called.
        fileprivate func sleep() {
            while state.value != Batch.isOver && !state.exchange(Batch.isCalled, for: 0) { state.wait(while: 0) }
        }
    }
    /// What may be done while no commit is on its way.
    struct Quiet {
        var pending: StoreSnapshot
        var refusal: SQLError?
        var writer: LogWriter
    }

    private let monitor = Monitor()
    private var newest: StoreSnapshot
    private var refusal: SQLError?
    /// Of whoever writes (`isWriting`), without the monitor: a property of its own, because others read the ones above
    /// meanwhile.
    private var writer: LogWriter
    /// Commits that nobody writes yet.
    private var waiting = Batch()
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
        newest = snapshot
        self.writer = writer
        visible = snapshot.version
        written = writer.bytes
        self.publish = publish
    }

    /// The newest state in the order, which may not be durable yet.
    var pending: StoreSnapshot { monitor.withLock { newest } }
    /// Bytes of the log.
    var logBytes: Int { monitor.withLock { written } }

    /// Works a commit out on the newest state and gives it its place.
    func order(_ make: (StoreSnapshot) throws -> Ordered) throws -> Batch {
        try monitor.withLock {
            while quietWanted > 0 { monitor.wait() }
            if let refusal { throw refusal }
            let commit = try make(newest)
            newest = commit.snapshot
            waiting.commits.append(commit)
            if isGathering && waiting.commits.count * 2 >= expected { monitor.wake(gathered) }
            return waiting
        }
    }

    /// Returns when the commits are durable and visible.
    func wait(for batch: Batch) throws {
        while true {
            if let result = batch.result { return try result.get() }
            let mustSleep = monitor.withLock {
                if !isWriting && !waiting.commits.isEmpty && batch.result == nil { write() }
                return isWriting
            }
            if mustSleep { batch.sleep() }
        }
    }

    /// Returns when all commits that have a place in the order now are visible, or have failed.
    func settle() {
        monitor.withLock {
            let last = newest.version
            while visible < last && (isWriting || !waiting.commits.isEmpty) {
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
                written = writer.bytes
                monitor.wakeAll()
            }
            while isWriting || !waiting.commits.isEmpty {
                if isWriting { monitor.wait() } else { write() }
            }
            var quiet = Quiet(pending: newest, refusal: refusal, writer: writer)
            defer { (newest, refusal, writer) = (quiet.pending, quiet.refusal, quiet.writer) }
            return try body(&quiet)
        }
    }

    /// Writes what waits. Called with the monitor held, which is free while the disk works.
    private func write() {
        isWriting = true
        gather()
        let batch = waiting
        var commits = batch.commits
        waiting = Batch()
        batch.commits = []
        let last = commits[commits.count - 1].snapshot
        let start = Stopwatch.nanoseconds
        monitor.unlock()
        let count = commits.count
        let failure = append(commits)
        if failure == nil {
            publish(last, commits)
            // What is left of them is taken apart here, when nobody waits for the monitor.
            commits = []
        }
        monitor.lock()
        isWriting = false
        guard let failure else {
            syncNanoseconds = Stopwatch.nanoseconds - start
            expected = count + waiting.commits.count
            visible = last.version
            written = writer.bytes
            finish([batch], .success(()))
            return
        }
        fail(batch, commits, failure)
    }

    /// The monitor is free while they wake up: who wakes needs it at once.
    private func finish(_ batches: [Batch], _ outcome: Result<Void, SQLError>) {
        for batch in batches { batch.finish(outcome) }
        // One of those who came meanwhile writes for all of them.
        let next = waiting.commits.isEmpty ? nil : waiting
        monitor.wakeAll()
        monitor.unlock()
        next?.call()
        for batch in batches { batch.wake() }
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
            try writer.append(records, first: first)
            return nil
        } catch {
            return error
        }
    }

    /// All fail that have their place by now.
    private func fail(_ batch: Batch, _ commits: [Ordered], _ failure: LogWriter.Failure) {
        let reason: SQLError
        let later = waiting
        switch failure {
        case .before(let error): reason = error
        case .unknown(let error):
            reason = error
            refusal = .unknownOutcome(of: "commit", error)
            // The log may name them after all.
            for commit in commits + later.commits { for parts in commit.change.added { parts.markCommitted() } }
        }
        waiting = Batch()
        later.commits = []
        if let base = commits.first?.base { newest = base }
        finish([batch, later], .failure(reason))
    }

    /// Sessions that committed together last time will be back in a moment: waiting for half of them is cheaper than a
    /// sync for each, and the rest work while the disk does.
    private func gather() {
        let deadline = Stopwatch.nanoseconds + min(syncNanoseconds / 2, GroupCommit.longestWait)
        isGathering = true
        defer { isGathering = false }
        while waiting.commits.count * 2 < expected && quietWanted == 0 {
            if !monitor.wait(for: gathered, untilNanoseconds: deadline) { return }
        }
    }
}

extension SQLError {
    /// Why nothing is committed any more: the disk has or has not what was written last.
    static func unknownOutcome(of what: String, _ reason: SQLError) -> SQLError {
        SQLError(
            .ioError, "the warehouse must be opened again: the outcome of a \(what) is unknown", detail: reason.message)
    }
}
