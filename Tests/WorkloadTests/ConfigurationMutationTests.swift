import Platform
import Testing

@testable import Workload

/// Valid configurations with bytes changed, taken out and put in: each is either a configuration within all limits or
/// a fault with a place in the text.
struct ConfigurationMutationTests {
    static let valid = [
        AWSExamples.automatic, AWSExamples.manual, AWSExamples.singleNames, AWSExamples.shortQueryLimit,
        AWSExamples.modeBehindQueues, AWSExamples.threeQueues(lastMemory: #" "memory_percent_to_use": 35,"#),
        AWSExamples.monitoringRules(cpuTime: 30, executionTime: 600),
        """
        [{"name": "a\\u00e9\\\\ 😀", "user_role": ["r*"], "user_role_wild_card": 1, "query_concurrency": 20,
          "rules": [{"rule_name": "r_1", "action": "hop", "predicate": [
            {"metric_name": "cpu_skew", "operator": "<", "value": 1.25},
            {"metric_name": "nested_loop_join_row_count", "operator": ">", "value": 1e3}]}]},
         {"query_group": ["b"], "max_execution_time": 60000}, {"query_concurrency": 25},
         {"short_query_queue": false, "max_execution_time": 20000}]
        """,
        """
        [{"priority": "highest", "user_group": "g", "rules": [{"rule_name": "p", "predicate": [
            {"metric_name": "query_priority", "operator": "<", "value": "highest"}],
            "action": "change_query_priority", "value": "lowest"}]}, {"auto_wlm": true}]
        """,
    ]

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\ud800", "0", "9", "-", "1e999", "99999999999999999999", "null",
        "true",
        "\u{0}", "é", " ", "[[[[[[[[", "\"auto_wlm\": true,", "\"user_group\": [\"x\"],", "{},",
    ].map { Array($0.utf8) }

    private func mutated(_ text: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...text.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where place < text.count: text[place] = UInt8.random(in: 0...255, using: &random)
            case 1 where place < text.count: text.remove(at: place)
            case 2: text.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            case 3: text.removeSubrange(place..<min(place + Int.random(in: 1...12, using: &random), text.count))
            default:
                let end = min(place + Int.random(in: 1...30, using: &random), text.count)
                text.insert(contentsOf: text[place..<end], at: Int.random(in: 0...text.count, using: &random))
            }
        }
        return text
    }

    @Test func mutationsAreReadOrRefused() {
        var random = SeededRandom(seed: 15)
        var accepted = 0
        var configurations: [WorkloadConfiguration] = []
        for round in 0..<10_000 {
            let text = mutated(Array(Self.valid[round % Self.valid.count].utf8), &random)
            do {
                let configuration = try WorkloadConfiguration(bytes: text)
                expectLimits(configuration)
                accepted += 1
                if configurations.count < 120 { configurations.append(configuration) }
            } catch {
                #expect((0...text.count).contains(error.offset))
                #expect(error.line >= 1 && error.column >= 1 && !error.message.isEmpty)
            }
        }
        // Otherwise it would test one side only.
        #expect(accepted > 200 && accepted < 9_800)
        for old in configurations.prefix(60) {
            for new in configurations { expectLimits(ConfigurationChange(from: old, to: new).dynamic) }
        }
    }

    private func expectLimits(_ configuration: WorkloadConfiguration) {
        let queues = configuration.queues
        #expect((1...8).contains(queues.count))
        #expect(Set(queues.map(\.name)).count == queues.count)
        #expect(queues.allSatisfy { !$0.name.isEmpty && $0.name.utf8.count <= 64 })
        #expect(queues.last?.isRouted == false)
        let short = configuration.shortQueries.maximumMilliseconds
        #expect(short == 0 || (1000...20000).contains(short))
        if !configuration.isAutomatic {
            #expect(queues.allSatisfy { (1...50).contains($0.slots) && $0.maximumExecutionMilliseconds >= 0 })
            #expect(queues.reduce(0) { $0 + $1.slots } <= 50)
            let memory = queues.compactMap(\.memoryPercent)
            #expect(memory.isEmpty || memory.count == queues.count)
            #expect(memory.reduce(0, +) <= 100 && memory.allSatisfy { $0 > 0 })
        }
        let rules = queues.flatMap(\.rules)
        #expect(rules.count <= 25 && Set(rules.map(\.name)).count == rules.count)
        for rule in rules {
            #expect((1...3).contains(rule.predicates.count) && (1...32).contains(rule.name.utf8.count))
            #expect(rule.predicates.allSatisfy { (0...$0.metric.largestValue).contains($0.value) })
            switch rule.action {
            case .hop: #expect(!configuration.isAutomatic)
            case .changePriority(let priority): #expect(configuration.isAutomatic && priority < .critical)
            case .log, .abort: break
            }
        }
    }
}
