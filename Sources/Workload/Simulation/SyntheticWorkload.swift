import Glibc
import Platform

/// Statements as a warehouse sees them: many short ones of dashboards, reports, a few heavy queries, loads, changes
/// that wait for locks, clients that lose patience. They come in bursts, into all queues of a configuration. The same
/// seed gives the same statements.
package struct SyntheticWorkload {
    private struct Sort {
        var share: Double
        var seconds: Double
        var spread: Double
        var cores: Int
        var kind: AdmissionRequest.Kind
        var megabytes: Int
    }
    /// By how many they are.
    private static let sorts = [
        Sort(share: 0.80, seconds: 0.05, spread: 0.8, cores: 2, kind: .select, megabytes: 4),
        Sort(share: 0.13, seconds: 2, spread: 1, cores: 8, kind: .select, megabytes: 64),
        Sort(share: 0.03, seconds: 1, spread: 1, cores: 4, kind: .change, megabytes: 32),
        Sort(share: 0.01, seconds: 5, spread: 1, cores: 16, kind: .createTableAs, megabytes: 256),
        Sort(share: 0.02, seconds: 40, spread: 0.7, cores: 128, kind: .select, megabytes: 1_024),
        Sort(share: 0.01, seconds: 20, spread: 0.7, cores: 4, kind: .load, megabytes: 128),
    ]
    /// How much busier than on the average the next minute is; their mean is 1.
    private static let bursts = [0.25, 0.5, 0.75, 1, 2.5]
    private static let burstNanoseconds = 60e9

    package var statements: Int
    package var seed: UInt64
    /// What they need of the machine's time; above 1 queues grow for ever.
    package var load: Double

    package init(statements: Int, seed: UInt64 = 1, load: Double = 0.9) {
        self.statements = statements
        self.seed = seed
        self.load = load
    }

    package func make(_ configuration: WorkloadConfiguration, _ machine: WorkloadMachine) -> SimulatedWorkload {
        var random = SeededRandom(seed: seed)
        let users = configuration.queues.map { WorkloadUser.led(into: $0) }
        let mean = SyntheticWorkload.sorts.reduce(0) { $0 + $1.share * $1.seconds }
        let gap = mean * 1e9 / (Double(machine.cores) * max(load, 0.001))
        var (now, burst, burstEnd) = (0.0, 1.0, 0.0)
        var workload = SimulatedWorkload()
        workload.arrivals.reserveCapacity(statements)
        for number in 0..<max(statements, 0) {
            if now >= burstEnd {
                burst = SyntheticWorkload.bursts[random.below(SyntheticWorkload.bursts.count)]
                burstEnd = now + SyntheticWorkload.burstNanoseconds
            }
            now += random.exponential(mean: gap / burst)
            let place = random.below(users.count)
            var statement = make(&random, number, users[place])
            if !configuration.isAutomatic, configuration.queues[place].slots > 2, random.below(100) == 0 {
                statement.request.slotCount = 2
            }
            statement.arrivalNanoseconds = Int64(now)
            workload.arrivals.append(statement)
        }
        return workload
    }

    private func make(
        _ random: inout SeededRandom, _ number: Int, _ user: (user: WorkloadUser, group: String)
    ) -> SimulatedStatement {
        var chance = random.unit()
        var sort = SyntheticWorkload.sorts[0]
        for candidate in SyntheticWorkload.sorts {
            sort = candidate
            chance -= candidate.share
            if chance < 0 { break }
        }
        let work = sort.seconds * random.logarithmicNormal(spread: sort.spread)
        var request = AdmissionRequest(
            query: number + 1, kind: sort.kind, user: user.user, queryGroup: user.group,
            estimatedBytes: sort.megabytes << 20)
        // Predictions are rough, and some are far off.
        let error = random.below(50) == 0 ? 0.02 : random.logarithmicNormal(spread: 0.4)
        request.predictedNanoseconds = Int64(work * error * 1e9)
        var statement = SimulatedStatement(
            request: request, arrivalNanoseconds: 0, workNanoseconds: max(Int64(work * 1e9), 1), cores: sort.cores)
        if sort.kind == .change, random.below(4) == 0 {
            statement.lockNanoseconds = Int64(random.exponential(mean: 1e9))
        }
        if random.below(50) == 0 { statement.patienceNanoseconds = 1 + Int64(random.exponential(mean: 10e9)) }
        return statement
    }
}

extension WorkloadUser {
    /// Somebody whose statements come into a queue, and his query group.
    static func led(into queue: QueueDefinition) -> (user: WorkloadUser, group: String) {
        func name(_ list: QueueDefinition.NameList) -> String? {
            list.names.first.map { list.hasWildcards ? String($0.map { $0 == "*" || $0 == "?" ? "x" : $0 }) : $0 }
        }
        var user = WorkloadUser(id: 100)
        if let group = name(queue.queryGroups) { return (user, group) }
        if let group = name(queue.userGroups) {
            user.groups = [group]
        } else if let role = name(queue.userRoles) {
            user.roles = [role]
        }
        return (user, "")
    }
}

extension SeededRandom {
    /// From 0 to below 1.
    package mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }
    package mutating func below(_ limit: Int) -> Int { limit > 1 ? Int(next() >> 1) % limit : 0 }
    package mutating func exponential(mean: Double) -> Double { -log(1 - unit()) * mean }
    /// With a mean of 1; larger spreads have rarer and larger values.
    package mutating func logarithmicNormal(spread: Double) -> Double {
        let normal = (-2 * log(1 - unit())).squareRoot() * cos(2 * Double.pi * unit())
        return exp(normal * spread - spread * spread / 2)
    }
}
