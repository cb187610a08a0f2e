/// Reads the query monitoring rules of all queues, one queue after the other.
struct RuleReader {
    let isAutomatic: Bool
    private var names: Set<String> = []

    init(isAutomatic: Bool) { self.isAutomatic = isAutomatic }

    private static let known = ["rule_name", "predicate", "action", "value"]
    private static let actions = ["log", "hop", "abort", "change_query_priority"]

    /// - Parameter canHop: another queue behind this one has groups.
    mutating func read(
        _ queue: ConfigurationObject, canHop: Bool
    ) throws(ConfigurationFault) -> [MonitoringRule] {
        var rules: [MonitoringRule] = []
        for node in try queue.array("rules") ?? [] {
            let object = try ConfigurationObject(node, "a rule", known: RuleReader.known, in: queue.text)
            if names.count == WorkloadConfiguration.mostRules {
                throw object.fault(
                    "there are more than \(WorkloadConfiguration.mostRules) rules", hint: "All queues count together.",
                    at: object.offset)
            }
            let name = try name(object)
            let predicates = try PredicateReader(rule: name, isAutomatic: isAutomatic).read(object)
            let action = try action(object, name)
            if action == .hop { try checkHop(object, predicates, canHop) }
            rules.append(MonitoringRule(name: name, predicates: predicates, action: action))
        }
        return rules
    }

    private mutating func name(_ object: ConfigurationObject) throws(ConfigurationFault) -> String {
        guard let name = try object.string("rule_name"), let place = object["rule_name"]?.offset else {
            throw object.fault("a rule has no \"rule_name\"", at: object.offset)
        }
        try object.check(name, longest: WorkloadConfiguration.longestRuleName, "the name of a rule", at: place)
        let isPlain = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (byte < 128 && Character(Unicode.Scalar(byte)).isLetter)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        if !isPlain {
            throw object.fault("the name of a rule consists of A-Z, a-z, 0-9 and _, not \"\(name)\"", at: place)
        }
        guard names.insert(name).inserted else {
            throw object.fault(
                "two rules have the name \"\(name)\"", hint: "Names are unique over all queues.", at: place)
        }
        return name
    }

    private func action(_ object: ConfigurationObject, _ rule: String) throws(ConfigurationFault)
        -> MonitoringRule.Action
    {
        guard let word = try object.word("action", RuleReader.actions) else {
            throw object.fault(
                "rule \"\(rule)\" has no \"action\"",
                hint: "It is one of \(RuleReader.actions.joined(separator: ", ")).",
                at: object.offset)
        }
        let place = object["action"]?.offset ?? object.offset
        if word == "change_query_priority" {
            guard isAutomatic else {
                throw object.fault(
                    "the action change_query_priority is for automatic queues only", at: place)
            }
            guard let value = try object.word("value", QueueReader.priorities),
                let priority = QueryPriority(name: value)
            else {
                throw object.fault(
                    "rule \"\(rule)\" changes the priority and has no \"value\"",
                    hint: "It is one of \(QueueReader.priorities.joined(separator: ", ")), beside \"action\".",
                    at: place)
            }
            return .changePriority(priority)
        }
        if object["value"] != nil {
            throw object.fault(
                "the action \(word) takes no \"value\"", hint: "Only change_query_priority does.",
                at: object.place("value"))
        }
        switch word {
        case "hop": return .hop
        case "abort": return .abort
        default: return .log
        }
    }

    private func checkHop(
        _ object: ConfigurationObject, _ predicates: [MonitoringRule.Predicate], _ canHop: Bool
    ) throws(ConfigurationFault) {
        let place = object["action"]?.offset ?? object.offset
        if isAutomatic {
            throw object.fault(
                "the action hop is for manual queues only", hint: "Use abort, or change_query_priority.", at: place)
        }
        if predicates.contains(where: { $0.metric == .queueTime }) {
            throw object.fault(
                "the action hop cannot follow from query_queue_time", hint: "Use log or abort.", at: place)
        }
        if !canHop {
            throw object.fault(
                "the action hop has nowhere to go: no queue behind this one has groups or roles",
                hint: "Statements hop into the next queue that names their group, never into the default queue.",
                at: place)
        }
    }
}
