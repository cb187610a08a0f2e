/// Runs a workload in simulated time: the warehouse's own ``Scheduler`` decides, a model of the cores does the work.
/// Nothing sleeps, and the same workload gives the same report. Belongs to one thread.
package final class Simulation {
    enum Phase: Sendable {
        case ahead
        case waiting
        case running
        /// It waits for a lock.
        case suspended
        case ended
    }
    /// What has become of a statement so far.
    struct Course: Sendable {
        var phase = Phase.ahead
        /// As the scheduler knows it.
        var number = 0
        var submitted = 0.0
        var waitingSince = 0.0
        var waited = 0.0
        var hasStarted = false
        /// It has been put in line, among those of this priority and pool.
        var isLined = false
        var isReturning = false
        var pool = 0
        var priority = QueryPriority.normal
        /// In the report: where it first waited.
        var queue = 0
        /// Up to its lock, or its end.
        var work = 0.0
        var workBehindLock = 0.0
        /// The next one of its stream, or -1.
        var successor = -1
    }
    private enum Event: Int {
        case arrival
        case lockIsFree
        case patienceIsOver
        static let count = 3
    }

    private(set) var scheduler: Scheduler
    private let statements: [SimulatedStatement]
    private var courses: [Course]
    private var cores: CoreSharing
    private var events = EventHeap()
    private var statementByNumber: [Int: Int] = [:]
    private var report: SimulationReport
    private var audit: SimulationAudit
    private var now = 0.0
    /// Whom the present event has put in line.
    private var newcomers: [Int] = []
    /// When time limits and the lane of short queries are looked at; nil: nothing that runs has any.
    private var nextLook: Double?
    /// Looks are at least so far apart, as the warehouse's own.
    private static let grainNanoseconds = 20e6
    /// No statement outgrows the lane of short queries before that.
    private static let laneNanoseconds = 250e6
    private static let eventsBetweenAudits = 512

    package init(_ workload: SimulatedWorkload, _ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) {
        scheduler = Scheduler(configuration, machine)
        var all = workload.arrivals
        all.reserveCapacity(workload.count)
        var courses = [Course](repeating: Course(), count: workload.count)
        for index in all.indices {
            events.push(Double(all[index].arrivalNanoseconds), index * Event.count + Event.arrival.rawValue)
        }
        for stream in workload.streams where !stream.isEmpty {
            let first = all.count
            all += stream
            for index in first..<all.count - 1 { courses[index].successor = index + 1 }
            events.push(Double(all[first].arrivalNanoseconds), first * Event.count + Event.arrival.rawValue)
        }
        statements = all
        self.courses = courses
        cores = CoreSharing(cores: machine.cores, statements: all.count)
        report = SimulationReport(scheduler.classes.all, cores: machine.cores)
        audit = SimulationAudit(scheduler, mostSlots: all.reduce(1) { max($0, $1.request.slotCount) })
    }

    // MARK: Time

    /// - Parameter end: breaks off at this moment; nil: when all statements have ended.
    package func run(until end: Double? = nil) -> SimulationReport {
        var count = 0
        while now < end ?? .infinity, step() {
            count += 1
            if count % Simulation.eventsBetweenAudits == 0 { audit.look(at: scheduler) }
        }
        if end == nil {
            audit.end(scheduler, statements: statements.count, ended: report.ended)
        } else {
            audit.look(at: scheduler)
            report.nanoseconds = now
        }
        report.busyNanoseconds = cores.busyCoreNanoseconds
        report.events = count
        report.figures(of: scheduler)
        report.turns = audit.turns
        report.faults = audit.faults
        return report
    }

    /// The next thing that happens; false: nothing will happen any more.
    private func step() -> Bool {
        let completion = cores.next()
        let event = events.firstMoment ?? .infinity
        let end = completion?.moment ?? .infinity
        let look = nextLook ?? .infinity
        let moment = max(min(event, end, look), now)
        guard moment.isFinite else { return false }
        if audit.waitingCount > 0 { report.contendedNanoseconds += moment - now }
        let busyBefore = cores.busyCoreNanoseconds
        cores.advance(to: moment)
        if audit.waitingCount > 0 { report.contendedBusyNanoseconds += cores.busyCoreNanoseconds - busyBefore }
        now = moment
        if let completion, end <= event, end <= look {
            complete(completion.statement)
        } else if event <= look, let payload = events.firstPayload {
            events.removeFirst()
            happen(Event(rawValue: payload % Event.count) ?? .arrival, payload / Event.count)
        } else {
            lookAtLimits()
        }
        begin()
        return true
    }

    /// Queues that never empty go on past the end of time.
    private var clock: Int64 { Int64(min(now.rounded(.up), 4e18)) }

    private func happen(_ event: Event, _ index: Int) {
        switch event {
        case .arrival:
            courses[index].submitted = now
            courses[index].work = Double(statements[index].workNanoseconds)
            if statements[index].patienceNanoseconds > 0 {
                let end = now + Double(statements[index].patienceNanoseconds)
                events.push(end, index * Event.count + Event.patienceIsOver.rawValue)
            }
            submit(index, after: nil)
        case .lockIsFree:
            guard courses[index].phase == .suspended else { return }
            courses[index].isReturning = true
            wait(index)
            scheduler.resume(courses[index].number, at: clock)
        case .patienceIsOver:
            if courses[index].phase == .ended { return }
            report.cancelled += 1
            end(index, used: nil)
        }
    }

    // MARK: Statements

    private func submit(_ index: Int, after queue: Int?) {
        let lock = statements[index].lockNanoseconds
        courses[index].workBehindLock = lock > 0 ? courses[index].work * 0.9 : 0
        courses[index].work -= courses[index].workBehindLock
        let number: Int
        do { number = try scheduler.submit(statements[index].request, at: clock, after: queue) } catch {
            report.refused += 1
            courses[index].phase = .ended
            report.ended += 1
            return follow(index)
        }
        courses[index].number = number
        statementByNumber[number] = index
        guard let entry = scheduler.entries[number] else { return }
        if !courses[index].hasStarted { courses[index].queue = report.index(of: entry.lane.id) }
        courses[index].priority = entry.priority
        courses[index].pool = audit.pool(of: entry.lane)
        wait(index)
    }

    private func wait(_ index: Int) {
        courses[index].phase = .waiting
        courses[index].waitingSince = now
        audit.waitingCount += 1
        newcomers.append(index)
    }

    /// Those whose turn has come, and then who is left in line.
    private func begin() {
        for number in scheduler.takeStarts() {
            guard let index = statementByNumber[number], let entry = scheduler.entries[number],
                courses[index].phase == .waiting
            else {
                audit.note("a statement started that did not wait")
                continue
            }
            audit.waitingCount -= 1
            audit.runningCount += 1
            courses[index].phase = .running
            courses[index].waited += now - courses[index].waitingSince
            courses[index].hasStarted = true
            audit.started(number, entry, courses[index], scheduler)
            courses[index].isLined = false
            courses[index].isReturning = false
            run(index, entry)
        }
        for index in newcomers where courses[index].phase == .waiting {
            courses[index].isLined = true
            audit.lined(courses[index])
        }
        newcomers.removeAll(keepingCapacity: true)
        audit.hasOutgrown = false
    }

    private func run(_ index: Int, _ entry: Scheduler.Entry) {
        cores.add(
            index, work: courses[index].work, level: entry.isShort ? .critical : entry.priority,
            cores: statements[index].cores)
        let limit = Double(entry.home.definition.maximumExecutionMilliseconds) * 1e6
        guard entry.isShort || limit > 0 else { return }
        var moment = now + max(limit, Simulation.grainNanoseconds)
        if entry.isShort { moment = min(moment, now + Simulation.laneNanoseconds) }
        nextLook = min(nextLook ?? moment, moment)
    }

    /// It has done its work up to here.
    private func complete(_ index: Int) {
        _ = cores.remove(index)
        guard courses[index].workBehindLock > 0 else {
            report.completed += 1
            return end(index, used: statements[index].workNanoseconds)
        }
        courses[index].work = courses[index].workBehindLock
        courses[index].workBehindLock = 0
        courses[index].phase = .suspended
        audit.runningCount -= 1
        scheduler.suspend(courses[index].number, at: clock)
        let free = now + Double(statements[index].lockNanoseconds)
        events.push(free, index * Event.count + Event.lockIsFree.rawValue)
    }

    private func end(_ index: Int, used: Int64?) {
        leave(index)
        let course = courses[index]
        courses[index].phase = .ended
        report.add(course, at: now)
        scheduler.finish(course.number, at: clock, used: used)
        follow(index)
    }

    /// It is neither in line nor on the cores from here on.
    private func leave(_ index: Int) {
        switch courses[index].phase {
        case .running:
            _ = cores.remove(index)
            audit.runningCount -= 1
        case .waiting:
            audit.waitingCount -= 1
            courses[index].waited += now - courses[index].waitingSince
            if courses[index].isLined { audit.left(courses[index]) }
            courses[index].isLined = false
        case .ahead, .suspended, .ended: break
        }
        statementByNumber[courses[index].number] = nil
    }

    private func follow(_ index: Int) {
        let next = courses[index].successor
        guard next >= 0 else { return }
        events.push(now + Double(statements[next].arrivalNanoseconds), next * Event.count + Event.arrival.rawValue)
    }

    // MARK: Limits

    private func lookAtLimits() {
        for expiry in scheduler.expire(at: clock) {
            switch expiry {
            case .outgrew(let number):
                audit.hasOutgrown = true
                move(number)
            case .timedOut(let number): timeOut(number)
            }
        }
        nextLook = scheduler.nextDeadlineNanoseconds.map { max(Double($0), now + Simulation.grainNanoseconds) }
    }

    /// It goes on with another share of the cores.
    private func move(_ number: Int) {
        guard let index = statementByNumber[number], let entry = scheduler.entries[number] else { return }
        courses[index].work = cores.remove(index)
        courses[index].priority = entry.priority
        courses[index].pool = audit.pool(of: entry.lane)
        run(index, entry)
    }

    private func timeOut(_ number: Int) {
        guard let index = statementByNumber[number], let entry = scheduler.entries[number] else { return }
        let hop = entry.request.kind.canHop ? scheduler.hop(number, at: clock) : .nowhere
        switch hop {
        case .reassigned:
            report.hopped += 1
            move(number)
        case .restart:
            report.hopped += 1
            leave(index)
            scheduler.finish(number, at: clock)
            courses[index].work = Double(statements[index].workNanoseconds)
            submit(index, after: entry.home.id)
        case .nowhere:
            report.timedOut += 1
            end(index, used: nil)
        }
    }
}
