import Testing

@testable import Workload

/// What changes at once and what needs a restart: the lists of AWS's "WLM dynamic and static configuration properties".
struct ConfigurationChangeTests {
    private func change(_ old: String, _ new: String) throws -> ConfigurationChange {
        ConfigurationChange(from: try WorkloadConfiguration(text: old), to: try WorkloadConfiguration(text: new))
    }

    private static let rule =
        #"{"rule_name": "r", "predicate": [{"metric_name": "scan_row_count", "operator": ">", "value": 5}], "#
        + #""action": "abort"}"#

    @Test func nothing() throws {
        let change = try change("{}", "[{\"query_concurrency\": 5}]")
        #expect(!change.needsRestart && change.dynamicChanges.isEmpty)
        #expect(change.dynamic.text == "[{\"query_concurrency\": 5}]")
    }

    @Test func dynamicProperties() throws {
        let new =
            #"[{"user_group": ["a"], "query_concurrency": 9, "memory_percent_to_use": 30, "max_execution_time": 7, "#
            + #""concurrency_scaling": "auto", "rules": [\#(Self.rule)]}, {"memory_percent_to_use": 70}, "#
            + #"{"short_query_queue": false}]"#
        let change = try change(#"[{"user_group": ["a"]}, {}]"#, new)
        #expect(change.staticChanges.isEmpty)
        #expect(change.dynamic == (try WorkloadConfiguration(text: new)))
        #expect(
            change.dynamicChanges == [
                #""query_concurrency" of queue "Queue 1" goes from 5 to 9"#,
                #""memory_percent_to_use" of queue "Queue 1" goes from an equal part to 30"#,
                #""max_execution_time" of queue "Queue 1" goes from 0 to 7"#,
                #""concurrency_scaling" of queue "Queue 1" goes from off to auto"#,
                #""rules" of queue "Queue 1" change"#,
                #""memory_percent_to_use" of queue "Default queue" goes from an equal part to 70"#,
                #""short_query_queue" changes"#,
            ])
        let priority = try self.change(#"{"auto_wlm": true}"#, #"{"auto_wlm": true, "priority": "low"}"#)
        #expect(priority.dynamicChanges == [#""priority" of queue "Default queue" goes from normal to low"#])
    }

    @Test func groupsWaitAndSlotsDoNot() throws {
        let change = try change(
            #"[{"name": "q", "user_group": ["a"]}, {}]"#,
            #"[{"name": "q", "user_group": ["b"], "user_group_wild_card": 1, "user_role": ["r"], "#
                + #""query_concurrency": 9}, {}]"#
        )
        #expect(
            change.staticChanges == [
                #""user_group" of queue "q" changes"#, #""user_group_wild_card" of queue "q" changes"#,
                #""user_role" of queue "q" changes"#,
            ])
        #expect(change.dynamic.queues[0].slots == 9)
        #expect(change.dynamic.queues[0].userGroups == QueueDefinition.NameList(["a"]))
        #expect(try WorkloadConfiguration(text: change.dynamic.text).queues == change.dynamic.queues)
    }

    @Test func queuesComeAndGo() throws {
        let two = #"[{"name": "q", "user_group": ["a"], "query_concurrency": 4}, {}]"#
        let three =
            #"[{"name": "p", "user_group": ["b"]}, {"name": "q", "user_group": ["a"], "query_concurrency": 6}, {}]"#
        let more = try change(two, three)
        #expect(more.staticChanges == [#"queue "p" is added"#])
        #expect(more.dynamic.queues.map(\.slots) == [6, 5])
        let fewer = try change(three, two)
        #expect(fewer.staticChanges == [#"queue "p" is removed"#])
        #expect(fewer.dynamic.queues.map(\.slots) == [5, 4, 5])
    }

    @Test func numberedQueuesAreKnownByTheirGroups() throws {
        let change = try change(
            #"[{"user_group": ["a"], "query_concurrency": 1}, {"user_group": ["b"], "query_concurrency": 2}, {}]"#,
            #"[{"user_group": ["b"], "query_concurrency": 2}, {"user_group": ["a"], "query_concurrency": 3}, {}]"#)
        #expect(change.staticChanges.first == "the queues change their order")
        #expect(change.dynamic.queues.map(\.slots) == [3, 2, 5])
    }

    @Test func anotherNameWaits() throws {
        let change = try change(
            #"[{"name": "q", "user_group": ["a"]}, {}]"#,
            #"[{"name": "p", "user_group": ["a"], "query_concurrency": 2}, {}]"#)
        #expect(change.staticChanges == [#"queue "q" becomes "p""#])
        #expect(change.dynamic.queues.map(\.name) == ["q", "Default queue"] && change.dynamic.queues[0].slots == 2)
    }

    @Test func anotherModeWaits() throws {
        let change = try change(#"[{"auto_wlm": true}]"#, #"[{"query_concurrency": 3}, {"short_query_queue": false}]"#)
        #expect(change.staticChanges == ["workload management becomes manual, with all of its queues"])
        #expect(change.dynamic.isAutomatic && !change.dynamic.shortQueries.isOn)
        #expect(change.dynamic.queues == WorkloadConfiguration().queues)
    }

    /// Each is within the limits, a mixture would not be.
    @Test func mixturesStayWithinLimits() throws {
        let old =
            #"[{"name": "a", "user_group": ["a"], "query_concurrency": 25, "memory_percent_to_use": 50}, "#
            + #"{"name": "b", "user_group": ["b"], "query_concurrency": 20, "memory_percent_to_use": 40}, "#
            + #"{"query_concurrency": 5, "memory_percent_to_use": 10}]"#
        let new =
            #"[{"name": "a", "user_group": ["a"], "query_concurrency": 45, "memory_percent_to_use": 90}, "#
            + #"{"query_concurrency": 5, "memory_percent_to_use": 10}]"#
        let change = try change(old, new)
        #expect(
            change.staticChanges == [
                #"queue "b" is removed"#, #""query_concurrency" changes together with the queues"#,
                #""memory_percent_to_use" changes together with the queues"#,
            ])
        #expect(change.dynamic.queues.map(\.slots) == [25, 20, 5])
        #expect(change.dynamic.queues.map(\.memoryPercent) == [50, 40, 10])
    }

    /// A rule that moves from a queue that goes to one that stays would be there twice.
    @Test func rulesThatMoveWait() throws {
        let change = try change(
            #"[{"name": "a", "user_group": ["a"], "rules": [\#(Self.rule)]}, {}]"#, #"[{"rules": [\#(Self.rule)]}]"#)
        #expect(change.staticChanges == [#"queue "a" is removed"#, #""rules" change together with the queues"#])
    }
}
