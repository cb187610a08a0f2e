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
    final class State: @unchecked Sendable {  // guarded by `monitor`
        var scheduler: Scheduler
        fileprivate var waiters: [Int: Waiter] = [:]
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
        let share = StatementShare(
            shares, workers: workers, expectedNanoseconds: request.predictedNanoseconds, cancellation)
        return try monitor.withLock {
            var request = request
            request.priority = request.priority ?? state.priorities.priority(request)
            let ticket = try state.scheduler.enter(request, at: arrived, after: previous) {
                AdmissionTicket(self, share, cancellation, $0)
            }
            if !deliver(expecting: ticket.sequence) { try wait(ticket.sequence, cancellation) }
            share.begin(level: level(ticket))
            ticket.begin()
            watch(ticket, arrived)
            return ticket
        }
    }

    /// The lane of short queries is the most urgent one: that is what makes it fast.
    func level(_ entry: Scheduler.Entry) -> Int {
        entry.isShort ? QueryPriority.critical.rawValue : entry.priority.rawValue
    }

    /// Tells those whose turn has come. True when `number` is one of them.
    @discardableResult
    func deliver(expecting number: Int? = nil) -> Bool {
        var isIncluded = false
        state.scheduler.takeStarts { started in
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

    func finish(_ ticket: AdmissionTicket, isComplete: Bool) -> AdmissionRecord? {
        let now = time.monotonicNanoseconds()
        let wall = time.wallMicroseconds()
        let used = ticket.share.meter.cpuNanoseconds
        monitor.withLock {
            if hasRules { evaluateLast(ticket, ticket, now) }
            ticket.share.end()
            ticket.isAdmitted = false
            state.scheduler.finish(ticket.sequence, at: now, used: used, isComplete: isComplete)
            deliver()
        }
        // Nobody else knows it any more.
        return record(ticket, ticket, now, wall)
    }

    /// What is known of a statement now: of one that waits, runs, or has just gone.
    func record(
        _ entry: Scheduler.Entry, _ ticket: AdmissionTicket?, _ now: Int64, _ wall: Int64
    ) -> AdmissionRecord {
        let started = entry.startedNanoseconds ?? now
        func moment(_ nanoseconds: Int64) -> Int64 { wall - (now - nanoseconds) / 1000 }
        var record = AdmissionRecord.Figures(entry.lane.id, entry.lane.name)
        record.slots = entry.slots
        record.arrivedMicroseconds = moment(entry.arrivedNanoseconds)
        record.startedMicroseconds = moment(started)
        record.endedMicroseconds = wall
        record.queueMicroseconds = (ticket?.queueNanoseconds ?? started - entry.arrivedNanoseconds) / 1000
        record.runMicroseconds = entry.ranNanoseconds(at: now) / 1000
        record.priority = entry.priority
        record.isShort = entry.isShort
        record.isScaledOut = entry.isScaledOut
        record.wasEvicted = entry.wasEvicted
        record.memoryPeakBytes = ticket?.share.meter.memoryPeakBytes ?? 0
        if let ticket { record.metrics = metrics(entry, ticket, now) }
        return AdmissionRecord(record)
    }

    func suspend(_ ticket: AdmissionTicket) {
        let now = time.monotonicNanoseconds()
        monitor.withLock {
            state.scheduler.suspend(ticket.sequence, at: now)
            deliver()
        }
    }

    func resume(_ ticket: AdmissionTicket) throws {
        let now = time.monotonicNanoseconds()
        try monitor.withLock {
            state.scheduler.resume(ticket.sequence, at: now)
            if !deliver(expecting: ticket.sequence) {
                try wait(ticket.sequence, ticket.cancellation)
                ticket.queueNanoseconds += time.monotonicNanoseconds() - now
            }
            // While it was away nobody looked at its limits.
            watch(ticket, time.monotonicNanoseconds())
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

    /// From now on; statements that run go on. What is not given stays as it is.
    package func configure(_ configuration: WorkloadConfiguration? = nil, scalingClusters: Int? = nil) {
        monitor.withLock {
            let configuration = configuration ?? state.scheduler.configuration
            var machine = state.scheduler.machine
            if let scalingClusters { machine.scalingClusters = scalingClusters }
            state.scheduler.configure(configuration, machine, at: time.monotonicNanoseconds())
            noteConfiguration(configuration)
            deliver()
            let now = time.monotonicNanoseconds()
            for entry in state.scheduler.entries.values where entry.ticket != nil {
                entry.ticket?.share.change(level: level(entry))
                watch(entry, now)
            }
        }
    }

    // MARK: Watching

    /// What a statement that has just been let in needs of the watching thread.
    private func watch(_ entry: Scheduler.Entry, _ now: Int64) {
        let classes = state.scheduler.classes
        guard entry.isShort || classes.hasTimeLimits || classes.hasRules else { return }
        let limit = entry.home.definition.maximumExecutionMilliseconds
        let isWatched = entry.isShort || limit > 0 || !entry.home.definition.rules.isEmpty
        guard isWatched else { return }
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
            case .outgrew(let number):
                if let entry = state.scheduler.entries[number] { entry.ticket?.share.change(level: level(entry)) }
            case .timedOut(let number): hop(number, now, .timeLimit)
            }
        }
        if hasRules { evaluateRules(now) }
        deliver()
        var next = state.scheduler.nextDeadlineNanoseconds ?? .max
        if hasRules, state.scheduler.entries.values.contains(where: { $0.ticket != nil }) {
            next = min(next, now + WorkloadManager.ruleNanoseconds)
        }
        state.nextLook = next == .max ? .max : max(next, now + WorkloadManager.grain)
    }

    /// The statement goes into its next queue, in one way or the other, or ends for this reason.
    ///
    /// - Returns: what became of it.
    @discardableResult
    func hop(_ number: Int, _ now: Int64, _ reason: AdmissionTicket.Verdict) -> String {
        guard let entry = state.scheduler.entries[number], let ticket = entry.ticket else { return "none" }
        if case .timeLimit = reason, ticket.isReturning {
            entry.isSpared = true
            return "none"
        }
        if entry.request.kind.canHop {
            switch state.scheduler.hop(number, at: now) {
            case .reassigned:
                ticket.share.change(level: level(entry))
                return "hop(reassign)"
            case .restart:
                guard ticket.willRestart(after: entry.home.id) else { return "none" }
                ticket.cancellation.cancel(.queueHop)
                return "hop(restart)"
            case .nowhere: break
            }
        }
        // Time limits leave alone who is sending rows.
        if case .timeLimit = reason, !ticket.willEnd(reason, sparesReturning: true) {
            entry.isSpared = true
            return "none"
        }
        end(ticket, reason)
        return "abort"
    }

    func end(_ ticket: AdmissionTicket, _ verdict: AdmissionTicket.Verdict) {
        _ = ticket.willEnd(verdict, sparesReturning: false)
        ticket.cancellation.cancel(.queryMonitoring)
    }
}
