import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Synchronization
import Warehouse
import Workload

/// One stretch of a mixed workload: clients on threads of their own, each with a session, for some seconds. What runs
/// at the end is waited for, and counts by the part that was within the time.
final class MixedSlice: Sendable {
    private struct State {
        var figures: [MixedKind: MixedClass] = [:]
        var sessions: [Session] = []
        var failure: SQLError?
        var running = 0
    }
    private let warehouse: Warehouse
    private let settings: MixedSettings
    private let arrivals: [(nanoseconds: Int64, text: String)]
    private let state = Lock(State())
    private let ended = Monitor()
    private let nextArrival = Atomic<Int>(0)
    private let isStopped = Atomic<Bool>(false)
    private let seconds: Double
    private let start: Int64
    private let end: Int64
    /// Where each stream goes on in its order of queries.
    private let positions: Lock<[Int]>
    /// What has not ended so long after the time is cancelled.
    private static let graceSeconds = 60.0
    private static let copiesBetweenTruncates = 8

    init(_ warehouse: Warehouse, _ settings: MixedSettings, seconds: Double, seed: UInt64, positions: [Int]) {
        self.warehouse = warehouse
        self.settings = settings
        self.seconds = seconds
        self.positions = Lock(positions)
        var queries = DashboardQueries(settings.largest, seed: seed)
        arrivals =
            settings.clients > 0
            ? queries.arrivals(ratePerSecond: settings.ratePerSecond, seconds: seconds) : []
        start = Stopwatch.nanoseconds
        end = start + Int64(seconds * 1e9)
    }

    /// - Returns: the figures, and where the streams are now.
    func run(label: String) throws -> (figures: MixedFigures, positions: [Int]) {
        try SignalWatcher.shared.cancelling(with: { self.stop() }) {
            do {
                for stream in 0..<settings.streams { try begin(.heavy) { try self.stream(stream, .heavy, $0) } }
                for stream in 0..<settings.background {
                    try begin(.background) { try self.stream(self.settings.streams + stream, .background, $0) }
                }
                for _ in 0..<settings.clients { try begin(.dashboard) { try self.dashboard($0) } }
                for load in 0..<settings.loads { try begin(.load) { try self.load(load, $0) } }
            } catch {
                stop()
                wait()
                throw error
            }
            wait()
        }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        if SignalWatcher.shared.wasInterrupted { throw SQLError(.queryCanceled, "the benchmark was interrupted") }
        var figures = MixedFigures(label: label, seconds: seconds)
        figures.classes = state.withLock { $0.figures }
        return (figures, positions.withLock { $0 })
    }

    // MARK: Threads

    /// A client with a session of its own.
    private func begin(_ kind: MixedKind, _ body: @escaping @Sendable (Session) throws -> Void) throws {
        let session = try warehouse.connect()
        // What is measured is work, not the memory of it.
        try session.query("set enable_result_cache_for_session to off")
        try session.query("set query_group to '\(kind.rawValue)'")
        state.withLock {
            $0.sessions.append(session)
            $0.running += 1
        }
        do {
            try NativeThread.start(name: kind.rawValue) {
                do {
                    try body(session)
                    try session.close()
                } catch {
                    self.state.withLock { $0.failure = $0.failure ?? SQLError(reporting: error) }
                    self.stop()
                }
                self.leave()
            }
        } catch {
            leave()
            throw SQLError(error)
        }
    }

    private func leave() {
        state.withLock { $0.running -= 1 }
        ended.withLock { ended.wakeAll() }
    }

    private func stop() {
        isStopped.store(true, ordering: .relaxed)
        for session in state.withLock({ $0.sessions }) { session.cancel() }
    }

    private func wait() {
        let grace = end + Int64(MixedSlice.graceSeconds * 1e9)
        ended.withLock {
            while state.withLock({ $0.running }) > 0 {
                if Stopwatch.nanoseconds > grace { stop() }
                _ = ended.wait(atMostNanoseconds: 200_000_000)
            }
        }
    }

    private var isOver: Bool { isStopped.load(ordering: .relaxed) || Stopwatch.nanoseconds >= end }

    // MARK: Clients

    private func stream(_ number: Int, _ kind: MixedKind, _ session: Session) throws {
        let order = StreamOrder.shuffled(settings.heavyQueries.count, stream: number, seed: settings.seed)
        while !isOver, !order.isEmpty {
            let place = positions.withLock { positions in
                defer { positions[number] += 1 }
                return positions[number]
            }
            try run(kind, settings.heavyQueries[order[place % order.count]], session, due: Stopwatch.nanoseconds)
        }
    }

    /// Takes the next query that is due; a late one counts from the moment at which it was due.
    private func dashboard(_ session: Session) throws {
        while !isStopped.load(ordering: .relaxed) {
            let number = nextArrival.add(1, ordering: .relaxed).oldValue
            guard number < arrivals.count else { return }
            let due = start + arrivals[number].nanoseconds
            while case let left = due - Stopwatch.nanoseconds, left > 0, !isStopped.load(ordering: .relaxed) {
                usleep(UInt32(min(left / 1000 + 1, 50_000)))
            }
            try run(.dashboard, arrivals[number].text, session, due: due)
        }
    }

    private func load(_ number: Int, _ session: Session) throws {
        let table = MixedData.loadTable(number)
        var count = 0
        while !isOver {
            if count % MixedSlice.copiesBetweenTruncates == 0 { try session.query("truncate \(table)") }
            count += 1
            let files = LiteralText.quoted(settings.loadFiles)
            try run(.load, "copy \(table) from \(files) delimiter '|'", session, due: Stopwatch.nanoseconds)
        }
    }

    private func run(_ kind: MixedKind, _ text: String, _ session: Session, due: Int64) throws {
        if isStopped.load(ordering: .relaxed) { return }
        let rows = DiscardedRows()
        do {
            try session.execute(text, rows)
        } catch let error as SQLError {
            // What was cancelled because the time is over is neither here nor there.
            if isStopped.load(ordering: .relaxed) { return }
            return state.withLock { $0.figures[kind, default: MixedClass()].add(error) }
        }
        let now = Stopwatch.nanoseconds
        let queued = session.lastAdmission.withLock { $0?.queueMicroseconds ?? 0 }
        // What began behind the end was late.
        let part = now <= end ? 1 : due >= end ? 0 : Double(end - due) / Double(now - due)
        state.withLock {
            $0.figures[kind, default: MixedClass()].add(
                latency: Double(now - due), queued: Double(queued) * 1000, completed: part)
        }
    }
}

/// Takes rows as a client does that has no use for them.
private final class DiscardedRows: ResultHandler {
    func begin(columns: [ResultColumn]) throws {}
    func rows(_ batch: ColumnBatch) throws {}
    func end(tag: String) throws {}
}
