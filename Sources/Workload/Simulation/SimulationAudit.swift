/// Counts with the scheduler: that nothing is lost, that slots are neither exceeded nor left empty beside somebody who
/// waits, that within a priority who came first starts first, and that no priority waits for ever.
struct SimulationAudit: Sendable {
    private struct Line: Sendable {
        var waiting = 0
        /// Starts of other priorities since its last one, while it had somebody waiting.
        var passedOver = 0
        var mostPassedOver = 0
        /// Starts while another priority waited, too.
        var contendedStarts = 0
        var starts = 0
        var lastNumber = 0
    }
    private static let levels = QueryPriority.allCases.count
    private static let mostFaults = 20

    var waitingCount = 0
    var runningCount = 0
    /// Somebody has come into his own queue from the lane of short queries, whether there was room or not.
    var hasOutgrown = false
    private(set) var faults: [String] = []
    private var lines: [Line] = []
    private var poolByClass: [Int: Int] = [:]
    private var names: [String] = []
    private let mostSlots: Int

    init(_ scheduler: Scheduler, mostSlots: Int) {
        self.mostSlots = mostSlots
        // All automatic queues have their turns together.
        for queue in scheduler.classes.all {
            if queue.role == .automatic, let pool = names.firstIndex(of: SimulationAudit.automatic) {
                poolByClass[queue.id] = pool
            } else {
                poolByClass[queue.id] = names.count
                names.append(queue.role == .automatic ? SimulationAudit.automatic : queue.name)
            }
        }
        lines = [Line](repeating: Line(), count: names.count * SimulationAudit.levels)
    }
    private static let automatic = "automatic queues"

    mutating func note(_ fault: String) {
        if faults.count < SimulationAudit.mostFaults { faults.append(fault) }
    }

    // MARK: Turns

    func pool(of lane: ServiceClass) -> Int { poolByClass[lane.id] ?? 0 }

    /// Who comes back from a lock is before all others and has no part in this.
    mutating func lined(_ course: Simulation.Course) {
        if course.isReturning { return }
        let index = course.pool * SimulationAudit.levels + course.priority.rawValue
        if lines[index].waiting == 0 { lines[index].passedOver = 0 }
        lines[index].waiting += 1
    }

    mutating func left(_ course: Simulation.Course) {
        if course.isReturning { return }
        lines[course.pool * SimulationAudit.levels + course.priority.rawValue].waiting -= 1
    }

    mutating func started(
        _ number: Int, _ entry: Scheduler.Entry, _ course: Simulation.Course, _ scheduler: Scheduler
    ) {
        if let slots = entry.lane.slots, !entry.isScaledOut, !hasOutgrown, scheduler.usedSlots(entry.lane.id) > slots {
            note("\(entry.lane.name) has more than its \(slots) slots in use")
        }
        if course.isReturning { return }
        if course.isLined { left(course) }
        let first = course.pool * SimulationAudit.levels
        let own = first + course.priority.rawValue
        var isContended = false
        for index in first..<first + SimulationAudit.levels where index != own && lines[index].waiting > 0 {
            isContended = true
            lines[index].passedOver += 1
            lines[index].mostPassedOver = max(lines[index].mostPassedOver, lines[index].passedOver)
        }
        lines[own].passedOver = 0
        lines[own].starts += 1
        if isContended { lines[own].contendedStarts += 1 }
        if number < lines[own].lastNumber {
            note("\(names[course.pool]): a statement of priority \(course.priority.name) was overtaken")
        }
        lines[own].lastNumber = max(lines[own].lastNumber, number)
    }

    /// By pool and priority, the most urgent first.
    var turns: [SimulationReport.Turns] {
        var result: [SimulationReport.Turns] = []
        for pool in names.indices {
            for priority in QueryPriority.allCases.reversed() {
                let line = lines[pool * SimulationAudit.levels + priority.rawValue]
                if line.starts == 0 && line.waiting == 0 { continue }
                result.append(
                    SimulationReport.Turns(
                        pool: names[pool], priority: priority, starts: line.starts,
                        contendedStarts: line.contendedStarts, mostPassedOver: line.mostPassedOver,
                        allowedPassedOver: SimulationAudit.allowed(priority)))
            }
        }
        return result
    }

    /// Starts of others that may come before one of this priority: twice as many as their weights say.
    private static func allowed(_ priority: QueryPriority) -> Int {
        let all = QueryPriority.allCases.reduce(0) { $0 + $1.weight }
        return 2 * ((all + priority.weight - 1) / priority.weight) + levels
    }

    // MARK: Counts

    mutating func look(at scheduler: Scheduler) {
        var (queued, executing, automaticQueued, automaticExecuting) = (0, 0, 0, 0)
        for queue in scheduler.classes.all {
            let figures = scheduler.figures(queue.id)
            queued += figures.queued
            executing += figures.executing
            if queue.role == .automatic {
                automaticQueued += figures.queued
                automaticExecuting += figures.executing
            } else if let slots = queue.slots, figures.queued > 0 {
                let free = slots - scheduler.usedSlots(queue.id)
                if free >= mostSlots { note("\(queue.name) has \(free) slots free while statements wait") }
            }
        }
        if automaticQueued > 0 && automaticExecuting == 0 { note("automatic queues are idle while statements wait") }
        if queued != waitingCount { note("\(queued) statements are said to wait, and \(waitingCount) do") }
        if executing != runningCount { note("\(executing) statements are said to run, and \(runningCount) do") }
    }

    mutating func end(_ scheduler: Scheduler, statements: Int, ended: Int) {
        look(at: scheduler)
        if ended != statements { note("\(statements - ended) statements never ended") }
        if !scheduler.entries.isEmpty { note("\(scheduler.entries.count) statements are still known at the end") }
        for queue in scheduler.classes.all where scheduler.usedSlots(queue.id) != 0 {
            note("\(queue.name) has lost \(scheduler.usedSlots(queue.id)) slots")
        }
        for line in turns where line.mostPassedOver > line.allowedPassedOver {
            note(
                "\(line.pool): priority \(line.priority.name) was passed over by \(line.mostPassedOver) starts, "
                    + "\(line.allowedPassedOver) are allowed")
        }
    }
}
