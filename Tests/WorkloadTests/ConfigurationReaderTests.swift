import Testing

@testable import Workload

/// What configurations mean.
struct ConfigurationReaderTests {
    private func read(_ text: String) throws -> WorkloadConfiguration { try WorkloadConfiguration(text: text) }

    @Test func defaults() throws {
        let automatic = try read(AWSExamples.automatic)
        #expect(automatic.isAutomatic)
        #expect(automatic.queues == [QueueDefinition(name: "Default queue")])
        #expect(automatic.shortQueries.isOn && automatic.shortQueries.maximumMilliseconds == 0)
        #expect(try read(WorkloadConfiguration.standardText) == WorkloadConfiguration())
        let manual = try read(AWSExamples.manual)
        #expect(!manual.isAutomatic)
        #expect(manual.queues.map(\.slots) == [5] && manual.queues[0].memoryPercent == nil)
        #expect(try read("[{}]").queues.map(\.slots) == [5])
        #expect(try read(#"[{"queue_type": "auto"}]"#).isAutomatic)
        #expect(manual.text == AWSExamples.manual)
    }

    @Test func threeManualQueues() throws {
        let read = try read(AWSExamples.threeQueues(lastMemory: #" "memory_percent_to_use": 35,"#))
        #expect(!read.isAutomatic && read.shortQueries.isOn)
        #expect(read.queues.map(\.name) == ["Queue 1", "Queue 2", "Default queue"])
        #expect(read.queues.map(\.slots) == [4, 5, 5])
        #expect(read.queues.map(\.memoryPercent) == [25, 40, 35])
        #expect(read.queues.map(\.maximumExecutionMilliseconds) == [20_000, 0, 0])
        #expect(read.queues.map(\.scalesOut) == [true, false, true])
        #expect(read.queues[0].queryGroups == QueueDefinition.NameList(["report"], hasWildcards: true))
        #expect(read.queues[1].userGroups == QueueDefinition.NameList(["admin", "dba"]))
        #expect(read.queues.map(\.isRouted) == [true, true, false])
    }

    @Test func automaticQueuesWithRules() throws {
        let read = try read(AWSExamples.monitoringRules(cpuTime: 1, executionTime: 600))
        #expect(read.isAutomatic)
        #expect(read.queues.map(\.priority) == [.normal, .high, .low])
        #expect(read.queues[2].rules.isEmpty)
        #expect(
            read.queues[0].rules == [
                MonitoringRule(
                    name: "rule_1",
                    predicates: [
                        .init(metric: .cpuTime, comparison: .greater, value: 1),
                        .init(metric: .blocksRead, comparison: .greater, value: 1000),
                    ], action: .log)
            ])
        #expect(read.queues[1].rules.map(\.action) == [.abort])
    }

    @Test func namesWithoutBrackets() throws {
        let read = try read(AWSExamples.singleNames)
        #expect(read.queues[0].userGroups.names == ["example_user_group1"])
        #expect(read.queues[0].queryGroups.names == ["example_query_group1"])
        #expect(read.queues.map(\.slots) == [7, 5])
    }

    @Test func limitOfShortQueries() throws {
        let limited = try read(AWSExamples.shortQueryLimit)
        #expect(limited.shortQueries.isOn && limited.shortQueries.maximumMilliseconds == 5000)
        #expect(limited.queues.count == 3)
        let off = try read(#"[{"short_query_queue": false}, {"query_concurrency": 3}]"#)
        #expect(!off.shortQueries.isOn && off.queues.count == 1)
        // In a queue: of an automatic one the limit is theirs, of a manual one it is the queue's.
        let automatic = try read(#"{"auto_wlm": true, "short_query_queue": true, "max_execution_time": 1000}"#)
        #expect(automatic.shortQueries.maximumMilliseconds == 1000 && automatic.queues.count == 1)
        let manual = try read(#"{"query_concurrency": 5, "short_query_queue": false, "max_execution_time": 70}"#)
        #expect(!manual.shortQueries.isOn && manual.shortQueries.maximumMilliseconds == 0)
        #expect(manual.queues[0].maximumExecutionMilliseconds == 70)
    }

    @Test func modeInAnObjectOfItsOwn() throws {
        #expect(try read(AWSExamples.modeBehindQueues).queues.map(\.slots) == [10, 2])
        // Behind a queue with groups it is the default queue.
        let read = try read(#"[{"user_group": ["etl"], "priority": "HIGHEST"}, {"auto_wlm": true}]"#)
        #expect(read.isAutomatic && read.queues.map(\.priority) == [.highest, .normal])
    }

    @Test func everyPropertyOfARule() throws {
        let read = try read(
            """
            [{"name": "etl", "user_role": ["loader*"], "user_role_wild_card": 1,
              "rules": [{"rule_name": "Slow_1", "predicate": [
                  {"metric_name": "query_priority", "operator": "<", "value": "HIGH"},
                  {"metric_name": "cpu_skew", "operator": ">", "value": 1.5},
                  {"metric_name": "query_execution_time", "operator": "=", "value": 0.5}],
                "action": "change_query_priority", "value": "lowest"}]},
             {"auto_wlm": true}]
            """)
        #expect(read.queues[0].userRoles == QueueDefinition.NameList(["loader*"], hasWildcards: true))
        let rule = read.queues[0].rules[0]
        #expect(rule.action == .changePriority(.lowest))
        #expect(
            rule.predicates.map(\.text)
                == ["query_priority < high", "cpu_skew > 1.5", "query_execution_time = 0.5"])
        let hop = try self.read(
            """
            [{"user_group": ["a"], "rules": [{"rule_name": "r", "predicate":
                [{"metric_name": "scan_row_count", "operator": ">", "value": 999999999999999}], "action": "hop"}]},
             {"query_group": ["b"]}, {}]
            """)
        #expect(hop.queues[0].rules.map(\.action) == [.hop])
        #expect(hop.queues[0].rules[0].predicates[0].value == 999_999_999_999_999)
    }

    @Test func escapesAndBlanks() throws {
        let read = try read("\r\n\t[{\"name\": \"\\u0061\\uD83D\\uDE00\\/\", \"query_concurrency\": 5e0}]\n")
        #expect(read.queues[0].name == "a😀/")
        #expect(read.queues[0].slots == 5)
    }

    @Test func largest() throws {
        let queues = (1...7).map { #"{"name": "q\#($0)", "user_group": ["g"], "query_concurrency": 6}"# }
        let read = try read("[" + (queues + [#"{"query_concurrency": 8}"#]).joined(separator: ",") + "]")
        #expect(read.queues.count == 8 && read.queues.reduce(0) { $0 + $1.slots } == 50)
        let name = String(repeating: "n", count: 64)
        #expect(try self.read(#"{"name": "\#(name)"}"#).queues[0].name == name)
        let blanks = String(repeating: " ", count: 8000 - 2)
        #expect(try self.read("{" + blanks + "}").queues.count == 1)
    }

    /// Written and read again, everything but the text is the same.
    @Test func writtenConfigurationsAreReadBack() throws {
        for text in ConfigurationMutationTests.valid {
            let first = try read(text)
            var second = try read(first.json)
            second.text = first.text
            #expect(first == second, "\(text)\n\(first.json)")
        }
    }
}
