extension WorkloadConfiguration {
    /// As `wlm_json_configuration`, without what has its default value. What is read of it is equal, but for `text`.
    package var json: String {
        let queues = queues.enumerated().map { index, queue in
            ConfigurationWriter.object(members(queue, isLast: index == self.queues.count - 1))
        }
        var short = ["\"short_query_queue\": \(shortQueries.isOn)"]
        if shortQueries.maximumMilliseconds != 0 {
            short.append("\"max_execution_time\": \(shortQueries.maximumMilliseconds)")
        }
        return "[" + (queues + [ConfigurationWriter.object(short)]).joined(separator: ", ") + "]"
    }

    private func members(_ queue: QueueDefinition, isLast: Bool) -> [String] {
        var members = ["\"name\": \(ConfigurationWriter.quoted(queue.name))"]
        members += ConfigurationWriter.list("user_group", queue.userGroups)
        members += ConfigurationWriter.list("query_group", queue.queryGroups)
        members += ConfigurationWriter.list("user_role", queue.userRoles)
        if queue.scalesOut { members.append("\"concurrency_scaling\": \"auto\"") }
        if isAutomatic {
            if queue.priority != .normal { members.append("\"priority\": \"\(queue.priority.name)\"") }
        } else {
            members.append("\"query_concurrency\": \(queue.slots)")
            if let percent = queue.memoryPercent { members.append("\"memory_percent_to_use\": \(percent)") }
            if queue.maximumExecutionMilliseconds != 0 {
                members.append("\"max_execution_time\": \(queue.maximumExecutionMilliseconds)")
            }
        }
        if !queue.rules.isEmpty {
            let rules = queue.rules.map { ConfigurationWriter.object(ConfigurationWriter.members($0)) }
            members.append("\"rules\": [\(rules.joined(separator: ", "))]")
        }
        if isLast { members.append("\"auto_wlm\": \(isAutomatic)") }
        return members
    }
}

/// Pieces of JSON.
private enum ConfigurationWriter {
    static func object(_ members: [String]) -> String { "{" + members.joined(separator: ", ") + "}" }

    /// Names have no control characters.
    static func quoted(_ name: String) -> String {
        var result = "\""
        for scalar in name.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }

    static func list(_ name: String, _ list: QueueDefinition.NameList) -> [String] {
        var members: [String] = []
        if !list.names.isEmpty { members.append("\"\(name)\": [\(list.names.map(quoted).joined(separator: ", "))]") }
        if list.hasWildcards { members.append("\"\(name)_wild_card\": 1") }
        return members
    }

    static func members(_ rule: MonitoringRule) -> [String] {
        let predicates = rule.predicates.map { predicate in
            let value =
                predicate.metric == .priority
                ? predicate.priority.map { "\"\($0.name)\"" } ?? "0" : ConfigurationNode.shown(predicate.value)
            return object([
                "\"metric_name\": \"\(predicate.metric.rawValue)\"",
                "\"operator\": \"\(predicate.comparison.rawValue)\"",
                "\"value\": \(value)",
            ])
        }
        var members = [
            "\"rule_name\": \"\(rule.name)\"", "\"predicate\": [\(predicates.joined(separator: ", "))]",
            "\"action\": \"\(rule.action.name)\"",
        ]
        if case .changePriority(let priority) = rule.action { members.append("\"value\": \"\(priority.name)\"") }
        return members
    }
}

extension MonitoringRule.Predicate {
    /// What a predicate about the priority compares with.
    package var priority: QueryPriority? {
        metric == .priority ? Int(exactly: value).flatMap(QueryPriority.init(rawValue:)) : nil
    }

    /// `query_cpu_time > 30`, `query_priority = high`.
    package var text: String {
        "\(metric.rawValue) \(comparison.rawValue) \(priority?.name ?? ConfigurationNode.shown(value))"
    }
}
