/// Reads the predicates of one rule, which must be able to hold together.
struct PredicateReader {
    let rule: String
    let isAutomatic: Bool

    private static let known = ["metric_name", "operator", "value"]

    func read(_ object: ConfigurationObject) throws(ConfigurationFault) -> [MonitoringRule.Predicate] {
        guard let nodes = try object.array("predicate"), let place = object["predicate"]?.offset else {
            throw object.fault("rule \"\(rule)\" has no \"predicate\"", at: object.offset)
        }
        if nodes.isEmpty { throw object.fault("rule \"\(rule)\" has no predicates", at: place) }
        var predicates: [MonitoringRule.Predicate] = []
        var ranges: [QueryMetric: PredicateRange] = [:]
        for node in nodes {
            let part = try ConfigurationObject(node, "a predicate", known: PredicateReader.known, in: object.text)
            if predicates.count == WorkloadConfiguration.mostPredicates {
                throw part.fault(
                    "rule \"\(rule)\" has more than \(WorkloadConfiguration.mostPredicates) predicates", at: part.offset
                )
            }
            let predicate = try self.predicate(part)
            ranges[predicate.metric, default: PredicateRange(predicate.metric)].narrow(predicate)
            if ranges[predicate.metric]?.isEmpty == true {
                let others = predicates.contains { $0.metric == predicate.metric }
                throw part.fault(
                    others
                        ? "the predicates of rule \"\(rule)\" contradict each other: no \(predicate.metric.rawValue) "
                            + "fulfils all of them"
                        : "a predicate of rule \"\(rule)\" never holds: no \(predicate.metric.rawValue) fulfils it",
                    at: part.offset)
            }
            predicates.append(predicate)
        }
        return predicates
    }

    private func predicate(_ part: ConfigurationObject) throws(ConfigurationFault) -> MonitoringRule.Predicate {
        let metrics = QueryMetric.allCases.map(\.rawValue)
        guard let name = try part.word("metric_name", metrics), let metric = QueryMetric(rawValue: name) else {
            throw part.fault("a predicate has no \"metric_name\"", at: part.offset)
        }
        if metric == .priority && !isAutomatic {
            throw part.fault(
                "query_priority is for automatic queues only", at: part["metric_name"]?.offset ?? part.offset)
        }
        guard let sign = try part.word("operator", MonitoringRule.Comparison.allCases.map(\.rawValue)),
            let comparison = MonitoringRule.Comparison(rawValue: sign)
        else { throw part.fault("a predicate has no \"operator\"", hint: "It is =, < or >.", at: part.offset) }
        return MonitoringRule.Predicate(metric: metric, comparison: comparison, value: try limit(part, metric))
    }

    private func limit(_ part: ConfigurationObject, _ metric: QueryMetric) throws(ConfigurationFault) -> Double {
        guard let node = part["value"] else { throw part.fault("a predicate has no \"value\"", at: part.offset) }
        if metric == .priority {
            let word = try part.word("value", QueueReader.priorities) ?? ""
            return Double((QueryPriority(name: word) ?? .normal).rawValue)
        }
        let range =
            "a\(metric.isWhole ? " whole" : "") number from 0 to \(ConfigurationNode.shown(metric.largestValue))"
        guard case .number(let value) = node.value, (0...metric.largestValue).contains(value),
            !metric.isWhole || value == value.rounded()
        else {
            throw part.fault(
                "\"value\" of \(metric.rawValue) is \(range), not \(node.description)", hint: metric.unitHint,
                at: node.offset)
        }
        return value
    }
}

/// The values of a metric that fulfil all predicates so far.
private struct PredicateRange {
    private var low: Double
    private var lowIsIn = true
    private var high: Double
    private var highIsIn = true
    private let isWhole: Bool

    init(_ metric: QueryMetric) {
        low = 0
        // A measured value may be beyond what a predicate may name; so may the priority, by function.
        high = metric == .priority ? Double(QueryPriority.critical.rawValue) : .infinity
        isWhole = metric.isWhole
    }

    mutating func narrow(_ predicate: MonitoringRule.Predicate) {
        let value = predicate.value
        switch predicate.comparison {
        case .equal:
            raise(to: value, isIn: true)
            lower(to: value, isIn: true)
        case .greater: isWhole ? raise(to: value + 1, isIn: true) : raise(to: value, isIn: false)
        case .less: isWhole ? lower(to: value - 1, isIn: true) : lower(to: value, isIn: false)
        }
    }

    private mutating func raise(to value: Double, isIn: Bool) {
        if value > low || (value == low && !isIn) { (low, lowIsIn) = (value, isIn) }
    }
    private mutating func lower(to value: Double, isIn: Bool) {
        if value < high || (value == high && !isIn) { (high, highIsIn) = (value, isIn) }
    }

    var isEmpty: Bool { low > high || (low == high && !(lowIsIn && highIsIn)) }
}
