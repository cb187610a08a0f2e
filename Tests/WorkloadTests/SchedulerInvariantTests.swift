import Platform
import Testing

@testable import Workload

/// Random statements that come, wait for locks, hop, change their priority, give up and end, under configurations that
/// change meanwhile: no slot is lost or given twice, nobody is forgotten, and who came first in a queue and priority
/// starts first.
struct SchedulerInvariantTests {
    private static let configurations = [
        #"[{"auto_wlm": true}]"#,
        #"[{"query_group": ["a"], "priority": "lowest", "concurrency_scaling": "auto"}, {"auto_wlm": true}]"#,
        #"[{"query_group": ["a"], "query_concurrency": 2}, {"user_group": ["g"], "query_group": ["b"], "#
            + #""query_concurrency": 3, "max_execution_time": 40}, {"query_concurrency": 1}]"#,
        #"[{"query_group": ["b"], "query_concurrency": 1, "concurrency_scaling": "auto"}, "#
            + #"{"query_group": ["a", "b"], "query_concurrency": 4}, {"query_concurrency": 2}, "#
            + #"{"short_query_queue": true, "max_execution_time": 1000}]"#,
    ]

    @Test(arguments: UInt64(1)...12) func randomLives(seed: UInt64) throws {
        var life = Life(
            SharedRandom(SeededRandom(seed: seed)), try Self.configurations.map { try WorkloadConfiguration(text: $0) })
        for _ in 0..<4_000 { try life.step() }
        try life.drain()
    }

    /// Drives a scheduler and keeps a book of its own.
    private struct Life {
        let random: SharedRandom
        let configurations: [WorkloadConfiguration]
        let scheduler: Scheduler
        var now: Int64 = 0
        /// By what the scheduler has said.
        var waiting: Set<Int> = []
        var running: Set<Int> = []
        var suspended: Set<Int> = []
        static let machine = WorkloadMachine(cores: 2, memoryBytes: 1 << 30)

        init(_ random: SharedRandom, _ configurations: [WorkloadConfiguration]) {
            self.random = random
            self.configurations = configurations
            scheduler = Scheduler(configurations[0], Life.machine)
        }

        func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        func pick(_ numbers: Set<Int>) -> Int? { numbers.isEmpty ? nil : numbers.sorted()[pick(numbers.count)] }

        mutating func step() throws {
            now += Int64(pick(3_000_000))
            switch pick(20) {
            case 0...7: try submit()
            case 8...13: if let number = pick(running) { end(number) }
            case 14: if let number = pick(waiting) { end(number) }
            case 15:
                if let number = pick(running) {
                    scheduler.suspend(number, at: now)
                    running.remove(number)
                    suspended.insert(number)
                }
            case 16:
                if let number = pick(suspended) {
                    scheduler.resume(number, at: now)
                    suspended.remove(number)
                    waiting.insert(number)
                }
            case 17:
                if let number = pick(running.union(waiting)) {
                    scheduler.change(number, QueryPriority.allCases[pick(QueryPriority.allCases.count)], at: now)
                }
            case 18:
                if let number = pick(running) { _ = scheduler.hop(number, at: now) }
                _ = scheduler.expire(at: now)
            default:
                if pick(20) == 0 {
                    scheduler.configure(configurations[pick(configurations.count)], Life.machine, at: now)
                }
            }
            try settle()
        }

        private mutating func submit() throws {
            var request = AdmissionRequest(
                query: 1, kind: [.select, .change, .load, .createTableAs, .background][pick(5)],
                user: WorkloadUser(id: 1, isSuperuser: pick(4) == 0, groups: pick(3) == 0 ? ["g"] : []),
                queryGroup: ["", "a", "b", "superuser"][pick(4)], estimatedBytes: pick(1 << 29))
            request.slotCount = pick(6) == 0 ? 2 : 1
            request.predictedNanoseconds = pick(2) == 0 ? Int64(pick(3_000_000_000)) : nil
            do {
                waiting.insert(try scheduler.submit(request, at: now))
            } catch {
                // More slots than the queue has.
                try #require(request.slotCount == 2)
            }
        }

        private mutating func end(_ number: Int) {
            scheduler.finish(number, at: now)
            waiting.remove(number)
            running.remove(number)
        }

        /// Takes the news and compares the books.
        private mutating func settle() throws {
            for number in scheduler.takeStarts() {
                try #require(waiting.remove(number) != nil, "\(number) started twice, or after its end")
                running.insert(number)
            }
            try #require(Set(scheduler.entries.keys) == waiting.union(running).union(suspended))
            for entry in scheduler.entries.values {
                let known = entry.state == .running ? running : entry.state == .waiting ? waiting : suspended
                try #require(known.contains(entry.sequence))
            }
            for queue in scheduler.classes.all { try compare(queue) }
        }

        private func compare(_ queue: ServiceClass) throws {
            let inside = scheduler.entries.values.filter { $0.lane.id == queue.id }
            let executing = inside.filter { $0.state == .running }
            let figures = scheduler.figures(queue.id)
            try #require(figures.executing == executing.count)
            try #require(figures.queued == inside.count { $0.state == .waiting })
            let slots = executing.filter { !$0.isScaledOut }.reduce(0) { $0 + $1.slots }
            try #require(scheduler.usedSlots(queue.id) == slots)
            // Nobody waits beside a queue that is empty.
            if queue.role == .manual || queue.role == .short, figures.queued > 0 { try #require(slots > 0) }
        }

        mutating func drain() throws {
            for number in suspended.sorted() { scheduler.resume(number, at: now) }
            waiting.formUnion(suspended)
            suspended = []
            try settle()
            while let number = running.min() {
                now += 1_000_000
                end(number)
                try settle()
            }
            #expect(waiting.isEmpty, "forgotten: \(waiting.sorted())")
            for queue in scheduler.classes.all { #expect(scheduler.usedSlots(queue.id) == 0) }
        }
    }

    @Test func hopsAreCountedWhereTheyLeave() throws {
        let configuration = try WorkloadConfiguration(
            text: #"""
                [{"query_group": ["a"], "query_concurrency": 1}, {"query_group": ["a"], "query_concurrency": 1},
                 {"query_concurrency": 1}, {"short_query_queue": false}]
                """#)
        let scheduler = Scheduler(configuration, WorkloadMachine(cores: 2, memoryBytes: 1 << 30))
        let request = AdmissionRequest(query: 1, kind: .select, user: WorkloadUser(id: 1), queryGroup: "a")
        let first = try scheduler.submit(request, at: 0), second = try scheduler.submit(request, at: 0)
        #expect(scheduler.takeStarts() == [first])
        let hop = scheduler.hop(first, at: 1)
        if case .reassigned(let queue) = hop { #expect(queue.id == 7) } else { Issue.record("\(hop)") }
        #expect(scheduler.takeStarts() == [second])
        // The second queue has no slot left.
        #expect(scheduler.hop(second, at: 2) == .restart)
        #expect((6...8).map { scheduler.figures($0).hopped } == [1, 0, 0])
    }

    @Test func firstComeFirstServed() throws {
        let configuration = try WorkloadConfiguration(
            text: #"[{"query_concurrency": 1}, {"short_query_queue": false}]"#)
        let scheduler = Scheduler(configuration, Life.machine)
        let numbers = try (0..<5).map { moment in
            try scheduler.submit(
                AdmissionRequest(query: moment, kind: .select, user: WorkloadUser(id: 1)), at: Int64(moment))
        }
        var order = scheduler.takeStarts()
        for _ in 0..<5 {
            guard let last = order.last else { break }
            scheduler.finish(last, at: 100)
            order += scheduler.takeStarts()
        }
        #expect(order == numbers)
    }
}
