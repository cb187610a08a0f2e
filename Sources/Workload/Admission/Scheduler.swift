/// Who runs, and who waits for whom: the decisions of workload management. Time comes with each call, and what was
/// decided is fetched by ``takeStarts()``, so that a simulator can drive it as the warehouse does. Belongs to one
/// thread at a time.
///
/// Nearly all statements find a slot free, so that way takes no more than a few counters and one entry of a table.
///
/// Manual queues have slots. Automatic queues share the machine: as many statements at a time as it can use, while
/// their estimates fit into memory. Within a priority who came first is first; among priorities ``PriorityTurns``
/// decides. Statements that are predicted to be short have a lane of their own, and where a queue scales out, extra
/// slots take who would wait.
package final class Scheduler {
    package enum State: Sendable, Hashable {
        case waiting
        case running
        /// It has given its slots back while it waits for a lock.
        case suspended
    }
    /// What a scheduler finds out of a statement when it comes.
    struct Arrival {
        var request: AdmissionRequest
        var home: ServiceClass
        var lane: ServiceClass
        var priority: QueryPriority
        var slots: Int
        var arrivedNanoseconds: Int64
        var sequence: Int
    }
    /// A statement that has been submitted and has not ended. Belongs to its scheduler. Who runs statements makes it a
    /// subclass of its own, so that there is one object for each of them.
    package class Entry {
        package internal(set) var request: AdmissionRequest
        /// Where it belongs.
        package internal(set) var home: ServiceClass
        /// Where it is: its home, or the lane of short queries.
        package internal(set) var lane: ServiceClass
        package internal(set) var state = State.waiting
        package internal(set) var priority: QueryPriority
        package internal(set) var slots: Int
        package internal(set) var isScaledOut = false
        package let arrivedNanoseconds: Int64
        /// nil until it has run for the first time.
        package internal(set) var startedNanoseconds: Int64?
        /// When it came into its present lane as one that runs.
        package internal(set) var laneNanoseconds: Int64
        /// Since its start, waiting for locks and then for slots again; the last such wait apart, while that lasts.
        var pausedNanoseconds: Int64 = 0
        var pauseNanoseconds: Int64?
        /// The queue's time limit does not hold any more.
        var isSpared = false
        package internal(set) var wasEvicted = false
        package let sequence: Int
        /// Of whoever runs it, while that is let in; nobody's in a simulation.
        var ticket: AdmissionTicket? { nil }

        init(_ arrival: Arrival) {
            request = arrival.request
            home = arrival.home
            lane = arrival.lane
            priority = arrival.priority
            slots = arrival.slots
            arrivedNanoseconds = arrival.arrivedNanoseconds
            laneNanoseconds = arrival.arrivedNanoseconds
            sequence = arrival.sequence
        }

        package var isShort: Bool { lane.role == .short }
        /// How long it has run, without all its waiting.
        package func ranNanoseconds(at now: Int64) -> Int64 {
            guard let startedNanoseconds else { return 0 }
            return max((pauseNanoseconds ?? now) - startedNanoseconds - pausedNanoseconds, 0)
        }
        /// What its operators may use; nil: its share of what is free.
        package var memoryBytes: Int? { lane.memoryBytesPerSlot.map { $0 * slots } }
    }
    /// What a lane has seen.
    package struct Figures: Sendable, Hashable {
        package var queued = 0
        package var executing = 0
        package var serviced = 0
        package var executed = 0
        package var evicted = 0
        package var scaledOut = 0
        /// Gone on in another queue, as they were.
        package var hopped = 0
    }
    struct Lane {
        var usedSlots = 0
        var figures = Figures()
        var line = WaitingLine()
        var turns = PriorityTurns()
    }

    package private(set) var configuration: WorkloadConfiguration
    package private(set) var classes: ServiceClasses
    package private(set) var machine: WorkloadMachine
    package internal(set) var entries: [Int: Entry] = [:]
    /// By ``ServiceClass/index``.
    var lanes: [Lane]
    /// Turns among all automatic queues.
    private var turns = PriorityTurns()
    /// Of all automatic queues, which share their slots.
    private var automaticQueued = 0
    private var automaticSlots = 0
    private var automaticBytes = 0
    private var scaledOut = 0
    private(set) var history = ShortQueryHistory()
    private var nextSequence = 1
    private var starts: [Int] = []

    package init(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) {
        self.configuration = configuration
        self.machine = machine
        classes = ServiceClasses(configuration, machine)
        lanes = classes.all.map { _ in Lane() }
    }

    // MARK: Coming and going

    /// A statement wants to run; ``takeStarts()`` says when it may.
    ///
    /// - Parameters:
    ///   - previous: the queue that it has been hopped out of.
    package func submit(
        _ request: AdmissionRequest, at now: Int64, after previous: Int? = nil
    ) throws(AdmissionRefusal) -> Int {
        try enter(request, at: now, after: previous, Entry.init).sequence
    }

    func enter<Made: Entry>(
        _ request: AdmissionRequest, at now: Int64, after previous: Int? = nil, _ make: (Arrival) -> Made
    ) throws(AdmissionRefusal) -> Made {
        let home = previous.flatMap { classes.next(after: $0, for: request) } ?? classes.home(of: request)
        var slots = home.role == .manual ? max(request.slotCount, 1) : 1
        // Who is led into a smaller queue did not ask for it.
        if previous != nil, let limit = home.slots { slots = min(slots, limit) }
        if let limit = home.slots, slots > limit {
            throw AdmissionRefusal(
                message: "wlm_query_slot_count is \(slots), but queue \"\(home.name)\" has \(limit) slots",
                hint: "Set wlm_query_slot_count to at most \(limit).")
        }
        let entry = make(
            Arrival(
                request: request, home: home, lane: isShort(request, home) ? classes.short : home,
                priority: request.priority ?? home.definition.priority, slots: slots, arrivedNanoseconds: now,
                sequence: nextSequence))
        nextSequence += 1
        entries[entry.sequence] = entry
        enqueue(entry, at: now)
        return entry
    }

    /// It has ended, or gives up waiting.
    ///
    /// - Parameters:
    ///   - used: processor time; what is short does not depend on how busy the machine is.
    ///   - isComplete: what it took tells how long such statements take.
    package func finish(_ number: Int, at now: Int64, used: Int64? = nil, isComplete: Bool = true) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        switch entry.state {
        case .waiting: changeQueued(entry.lane, by: -1)
        case .suspended: break
        case .running:
            release(entry)
            lanes[entry.lane.index].figures.executed += 1
        }
        if isComplete, entry.startedNanoseconds != nil, entry.request.kind.canBeShort {
            history.add(used ?? entry.ranNanoseconds(at: now))
        }
        startWaiting(entry.lane, at: now)
    }

    /// Those who may run now, in the order of their turns; each is told once.
    package func takeStarts() -> [Int] {
        if starts.isEmpty { return [] }
        defer { starts.removeAll(keepingCapacity: true) }
        return starts
    }

    /// The same without a list.
    func takeStarts(_ body: (Int) -> Void) {
        if starts.isEmpty { return }
        for start in starts { body(start) }
        starts.removeAll(keepingCapacity: true)
    }

    // MARK: Short queries

    /// What counts as short at present.
    package var shortLimitNanoseconds: Int64 {
        let fixed = configuration.shortQueries.maximumMilliseconds
        return fixed > 0 ? fixed * 1_000_000 : history.limitNanoseconds
    }

    /// How long a statement may be in the lane: where the machine is busy it takes longer than it uses.
    var laneLimitNanoseconds: Int64 {
        let isFixed = configuration.shortQueries.maximumMilliseconds > 0
        return isFixed ? shortLimitNanoseconds : max(shortLimitNanoseconds, Scheduler.leastLaneNanoseconds)
    }
    private static let leastLaneNanoseconds: Int64 = 250_000_000

    private func isShort(_ request: AdmissionRequest, _ home: ServiceClass) -> Bool {
        guard configuration.shortQueries.isOn, request.kind.canBeShort, request.slotCount <= 1,
            home.role == .manual || home.role == .automatic, let predicted = request.predictedNanoseconds
        else { return false }
        return predicted <= shortLimitNanoseconds
    }

    // MARK: Waiting and starting

    func enqueue(_ entry: Entry, at now: Int64) {
        let lane = entry.lane
        lanes[lane.index].figures.serviced += 1
        if !hasWaiting(lane), fits(entry) { return start(entry, at: now, scaledOut: false) }
        wait(entry)
        startWaiting(lane, at: now)
    }

    /// In its line: who had a slot before is next, whatever becomes of priorities and queues meanwhile.
    func wait(_ entry: Entry) {
        changeQueued(entry.lane, by: 1)
        if entry.startedNanoseconds == nil {
            lanes[entry.lane.index].line.append(entry.sequence, entry.priority)
            arrive(entry)
        } else {
            lanes[entry.lane.index].line.appendReturning(entry.sequence)
        }
    }

    func arrive(_ entry: Entry) { changeTurns(of: entry.lane) { $0.arrive(entry.priority) } }

    /// Automatic queues have their turns together.
    private func changeTurns<Result>(of lane: ServiceClass, _ body: (inout PriorityTurns) -> Result) -> Result {
        lane.role == .automatic ? body(&turns) : body(&lanes[lane.index].turns)
    }

    func changeQueued(_ lane: ServiceClass, by difference: Int) {
        lanes[lane.index].figures.queued += difference
        if lane.role == .automatic { automaticQueued += difference }
    }

    /// In this queue, or in those that share their slots with it.
    private func hasWaiting(_ lane: ServiceClass) -> Bool {
        (lane.role == .automatic ? automaticQueued : lanes[lane.index].figures.queued) > 0
    }

    /// Starts all whose turn it is and for whom there is room.
    func startWaiting(_ lane: ServiceClass, at now: Int64) {
        while hasWaiting(lane) {
            guard let entry = nextWaiting(lane.role == .automatic ? classes.queues : [lane]) else { return }
            let hasRoom = fits(entry)
            guard hasRoom || canScaleOut(entry) else { return }
            changeQueued(entry.lane, by: -1)
            start(entry, at: now, scaledOut: !hasRoom)
        }
    }

    /// Whose turn it is: those who had slots before, then by priority.
    private func nextWaiting(_ pool: [ServiceClass]) -> Entry? {
        var returned: Int?
        for lane in pool {
            let first = lanes[lane.index].line.firstReturning { entries[$0]?.state == .waiting }
            if let first { returned = min(returned ?? first, first) }
        }
        if let returned { return entries[returned] }
        var firsts: [QueryPriority: Int] = [:]
        let priorities =
            pool.first?.role == .automatic && isCriticalRunning
            ? QueryPriority.allCases.filter { $0 != .critical } : QueryPriority.allCases
        for lane in pool {
            for priority in priorities {
                let first = lanes[lane.index].line.first(priority) { number in
                    guard let entry = entries[number] else { return false }
                    return entry.state == .waiting && entry.priority == priority && entry.lane.id == lane.id
                }
                if let first { firsts[priority] = min(firsts[priority] ?? first, first) }
            }
        }
        guard let first = pool.first else { return nil }
        let waiting = QueryPriority.allCases.filter { firsts[$0] != nil }
        guard let priority = changeTurns(of: first, { $0.next(of: waiting) }) else { return nil }
        return firsts[priority].flatMap { entries[$0] }
    }

    /// Whether its lane has room for it now.
    private func fits(_ entry: Entry) -> Bool {
        let lane = entry.lane
        switch lane.role {
        case .maintenance: return true
        case .superuser, .manual, .short: return lanes[lane.index].usedSlots + entry.slots <= lane.slots ?? .max
        case .automatic:
            if automaticSlots == 0 { return true }
            // Who comes back from a lock has had its turn.
            if entry.priority == .critical, entry.startedNanoseconds == nil, isCriticalRunning { return false }
            return automaticSlots < machine.automaticSlots
                && automaticBytes + claim(entry.request) <= machine.memoryBytes
        }
    }
    private var isCriticalRunning: Bool {
        running.contains { $0.priority == .critical && $0.lane.role == .automatic }
    }
    var running: some Sequence<Entry> { entries.values.lazy.filter { $0.state == .running } }

    /// Of its estimate, what counts: estimates are rough, so no statement alone keeps out more than three others.
    private func claim(_ request: AdmissionRequest) -> Int {
        min(max(request.estimatedBytes, 0), machine.memoryBytes / 5)
    }

    private func canScaleOut(_ entry: Entry) -> Bool {
        entry.home.definition.scalesOut && entry.request.kind.canBeShort && entry.slots == 1
            && entry.lane.role != .short && scaledOut < machine.scalingClusters * machine.slotsPerCluster
    }

    private func start(_ entry: Entry, at now: Int64, scaledOut isScaledOut: Bool) {
        entry.isScaledOut = isScaledOut
        if entry.startedNanoseconds == nil { entry.startedNanoseconds = now }
        entry.laneNanoseconds = now
        if let pause = entry.pauseNanoseconds {
            entry.pausedNanoseconds += now - pause
            entry.pauseNanoseconds = nil
        }
        if isScaledOut { lanes[entry.lane.index].figures.scaledOut += 1 }
        take(entry)
        changeTurns(of: entry.lane) { $0.pay(entry.priority) }
        starts.append(entry.sequence)
    }

    /// It runs in its lane from here on.
    func take(_ entry: Entry) {
        entry.state = .running
        lanes[entry.lane.index].figures.executing += 1
        if entry.isScaledOut {
            scaledOut += 1
        } else {
            occupy(entry, 1)
        }
    }

    /// It does not run any more, or not in this lane.
    func release(_ entry: Entry) {
        lanes[entry.lane.index].figures.executing -= 1
        if entry.isScaledOut {
            scaledOut -= 1
        } else {
            occupy(entry, -1)
        }
    }

    /// Slots and memory: taken with 1, given back with -1.
    private func occupy(_ entry: Entry, _ sign: Int) {
        lanes[entry.lane.index].usedSlots += sign * entry.slots
        guard entry.lane.role == .automatic else { return }
        automaticSlots += sign * entry.slots
        automaticBytes += sign * claim(entry.request)
    }

    // MARK: Configurations

    /// Another configuration from now on. Who runs goes on; who waits is led into the new queues, in the order of
    /// arrival.
    package func configure(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine, at now: Int64) {
        let all = entries.values.sorted { $0.sequence < $1.sequence }
        let figures = Dictionary(
            zip(classes.all.map(\.id), lanes.map(\.figures)), uniquingKeysWith: { first, _ in first })
        self.configuration = configuration
        self.machine = machine
        classes = ServiceClasses(configuration, machine)
        turns = PriorityTurns()
        (automaticQueued, automaticSlots, automaticBytes, scaledOut) = (0, 0, 0, 0)
        lanes = classes.all.map { queue in
            var lane = Lane()
            lane.figures = figures[queue.id] ?? Figures()
            lane.figures.queued = 0
            lane.figures.executing = 0
            return lane
        }
        for entry in all where entry.state == .running { settle(entry) }
        for entry in all where entry.state != .running { lead(entry, at: now) }
    }

    /// A running statement keeps its place where that is still there, and else belongs where it would come now.
    private func settle(_ entry: Entry) {
        let isShort = entry.isShort
        entry.home = classes[entry.home.id] ?? classes.home(of: entry.request)
        entry.lane = isShort ? classes.short : entry.home
        entry.slots = entry.home.role == .manual ? entry.slots : 1
        if entry.request.priority == nil { entry.priority = entry.home.definition.priority }
        take(entry)
    }

    private func lead(_ entry: Entry, at now: Int64) {
        entry.home = classes.home(of: entry.request)
        entry.lane = isShort(entry.request, entry.home) ? classes.short : entry.home
        entry.slots =
            entry.home.role == .manual ? min(max(entry.request.slotCount, 1), entry.home.slots ?? 1) : 1
        entry.priority = entry.request.priority ?? entry.home.definition.priority
        if entry.state == .waiting { enqueue(entry, at: now) }
    }
}

/// Why a statement cannot be admitted at all.
package struct AdmissionRefusal: Error, Sendable, Hashable {
    package var message: String
    package var hint: String?
}
