/// Who runs, and who waits for whom: the decisions of workload management as a value. Time comes with each call, and
/// what was decided is fetched by ``takeStarts()``, so that a simulator can drive it as the warehouse does.
///
/// Manual queues have slots. Automatic queues share the machine: as many statements at a time as it can use, while
/// their estimates fit into memory. Within a priority who came first is first; among priorities ``PriorityTurns``
/// decides. Statements that are predicted to be short have a lane of their own, and where a queue scales out, extra
/// slots take who would wait.
package struct Scheduler: Sendable {
    package enum State: Sendable, Hashable {
        case waiting
        case running
        /// It has given its slots back while it waits for a lock.
        case suspended
    }
    /// A statement that has been submitted and has not ended.
    package struct Entry: Sendable {
        package var request: AdmissionRequest
        /// Where it belongs.
        package var home: ServiceClass
        /// Where it is: its home, or the lane of short queries.
        package var lane: ServiceClass
        package var state = State.waiting
        package var priority: QueryPriority
        package var slots: Int
        package var isScaledOut = false
        package var arrivedNanoseconds: Int64
        /// nil until it has run for the first time.
        package var startedNanoseconds: Int64?
        /// When it came into its present lane as one that runs.
        package var laneNanoseconds: Int64
        package var wasEvicted = false
        package var sequence: Int
        package var isShort: Bool { lane.role == .short }
        var place: WaitingLine.Place { WaitingLine.Place(statement: sequence, sequence: sequence) }
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
    }
    struct Lane: Sendable {
        var usedSlots = 0
        var figures = Figures()
        var line = WaitingLine()
        var turns = PriorityTurns()
    }

    package private(set) var configuration: WorkloadConfiguration
    package private(set) var classes: ServiceClasses
    package private(set) var machine: WorkloadMachine
    package internal(set) var entries: [Int: Entry] = [:]
    /// Those of them that run.
    var running: Set<Int> = []
    var lanes: [Int: Lane] = [:]
    /// Turns among all automatic queues.
    var turns = PriorityTurns()
    var automaticBytes = 0
    var scaledOut = 0
    private(set) var history = ShortQueryHistory()
    private var nextSequence = 1
    private var starts: [Int] = []

    package init(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) {
        self.configuration = configuration
        self.machine = machine
        classes = ServiceClasses(configuration, machine)
        for queue in classes.all { lanes[queue.id] = Lane() }
    }

    // MARK: Coming and going

    /// A statement wants to run; ``takeStarts()`` says when it may.
    ///
    /// - Parameters:
    ///   - previous: the queue that it has been hopped out of.
    package mutating func submit(
        _ request: AdmissionRequest, at now: Int64, after previous: Int? = nil
    ) throws(AdmissionRefusal) -> Int {
        let home = previous.flatMap { classes.next(after: $0, for: request) } ?? classes.home(of: request)
        let slots = home.role == .manual ? max(request.slotCount, 1) : 1
        if let limit = home.slots, slots > limit {
            throw AdmissionRefusal(
                message: "wlm_query_slot_count is \(slots), but queue \"\(home.name)\" has \(limit) slots",
                hint: "Set wlm_query_slot_count to at most \(limit).")
        }
        let lane = isShort(request, home) ? classes.short : home
        let number = nextSequence
        nextSequence += 1
        let priority = request.priority ?? home.definition.priority
        entries[number] = Entry(
            request: request, home: home, lane: lane, priority: priority, slots: slots, arrivedNanoseconds: now,
            laneNanoseconds: now, sequence: number)
        enqueue(number, at: now)
        return number
    }

    /// It has ended, or gives up waiting.
    ///
    /// - Parameter used: processor time; what is short does not depend on how busy the machine is.
    package mutating func finish(_ number: Int, at now: Int64, used: Int64? = nil) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        switch entry.state {
        case .waiting: lanes[entry.lane.id]?.figures.queued -= 1
        case .suspended: break
        case .running:
            release(entry)
            lanes[entry.lane.id]?.figures.executed += 1
        }
        if let started = entry.startedNanoseconds, entry.request.kind.canBeShort { history.add(used ?? now - started) }
        startWaiting(entry.lane, at: now)
    }

    /// Those who may run now, in the order of their turns; each is told once.
    package mutating func takeStarts() -> [Int] {
        if starts.isEmpty { return [] }
        defer { starts = [] }
        return starts
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

    mutating func enqueue(_ number: Int, at now: Int64) {
        guard let entry = entries[number] else { return }
        let lane = entry.lane
        lanes[lane.id]?.figures.serviced += 1
        if !hasWaiting(pool(lane)), fits(entry) {
            return start(number, at: now, scaledOut: false)
        }
        lanes[lane.id]?.figures.queued += 1
        lanes[lane.id]?.line.append(entry.place, entry.priority)
        arrive(entry)
        startWaiting(lane, at: now)
    }

    mutating func arrive(_ entry: Entry) { changeTurns(of: entry.lane) { $0.arrive(entry.priority) } }

    /// Automatic queues have their turns together.
    private mutating func changeTurns<Result>(
        of lane: ServiceClass, _ body: (inout PriorityTurns) -> Result
    ) -> Result {
        lane.role == .automatic ? body(&turns) : body(&lanes[lane.id, default: Lane()].turns)
    }

    /// Queues that share their slots with this one.
    private func pool(_ lane: ServiceClass) -> [ServiceClass] { lane.role == .automatic ? classes.queues : [lane] }
    private func hasWaiting(_ pool: [ServiceClass]) -> Bool {
        pool.contains { (lanes[$0.id]?.figures.queued ?? 0) > 0 }
    }

    /// Starts all whose turn it is and for whom there is room.
    mutating func startWaiting(_ lane: ServiceClass, at now: Int64) {
        let pool = pool(lane)
        while hasWaiting(pool) {
            guard let number = nextWaiting(pool), let entry = entries[number] else { return }
            let hasRoom = fits(entry)
            guard hasRoom || canScaleOut(entry) else { return }
            lanes[entry.lane.id]?.figures.queued -= 1
            start(number, at: now, scaledOut: !hasRoom)
        }
    }

    /// Whose turn it is: those who had slots before, then by priority.
    private mutating func nextWaiting(_ pool: [ServiceClass]) -> Int? {
        let entries = self.entries
        var returned: WaitingLine.Place?
        for lane in pool {
            let place = lanes[lane.id]?.line.firstReturning { entries[$0.statement]?.state == .waiting }
            if let place, returned.map({ place.sequence < $0.sequence }) ?? true { returned = place }
        }
        if let returned { return returned.statement }
        var firsts: [QueryPriority: WaitingLine.Place] = [:]
        for lane in pool {
            for priority in QueryPriority.allCases {
                let place = lanes[lane.id]?.line.first(priority) { place in
                    guard let entry = entries[place.statement] else { return false }
                    return entry.state == .waiting && entry.priority == priority && entry.lane.id == lane.id
                }
                guard let place else { continue }
                if firsts[priority].map({ place.sequence < $0.sequence }) ?? true { firsts[priority] = place }
            }
        }
        guard let first = pool.first else { return nil }
        let waiting = QueryPriority.allCases.filter { firsts[$0] != nil }
        return changeTurns(of: first) { $0.next(of: waiting) }.flatMap { firsts[$0]?.statement }
    }

    /// Whether its lane has room for it now.
    private func fits(_ entry: Entry) -> Bool {
        let lane = entry.lane
        switch lane.role {
        case .maintenance: return true
        case .superuser, .manual, .short:
            return (lanes[lane.id]?.usedSlots ?? 0) + entry.slots <= lane.slots ?? .max
        case .automatic:
            let executing = classes.queues.reduce(0) { $0 + (lanes[$1.id]?.usedSlots ?? 0) }
            if executing == 0 { return true }
            if entry.priority == .critical, isCriticalRunning { return false }
            return executing < machine.automaticSlots
                && automaticBytes + claim(entry.request) <= machine.memoryBytes
        }
    }
    private var isCriticalRunning: Bool {
        running.contains { entries[$0]?.priority == .critical && entries[$0]?.lane.role == .automatic }
    }

    /// Of its estimate, what counts: estimates are rough, so no statement alone keeps out more than three others.
    private func claim(_ request: AdmissionRequest) -> Int {
        min(max(request.estimatedBytes, 0), machine.memoryBytes / 5)
    }

    private func canScaleOut(_ entry: Entry) -> Bool {
        entry.home.definition.scalesOut && entry.request.kind.canBeShort && entry.slots == 1
            && entry.lane.role != .short && scaledOut < machine.scalingClusters * machine.slotsPerCluster
    }

    private mutating func start(_ number: Int, at now: Int64, scaledOut isScaledOut: Bool) {
        guard var entry = entries[number] else { return }
        entry.state = .running
        entry.isScaledOut = isScaledOut
        if entry.startedNanoseconds == nil { entry.startedNanoseconds = now }
        entry.laneNanoseconds = now
        entries[number] = entry
        running.insert(number)
        lanes[entry.lane.id]?.figures.executing += 1
        if isScaledOut {
            scaledOut += 1
            lanes[entry.lane.id]?.figures.scaledOut += 1
        } else {
            take(entry)
        }
        changeTurns(of: entry.lane) { $0.pay(entry.priority) }
        starts.append(number)
    }

    mutating func take(_ entry: Entry) {
        lanes[entry.lane.id]?.usedSlots += entry.slots
        if entry.lane.role == .automatic { automaticBytes += claim(entry.request) }
    }

    mutating func release(_ entry: Entry) {
        running.remove(entry.sequence)
        lanes[entry.lane.id]?.figures.executing -= 1
        if entry.isScaledOut {
            scaledOut -= 1
            return
        }
        lanes[entry.lane.id]?.usedSlots -= entry.slots
        if entry.lane.role == .automatic { automaticBytes -= claim(entry.request) }
    }

    // MARK: Configurations

    /// Another configuration from now on. Who runs goes on; who waits is led into the new queues, in the order of
    /// arrival.
    package mutating func configure(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine, at now: Int64) {
        let running = entries.values.filter { $0.state == .running }
        self.running = []
        let waiting = entries.values.filter { $0.state != .running }.sorted { $0.sequence < $1.sequence }
        let figures = lanes.mapValues(\.figures)
        self.configuration = configuration
        self.machine = machine
        classes = ServiceClasses(configuration, machine)
        lanes = [:]
        turns = PriorityTurns()
        (automaticBytes, scaledOut) = (0, 0)
        for queue in classes.all {
            lanes[queue.id] = Lane()
            lanes[queue.id]?.figures = figures[queue.id] ?? Figures()
            lanes[queue.id]?.figures.queued = 0
            lanes[queue.id]?.figures.executing = 0
        }
        for entry in running { settle(entry) }
        for entry in waiting { lead(entry, at: now) }
    }

    /// A running statement keeps its place where that is still there, and else belongs where it would come now.
    private mutating func settle(_ old: Entry) {
        var entry = old
        entry.home = classes[old.home.id] ?? classes.home(of: old.request)
        entry.lane = old.isShort ? classes.short : entry.home
        entry.slots = entry.home.role == .manual ? entry.slots : 1
        if old.request.priority == nil { entry.priority = entry.home.definition.priority }
        entries[entry.sequence] = entry
        self.running.insert(entry.sequence)
        lanes[entry.lane.id]?.figures.executing += 1
        if entry.isScaledOut { scaledOut += 1 } else { take(entry) }
    }

    private mutating func lead(_ old: Entry, at now: Int64) {
        var entry = old
        entry.home = classes.home(of: old.request)
        entry.lane = isShort(old.request, entry.home) ? classes.short : entry.home
        entry.slots = entry.home.role == .manual ? min(max(old.request.slotCount, 1), entry.home.slots ?? 1) : 1
        entry.priority = old.request.priority ?? entry.home.definition.priority
        entries[entry.sequence] = entry
        if entry.state == .waiting { enqueue(entry.sequence, at: now) }
    }
}

/// Why a statement cannot be admitted at all.
package struct AdmissionRefusal: Error, Sendable, Hashable {
    package var message: String
    package var hint: String?
}
