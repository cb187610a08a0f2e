/// What a simulation has found.
package struct SimulationReport: Sendable {
    /// Statements by the queue in which they waited first.
    package struct Queue: Sendable {
        package var id: Int
        package var name: String
        package var waits = Durations()
        /// From arrival to end.
        package var times = Durations()
        package var evicted = 0
        package var scaledOut = 0
    }
    /// Starts of a priority, where queues have their turns together.
    package struct Turns: Sendable {
        package var pool: String
        package var priority: QueryPriority
        package var starts: Int
        /// While another priority waited, too.
        package var contendedStarts: Int
        /// Starts of others in a row while it had somebody waiting.
        package var mostPassedOver: Int
        package var allowedPassedOver: Int
    }

    package var cores: Int
    package var queues: [Queue]
    package var turns: [Turns] = []
    /// What is wrong; empty: nothing.
    package var faults: [String] = []
    /// They ran to their end.
    package var completed = 0
    /// By their clients.
    package var cancelled = 0
    package var timedOut = 0
    package var hopped = 0
    package var refused = 0
    package var ended = 0
    package var events = 0
    /// When the last one ended, or the simulation was broken off.
    package var nanoseconds = 0.0
    /// Processor time of all cores together.
    package var busyNanoseconds = 0.0
    /// The same, while somebody waited, and how long that was.
    package var contendedNanoseconds = 0.0
    package var contendedBusyNanoseconds = 0.0

    init(_ classes: [ServiceClass], cores: Int) {
        self.cores = max(cores, 1)
        queues = classes.map { Queue(id: $0.id, name: $0.name) }
    }

    func index(of serviceClass: Int) -> Int { queues.firstIndex { $0.id == serviceClass } ?? 0 }

    mutating func add(_ course: Simulation.Course, at now: Double) {
        ended += 1
        nanoseconds = max(nanoseconds, now)
        queues[course.queue].waits.add(course.waited)
        queues[course.queue].times.add(now - course.submitted)
    }

    mutating func figures(of scheduler: Scheduler) {
        for index in queues.indices {
            let figures = scheduler.figures(queues[index].id)
            queues[index].evicted = figures.evicted
            queues[index].scaledOut = figures.scaledOut
        }
    }

    /// Of the cores' time, what was used.
    package var utilisation: Double { share(busyNanoseconds, nanoseconds) }
    /// The same while statements waited.
    package var contendedUtilisation: Double { share(contendedBusyNanoseconds, contendedNanoseconds) }
    package var statementsPerSecond: Double { nanoseconds > 0 ? Double(completed) / nanoseconds * 1e9 : 0 }

    private func share(_ busy: Double, _ passed: Double) -> Double {
        passed > 0 ? busy / (passed * Double(cores)) : 0
    }
}
