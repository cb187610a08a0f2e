import Platform
import Synchronization

/// Workload management of one warehouse: lets statements in as its ``Scheduler`` decides, and watches those that run.
/// Safe from any thread.
package final class WorkloadManager: Sendable {
    /// An action of a monitoring rule, for STL_WLM_RULE_ACTION.
    package struct RuleAction: Sendable, Hashable {
        package var user: Int
        package var query: Int
        package var serviceClass: Int
        package var serviceClassName: String
        package var rule: String
        /// `log`, `hop(reassign)`, `hop(restart)`, `abort`, `change_query_priority` or `none`.
        package var action: String
        package var value: String
        package var microseconds: Int64
    }
    /// A statement that could not be let in, for STL_WLM_ERROR.
    package struct AdmissionError: Sendable, Hashable {
        package var user: Int
        package var session: Int
        package var message: String
        package var microseconds: Int64
    }
    fileprivate struct Waiter {
        let turn = Monitor.Turn()
        var hasStarted = false
    }
    /// A statement that has been let in.
    struct Running {
        let ticket: AdmissionTicket
        /// All of its waiting for slots, also behind locks.
        var queueNanoseconds: Int64
        var watch = RuleWatch()
    }
    final class State: @unchecked Sendable {  // guarded by `monitor`
        var scheduler: Scheduler
        fileprivate var waiters: [Int: Waiter] = [:]
        var running: [Int: Running] = [:]
        var priorities = PriorityOverrides()
        var actions = RecentList<RuleAction>(keeping: WorkloadManager.kept)
        var errors = RecentList<AdmissionError>(keeping: WorkloadManager.kept)
        fileprivate var isWatching = false
        fileprivate var isStopping = false
        /// When the watching thread looks next.
        fileprivate var nextLook = Int64.max

        init(_ scheduler: Scheduler) { self.scheduler = scheduler }
    }

    let monitor = Monitor()
    let state: State
    let time: any TimeSource
    package let shares = PriorityShares(weights: QueryPriority.allCases.map(\.weight))
    private let workers: Int
    private let rulesExist = Atomic<Bool>(false)
    private let membersCount = Atomic<Bool>(false)
    /// How often a waiter looks whether its statement was cancelled.
    private static let lookNanoseconds: Int64 = 10_000_000
    /// How often rules are evaluated.
    static let ruleNanoseconds: Int64 = 100_000_000
    /// Time limits are kept to within this.
    private static let grain: Int64 = 20_000_000
    private static let kept = 10_000

    package init(
        _ configuration: WorkloadConfiguration, _ machine: WorkloadMachine, workers: Int, _ time: any TimeSource
    ) {
        state = State(Scheduler(configuration, machine))
        self.workers = workers
        self.time = time
        noteConfiguration(configuration)
    }

    package func stop() {
        monitor.withLock {
            state.isStopping = true
            monitor.wakeAll()
        }
    }

    // MARK: Admission

    /// Waits until the statement may run, or is cancelled.
    ///
    /// - Parameter previous: the queue that it was hopped out of.
    package func admit(
        _ request: AdmissionRequest, _ cancellation: CancellationToken, after previous: Int? = nil
    ) throws -> AdmissionTicket {
        let arrived = time.monotonicNanoseconds()
        let meter = StatementMeter(workers: workers)
        return try monitor.withLock {
            var request = request
            request.priority = request.priority ?? state.priorities.priority(request)
            let number = try state.scheduler.submit(request, at: arrived, after: previous)
            if !deliver(expecting: number) { try wait(number, cancellation) }
            let share = StatementShare(shares, level: level(number), meter, cancellation)
            let entry = state.scheduler.entries[number]
            let ticket = AdmissionTicket(
                self, number, memoryBytes: entry?.memoryBytes, meter, share, cancellation)
            let started = entry?.startedNanoseconds ?? arrived
            state.running[number] = Running(ticket: ticket, queueNanoseconds: started - arrived)
            watch(number)
            return ticket
        }
    }

    /// The lane of short queries is the most urgent one: that is what makes it fast.
    func level(_ number: Int) -> Int {
        guard let entry = state.scheduler.entries[number] else { return QueryPriority.normal.rawValue }
        return entry.isShort ? QueryPriority.critical.rawValue : entry.priority.rawValue
    }

    /// Tells those whose turn has come. True when `number` is one of them.
    @discardableResult
    func deliver(expecting number: Int? = nil) -> Bool {
        var isIncluded = false
        for started in state.scheduler.takeStarts() {
            if started == number {
                isIncluded = true
            } else if let waiter = state.waiters[started] {
                state.waiters[started]?.hasStarted = true
                monitor.wake(waiter.turn)
            }
        }
        return isIncluded
    }

    private func wait(_ number: Int, _ cancellation: CancellationToken) throws {
        let waiter = Waiter()
        state.waiters[number] = waiter
        defer { state.waiters[number] = nil }
        while state.waiters[number]?.hasStarted == false {
            _ = monitor.wait(for: waiter.turn, atMostNanoseconds: WorkloadManager.lookNanoseconds)
            do {
                try cancellation.check()
            } catch {
                state.scheduler.finish(number, at: time.monotonicNanoseconds())
                deliver()
                throw error
            }
        }
    }

    // MARK: Tickets

    func finish(_ ticket: AdmissionTicket) -> AdmissionRecord? {
        let now = time.monotonicNanoseconds()
        let wall = time.wallMicroseconds()
        return monitor.withLock {
            if hasRules { evaluateLast(ticket.number, now) }
            let record = state.scheduler.entries[ticket.number].map { self.record($0, now, wall) }
            state.running[ticket.number] = nil
            state.scheduler.finish(ticket.number, at: now, used: ticket.meter.cpuNanoseconds)
            deliver()
            return record
        }
    }

    /// What is known of a statement now: of one that waits, runs, or is about to go.
    func record(_ entry: Scheduler.Entry, _ now: Int64, _ wall: Int64) -> AdmissionRecord {
        let running = state.running[entry.sequence]
        let started = entry.startedNanoseconds ?? now
        func moment(_ nanoseconds: Int64) -> Int64 { wall - (now - nanoseconds) / 1000 }
        var record = AdmissionRecord(entry.lane.id, entry.lane.name)
        record.slots = entry.slots
        record.arrivedMicroseconds = moment(entry.arrivedNanoseconds)
        record.startedMicroseconds = moment(started)
        record.endedMicroseconds = wall
        record.queueMicroseconds = (running?.queueNanoseconds ?? started - entry.arrivedNanoseconds) / 1000
        record.priority = entry.priority
        record.isShort = entry.isShort
        record.isScaledOut = entry.isScaledOut
        record.wasEvicted = entry.wasEvicted
        record.memoryPeakBytes = running?.ticket.meter.memoryPeakBytes ?? 0
        if let running { record.metrics = metrics(entry, running, now) }
        return record
    }

    func suspend(_ ticket: AdmissionTicket) {
        let now = time.monotonicNanoseconds()
        monitor.withLock {
            state.scheduler.suspend(ticket.number, at: now)
            deliver()
        }
    }

    func resume(_ ticket: AdmissionTicket) throws {
        let now = time.monotonicNanoseconds()
        try monitor.withLock {
            state.scheduler.resume(ticket.number, at: now)
            if deliver(expecting: ticket.number) { return }
            try wait(ticket.number, ticket.cancellation)
            let waited = time.monotonicNanoseconds() - now
            state.running[ticket.number]?.queueNanoseconds += waited
        }
    }

    package func note(error message: String, user: Int, session: Int) {
        let error = AdmissionError(
            user: user, session: session, message: message, microseconds: time.wallMicroseconds())
        monitor.withLock {
            state.errors.append(error)
        }
    }
    package var errors: [AdmissionError] { monitor.withLock { state.errors.elements } }

    // MARK: Configuration

    /// Some queue has rules.
    package var hasRules: Bool { rulesExist.load(ordering: .relaxed) }
    /// Groups and roles of users lead into queues.
    package var asksForMembers: Bool { membersCount.load(ordering: .relaxed) }

    private func noteConfiguration(_ configuration: WorkloadConfiguration) {
        rulesExist.store(configuration.queues.contains { !$0.rules.isEmpty }, ordering: .relaxed)
        membersCount.store(
            configuration.queues.contains { !$0.userGroups.names.isEmpty || !$0.userRoles.names.isEmpty },
            ordering: .relaxed)
    }

    package var configuration: WorkloadConfiguration { monitor.withLock { state.scheduler.configuration } }

    /// From now on; statements that run go on.
    package func configure(_ configuration: WorkloadConfiguration, scalingClusters: Int? = nil) {
        monitor.withLock {
            var machine = state.scheduler.machine
            if let scalingClusters { machine.scalingClusters = scalingClusters }
            state.scheduler.configure(configuration, machine, at: time.monotonicNanoseconds())
            noteConfiguration(configuration)
            deliver()
            for number in state.running.keys {
                state.running[number]?.ticket.share.change(level: level(number))
                watch(number)
            }
        }
    }

    // MARK: Watching

    /// What a statement that has just been let in needs of the watching thread.
    private func watch(_ number: Int) {
        guard let entry = state.scheduler.entries[number] else { return }
        let limit = entry.home.definition.maximumExecutionMilliseconds
        let watched = entry.isShort || limit > 0 || !entry.home.definition.rules.isEmpty
        guard watched else { return }
        let now = time.monotonicNanoseconds()
        var moment = hasRules ? now + WorkloadManager.ruleNanoseconds : Int64.max
        if entry.isShort { moment = min(moment, now + state.scheduler.laneLimitNanoseconds) }
        if limit > 0 { moment = min(moment, now + limit * 1_000_000) }
        moment = max(moment, now + WorkloadManager.grain)
        if moment >= state.nextLook { return }
        state.nextLook = moment
        if state.isWatching { return monitor.wakeAll() }
        do {
            try NativeThread.start(name: "workload") { [weak self] in self?.watchAll() }
            state.isWatching = true
        } catch {
            // The next statement tries again; until then nobody's limits are kept, and everything else goes on.
            state.nextLook = .max
        }
    }

    private func watchAll() {
        monitor.withLock {
            while !state.isStopping {
                let now = time.monotonicNanoseconds()
                if now >= state.nextLook { look(now) }
                if state.nextLook == .max {
                    monitor.wait()
                } else {
                    _ = time.wait(monitor, untilNanoseconds: state.nextLook)
                }
            }
            state.isWatching = false
        }
    }

    private func look(_ now: Int64) {
        for expiry in state.scheduler.expire(at: now) {
            switch expiry {
            case .outgrew(let number): state.running[number]?.ticket.share.change(level: level(number))
            case .timedOut(let number): hop(number, now, .timeLimit)
            }
        }
        if hasRules { evaluateRules(now) }
        deliver()
        var next = state.scheduler.nextDeadlineNanoseconds ?? .max
        if hasRules, !state.running.isEmpty { next = min(next, now + WorkloadManager.ruleNanoseconds) }
        state.nextLook = next == .max ? .max : max(next, now + WorkloadManager.grain)
    }

    /// The statement goes into its next queue, in one way or the other, or ends for this reason.
    ///
    /// - Returns: what became of it.
    @discardableResult
    func hop(_ number: Int, _ now: Int64, _ reason: AdmissionTicket.Verdict) -> String {
        guard let ticket = state.running[number]?.ticket, let entry = state.scheduler.entries[number]
        else { return "none" }
        if entry.request.kind.canHop {
            switch state.scheduler.hop(number, at: now) {
            case .reassigned:
                ticket.share.change(level: level(number))
                return "hop(reassign)"
            case .restart:
                guard ticket.willRestart(after: entry.home.id) else { return "none" }
                ticket.cancellation.cancel(.queueHop)
                return "hop(restart)"
            case .nowhere: break
            }
        }
        end(ticket, reason, .queryMonitoring)
        return "abort"
    }

    func end(
        _ ticket: AdmissionTicket, _ verdict: AdmissionTicket.Verdict, _ reason: StatementCancelled.Reason
    ) {
        ticket.verdict.withLock { if $0 == nil { $0 = verdict } }
        ticket.cancellation.cancel(reason)
    }
}
