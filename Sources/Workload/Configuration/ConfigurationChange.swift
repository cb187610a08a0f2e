/// What a new configuration changes of the one that runs: some at once, the rest when Redbarn starts the next time.
package struct ConfigurationChange: Sendable, Hashable {
    /// The old one with all that changes at once. The new one itself where nothing waits for a restart.
    package let dynamic: WorkloadConfiguration
    /// What changes at once, a sentence each.
    package let dynamicChanges: [String]
    /// What waits for a restart, a sentence each.
    package let staticChanges: [String]

    package var needsRestart: Bool { !staticChanges.isEmpty }

    package init(from old: WorkloadConfiguration, to new: WorkloadConfiguration) {
        var result = old
        result.shortQueries = new.shortQueries
        guard old.isAutomatic == new.isAutomatic else {
            dynamicChanges = ConfigurationChange.shortQueryChanges(old, new)
            staticChanges = [
                "workload management becomes \(new.isAutomatic ? "automatic" : "manual"), with all of its queues"
            ]
            result.text = result.json
            dynamic = result
            return
        }
        let pairs = QueuePairs(old.queues, new.queues)
        var sentences = pairs.structuralChanges(old.queues, new.queues)
        for pair in pairs.pairs {
            sentences += ConfigurationChange.routeChanges(old.queues[pair.old], new.queues[pair.new])
            result.queues[pair.old].takeDynamicProperties(of: new.queues[pair.new])
        }
        sentences += result.keepWithinLimits(of: old)
        var changes: [String] = []
        for (before, after) in zip(old.queues, result.queues) {
            changes += ConfigurationChange.propertyChanges(before, after)
        }
        dynamicChanges = changes + ConfigurationChange.shortQueryChanges(old, new)
        staticChanges = sentences
        if sentences.isEmpty {
            result = new
        } else {
            result.text = result.json
        }
        dynamic = result
    }

    private static func routeChanges(_ old: QueueDefinition, _ new: QueueDefinition) -> [String] {
        let lists = [
            ("user_group", old.userGroups, new.userGroups), ("query_group", old.queryGroups, new.queryGroups),
            ("user_role", old.userRoles, new.userRoles),
        ]
        return lists.flatMap { name, before, after in
            var changes: [String] = []
            if before.names != after.names { changes.append("\"\(name)\" of queue \"\(old.name)\" changes") }
            if before.hasWildcards != after.hasWildcards {
                changes.append("\"\(name)_wild_card\" of queue \"\(old.name)\" changes")
            }
            return changes
        }
    }

    private static func propertyChanges(_ old: QueueDefinition, _ new: QueueDefinition) -> [String] {
        func text(_ percent: Int?) -> String { percent.map { "\($0)" } ?? "an equal part" }
        let facts = [
            ("query_concurrency", "\(old.slots)", "\(new.slots)"),
            ("memory_percent_to_use", text(old.memoryPercent), text(new.memoryPercent)),
            ("max_execution_time", "\(old.maximumExecutionMilliseconds)", "\(new.maximumExecutionMilliseconds)"),
            ("concurrency_scaling", old.scalesOut ? "auto" : "off", new.scalesOut ? "auto" : "off"),
            ("priority", old.priority.name, new.priority.name),
        ]
        var changes = facts.filter { $0.1 != $0.2 }.map {
            "\"\($0.0)\" of queue \"\(old.name)\" goes from \($0.1) to \($0.2)"
        }
        if old.rules != new.rules { changes.append("\"rules\" of queue \"\(old.name)\" change") }
        return changes
    }

    private static func shortQueryChanges(_ old: WorkloadConfiguration, _ new: WorkloadConfiguration) -> [String] {
        old.shortQueries == new.shortQueries ? [] : ["\"short_query_queue\" changes"]
    }
}

extension QueueDefinition {
    fileprivate mutating func takeDynamicProperties(of other: QueueDefinition) {
        slots = other.slots
        memoryPercent = other.memoryPercent
        maximumExecutionMilliseconds = other.maximumExecutionMilliseconds
        scalesOut = other.scalesOut
        priority = other.priority
        rules = other.rules
    }
}

extension WorkloadConfiguration {
    /// Old queues with new properties may break a limit that each configuration obeys by itself: then these properties
    /// wait for the queues.
    fileprivate mutating func keepWithinLimits(of old: WorkloadConfiguration) -> [String] {
        var sentences: [String] = []
        if !isAutomatic && queues.reduce(0, { $0 + $1.slots }) > WorkloadConfiguration.mostSlots {
            for index in queues.indices { queues[index].slots = old.queues[index].slots }
            sentences.append("\"query_concurrency\" changes together with the queues")
        }
        let percents = queues.compactMap(\.memoryPercent)
        if percents.reduce(0, +) > 100 || !(percents.isEmpty || percents.count == queues.count) {
            for index in queues.indices { queues[index].memoryPercent = old.queues[index].memoryPercent }
            sentences.append("\"memory_percent_to_use\" changes together with the queues")
        }
        if !hasRightRules {
            for index in queues.indices { queues[index].rules = old.queues[index].rules }
            sentences.append("\"rules\" change together with the queues")
        }
        return sentences
    }

    private var hasRightRules: Bool {
        let names = queues.flatMap { $0.rules.map(\.name) }
        guard names.count <= WorkloadConfiguration.mostRules, Set(names).count == names.count else { return false }
        return queues.indices.allSatisfy { index in
            queues[index].rules.allSatisfy { $0.action != .hop }
                || queues[(index + 1)...].contains { $0.isRouted }
        }
    }
}
