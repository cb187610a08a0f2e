import Testing

@testable import Workload

/// The scheduler in simulated time: the model of the cores, whole workloads, priorities, the lane of short queries.
struct SimulationTests {
    static let automatic = """
        [{"name": "etl", "user_group": ["etl"], "priority": "low"},
         {"name": "dashboards", "query_group": ["dash*"], "query_group_wild_card": 1, "priority": "highest",
          "concurrency_scaling": "auto"},
         {"name": "batch", "query_group": ["batch"], "priority": "lowest"}, {"auto_wlm": true}]
        """
    static let manual = """
        [{"name": "etl", "user_group": ["etl"], "query_concurrency": 2, "max_execution_time": 4000},
         {"name": "reports", "query_group": ["report"], "query_concurrency": 6, "max_execution_time": 9000},
         {"name": "late", "user_group": ["etl"], "query_concurrency": 3},
         {"query_concurrency": 5, "concurrency_scaling": "auto"},
         {"short_query_queue": true, "max_execution_time": 1000}]
        """

    static func machine(_ cores: Int) -> WorkloadMachine { WorkloadMachine(cores: cores, memoryBytes: cores << 32) }

    @Test(arguments: [2, 16, 128], [WorkloadConfiguration.standardText, automatic, manual])
    func nothingIsLost(cores: Int, text: String) throws {
        let configuration = try WorkloadConfiguration(text: text)
        let machine = SimulationTests.machine(cores)
        // More than the machine can do, so that all queues grow, and then come to their end.
        let workload = SyntheticWorkload(statements: 2_500, seed: UInt64(cores), load: 3).make(configuration, machine)
        let report = Simulation(workload, configuration, machine).run()
        #expect(report.faults == [])
        #expect(report.ended == 2_500)
        #expect(report.completed + report.cancelled + report.timedOut + report.refused == 2_500)
        #expect(report.refused == 0)
        if cores < 128 { #expect(report.cancelled > 0) }
        // Whoever waits does so because the machine is busy; slots of manual queues may leave cores idle.
        if configuration.isAutomatic && cores < 128 { #expect(report.contendedUtilisation > 0.95) }
        let work = workload.arrivals.reduce(0.0) { $0 + Double($1.workNanoseconds) }
        #expect(report.busyNanoseconds < work * 1.2)
    }

    @Test func timeLimitsMoveAndEndStatements() throws {
        let configuration = try WorkloadConfiguration(text: SimulationTests.manual)
        let machine = SimulationTests.machine(4)
        let workload = SyntheticWorkload(statements: 3_000, seed: 3, load: 0.8).make(configuration, machine)
        let report = Simulation(workload, configuration, machine).run()
        #expect(report.faults == [])
        #expect(report.hopped > 0)
        #expect(report.timedOut > 0)
        #expect(report.queues.contains { $0.id == ServiceClass.shortID && $0.evicted > 0 })
        #expect(report.queues.contains { $0.scaledOut > 0 })
    }

    @Test func theSameSeedGivesTheSameReport() throws {
        let configuration = try WorkloadConfiguration(text: SimulationTests.automatic)
        let machine = SimulationTests.machine(8)
        let reports = (0..<2).map { _ in
            let workload = SyntheticWorkload(statements: 800, seed: 9).make(configuration, machine)
            return Simulation(workload, configuration, machine).run()
        }
        #expect(reports[0].nanoseconds == reports[1].nanoseconds)
        #expect(reports[0].busyNanoseconds == reports[1].busyNanoseconds)
        #expect(reports[0].queues.map { $0.waits.percentile(99) } == reports[1].queues.map { $0.waits.percentile(99) })
    }

    /// Streams of all priorities that always have more to do: starts and processor time go by weight.
    @Test func prioritiesShareByWeight() throws {
        var text = "["
        for priority in QueryPriority.allCases where priority != .critical {
            text += "{\"query_group\": [\"\(priority.name)\"], \"priority\": \"\(priority.name)\"}, "
        }
        let configuration = try WorkloadConfiguration(
            text: text + "{\"auto_wlm\": true}, {\"short_query_queue\": false}]")
        var workload = SimulatedWorkload()
        for priority in QueryPriority.allCases where priority != .critical {
            let request = AdmissionRequest(
                query: 1, kind: .select, user: WorkloadUser(id: 1), queryGroup: priority.name)
            let statement = SimulatedStatement(
                request: request, arrivalNanoseconds: 0, workNanoseconds: 100_000_000, cores: 2)
            workload.streams += Array(repeating: Array(repeating: statement, count: 400), count: 20)
        }
        let report = Simulation(workload, configuration, SimulationTests.machine(2)).run(until: 120e9)
        #expect(report.faults == [])
        #expect(report.utilisation > 0.999)
        let starts = Dictionary(uniqueKeysWithValues: report.turns.map { ($0.priority, Double($0.starts)) })
        let all = starts.values.reduce(0, +)
        for priority in QueryPriority.allCases where priority != .critical {
            let share = (starts[priority] ?? 0) / all
            #expect(abs(share / (Double(priority.weight) / 62) - 1) < 0.1, "\(priority): \(share)")
        }
        // 2 of 62 starts are LOWEST's: at most 30 others come between, and one more of each.
        let lowest = report.turns.first { $0.priority == .lowest }
        #expect((lowest?.mostPassedOver ?? .max) <= 35)
    }

    /// Eight heavy streams, and fifty short queries a second.
    @Test func shortQueriesHaveALaneOfTheirOwn() throws {
        func short(_ lane: Bool, heavy: Int) throws -> SimulationReport.Queue {
            let configuration = try WorkloadConfiguration(
                text: "[{\"query_concurrency\": 5}, {\"short_query_queue\": \(lane)}]")
            var workload = SimulatedWorkload()
            var request = AdmissionRequest(query: 1, kind: .select, user: WorkloadUser(id: 1))
            request.predictedNanoseconds = 5_000_000
            for number in 0..<1_500 {
                workload.arrivals.append(
                    SimulatedStatement(
                        request: request, arrivalNanoseconds: Int64(number) * 20_000_000, workNanoseconds: 5_000_000))
            }
            request.predictedNanoseconds = 10_000_000_000
            let statement = SimulatedStatement(
                request: request, arrivalNanoseconds: 0, workNanoseconds: 10_000_000_000, cores: 4)
            workload.streams = Array(repeating: [statement, statement], count: heavy)
            let report = Simulation(workload, configuration, SimulationTests.machine(4)).run()
            #expect(report.faults == [])
            let id = lane ? ServiceClass.shortID : ServiceClass.firstManualID
            return try #require(report.queues.first { $0.id == id })
        }
        let idle = try short(true, heavy: 0).times.percentile(95)
        let lane = try short(true, heavy: 8)
        let without = try short(false, heavy: 8)
        #expect(lane.waits.percentile(100) == 0)
        #expect(lane.times.percentile(95) <= 2 * idle)
        #expect(without.times.percentile(95) > 100 * idle)
    }

    @Test func theAuditFindsWhatIsLost() throws {
        let configuration = try WorkloadConfiguration(text: SimulationTests.manual)
        var scheduler = Scheduler(configuration, SimulationTests.machine(4))
        var audit = SimulationAudit(scheduler, mostSlots: 1)
        audit.end(scheduler, statements: 0, ended: 0)
        #expect(audit.faults == [])
        let request = AdmissionRequest(query: 1, kind: .load, user: WorkloadUser(id: 1))
        _ = try scheduler.submit(request, at: 0)
        audit.end(scheduler, statements: 1, ended: 0)
        #expect(
            audit.faults == [
                "1 statements are said to run, and 0 do", "1 statements never ended",
                "1 statements are still known at the end", "Default queue has lost 1 slots",
            ])
    }
}

/// The parts that simulations are made of.
struct SimulationPartTests {
    @Test func eventsComeInTheirOrder() {
        var heap = EventHeap()
        for number in 0..<500 { heap.push(Double(number * 7_919 % 503), number) }
        var moments: [Double] = []
        while let moment = heap.firstMoment {
            moments.append(moment)
            heap.removeFirst()
        }
        #expect(moments.count == 500)
        #expect(moments == moments.sorted())
    }

    @Test func coresAreSharedByPriorityAndWidth() throws {
        var cores = CoreSharing(cores: 4, statements: 4)
        // HIGHEST has 32 parts and LOWEST 2 of four cores.
        cores.add(0, work: 32, level: .highest, cores: 4)
        cores.add(1, work: 32, level: .lowest, cores: 4)
        let firstFound = cores.next()
        let first = try #require(firstFound)
        #expect(first.statement == 0)
        #expect(abs(first.moment - 32 / (4.0 * 32 / 34)) < 1e-9)
        cores.advance(to: first.moment)
        let rest = cores.remove(0)
        #expect(rest < 1e-9)
        // The other has done 2 in that time, and has all cores now.
        let secondFound = cores.next()
        let second = try #require(secondFound)
        #expect(abs(second.moment - (first.moment + 30.0 / 4)) < 1e-9)
        // One of a single core leaves three to it.
        cores.add(2, work: 1, level: .lowest, cores: 1)
        let thirdFound = cores.next()
        let third = try #require(thirdFound)
        #expect(third.statement == 2)
        #expect(abs(third.moment - (first.moment + 1)) < 1e-9)
        cores.advance(to: third.moment)
        _ = cores.remove(2)
        let left = cores.remove(1)
        #expect(abs(left - 27) < 1e-9)
        #expect(abs(cores.busyCoreNanoseconds - (34 + 4)) < 1e-9)
        let nobody = cores.next()
        #expect(nobody == nil)
    }

    @Test func tracesAreRead() throws {
        let text = """
            run_seconds,arrival_seconds,query_group,slots,cores,kind,priority
            2.5,10,"a,b",3,4,copy,high\r
            1,5,,,,,

            """
        let statements = try WorkloadTrace(Array(text.utf8)).statements
        #expect(statements.map(\.arrivalNanoseconds) == [5_000_000_000, 10_000_000_000])
        #expect(statements.map(\.workNanoseconds) == [1_000_000_000, 10_000_000_000])
        #expect(statements.map(\.request.queryGroup) == ["", "a,b"])
        #expect(statements[1].request.slotCount == 3)
        #expect(statements[1].request.kind == .load)
        #expect(statements[1].request.priority == .high)
        // Again behind its end, a second later.
        let longer = try WorkloadTrace(Array(text.utf8), count: 5).statements
        #expect(longer.map { $0.arrivalNanoseconds / 1_000_000_000 } == [5, 10, 11, 16, 17])
        #expect(longer.map(\.request.query) == [1, 2, 3, 4, 5])
    }

    @Test(arguments: [
        ("", 1, "the trace has no statements"),
        ("arrival_seconds\n", 1, "column \"run_seconds\" is missing"),
        ("arrival_seconds,run_seconds\n1\n", 2, "arrival_seconds and run_seconds must have values"),
        ("arrival_seconds,run_seconds\n1,1\nx,1\n", 3, "arrival_seconds is a number from 0.0 to 8640000.0, not \"x\""),
        ("arrival_seconds,run_seconds\nnan,1\n", 2, "arrival_seconds is a number from 0.0 to 8640000.0, not \"nan\""),
        ("arrival_seconds,run_seconds,slots\n1,1,51\n", 2, "slots is a number from 1.0 to 50.0, not \"51\""),
        ("arrival_seconds,run_seconds,run_seconds\n", 1, "column \"run_seconds\" is there twice"),
        ("arrival_seconds,run_seconds,priority\n1,1,soon\n", 2, "no priority \"soon\""),
    ])
    func faultsOfTracesHaveTheirLine(text: String, line: Int, message: String) {
        do {
            _ = try WorkloadTrace(Array(text.utf8))
            Issue.record("no fault in \(text)")
        } catch {
            #expect(error.line == line)
            #expect(error.message == message)
        }
    }
}
