/// What a running statement has used so far, in the units of monitoring rules.
package struct QueryMetrics: Sendable, Hashable {
    package var cpuSeconds = 0.0
    package var blocksRead: Int64 = 0
    package var scanRows: Int64 = 0
    /// Without waiting in queues.
    package var executionSeconds = 0.0
    package var queueSeconds = 0.0
    package var temporaryBlocks: Int64 = 0
    /// Largest over average of the slices; 1 when they are alike.
    package var cpuSkew = 1.0
    package var ioSkew = 1.0
    package var joinRows: Int64 = 0
    package var nestedLoopRows: Int64 = 0
    package var returnRows: Int64 = 0
    /// Of the segment that has run longest.
    package var segmentSeconds = 0.0
    package var priority = QueryPriority.normal

    package init() {}

    package func value(_ metric: QueryMetric) -> Double {
        switch metric {
        case .cpuTime: cpuSeconds
        case .blocksRead: Double(blocksRead)
        case .scanRows: Double(scanRows)
        case .executionTime: executionSeconds
        case .queueTime: queueSeconds
        case .cpuUsagePercent: executionSeconds > 0 ? cpuSeconds / executionSeconds * 100 : 0
        case .temporaryBlocks: Double(temporaryBlocks)
        case .cpuSkew: cpuSkew
        case .ioSkew: ioSkew
        case .joinRows: Double(joinRows)
        case .nestedLoopRows: Double(nestedLoopRows)
        case .returnRows: Double(returnRows)
        case .segmentTime: segmentSeconds
        // Nothing is read through Spectrum.
        case .spectrumRows, .spectrumMegabytes: 0
        case .priority: Double(priority.rawValue)
        }
    }
}

extension MonitoringRule {
    /// All predicates hold.
    package func holds(_ metrics: QueryMetrics) -> Bool {
        predicates.allSatisfy { $0.comparison.holds(metrics.value($0.metric), $0.value) }
    }
}

/// Which rules of a queue have fired for one statement.
package struct RuleWatch: Sendable {
    /// Each is told once.
    private var fired: Set<String> = []

    package init() {}

    /// Rules that hold for the first time; the first acts, the others are logged only: the most severe, and among
    /// equals by name.
    package mutating func newlyHolding(_ rules: [MonitoringRule], _ metrics: QueryMetrics) -> [MonitoringRule] {
        var holding: [MonitoringRule] = []
        for rule in rules where !fired.contains(rule.name) && rule.holds(metrics) {
            fired.insert(rule.name)
            holding.append(rule)
        }
        return holding.sorted { left, right in
            let (one, other) = (left.action.severity, right.action.severity)
            return one == other ? left.name < right.name : one > other
        }
    }
}
