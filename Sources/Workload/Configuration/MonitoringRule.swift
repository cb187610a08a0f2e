/// A query monitoring rule: what happens to a statement for which all predicates hold.
package struct MonitoringRule: Sendable, Hashable {
    package var name: String
    package var predicates: [Predicate]
    package var action: Action

    package init(name: String, predicates: [Predicate], action: Action) {
        self.name = name
        self.predicates = predicates
        self.action = action
    }

    package struct Predicate: Sendable, Hashable {
        package var metric: QueryMetric
        package var comparison: Comparison
        /// In the metric's unit; of ``QueryMetric/priority`` the raw value of a ``QueryPriority``.
        package var value: Double

        package init(metric: QueryMetric, comparison: Comparison, value: Double) {
            self.metric = metric
            self.comparison = comparison
            self.value = value
        }
    }

    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case equal = "="
        case less = "<"
        case greater = ">"

        package func holds(_ measured: Double, _ limit: Double) -> Bool {
            switch self {
            case .equal: measured == limit
            case .less: measured < limit
            case .greater: measured > limit
            }
        }
    }

    package enum Action: Sendable, Hashable {
        case log
        case hop
        case abort
        case changePriority(QueryPriority)

        package var name: String {
            switch self {
            case .log: "log"
            case .hop: "hop"
            case .abort: "abort"
            case .changePriority: "change_query_priority"
            }
        }
        /// Of several rules that hold the most severe one acts.
        package var severity: Int {
            switch self {
            case .log: 0
            case .changePriority: 1
            case .hop: 2
            case .abort: 3
            }
        }
    }
}

/// What rules can be about, by the names of `metric_name`.
package enum QueryMetric: String, Sendable, Hashable, CaseIterable {
    case cpuTime = "query_cpu_time"
    case blocksRead = "query_blocks_read"
    case scanRows = "scan_row_count"
    case executionTime = "query_execution_time"
    case queueTime = "query_queue_time"
    case cpuUsagePercent = "query_cpu_usage_percent"
    case temporaryBlocks = "query_temp_blocks_to_disk"
    case cpuSkew = "cpu_skew"
    case ioSkew = "io_skew"
    case joinRows = "join_row_count"
    case nestedLoopRows = "nested_loop_join_row_count"
    case returnRows = "return_row_count"
    case segmentTime = "segment_execution_time"
    case spectrumRows = "spectrum_scan_row_count"
    case spectrumMegabytes = "spectrum_scan_size_mb"
    case priority = "query_priority"

    /// The largest value that a predicate may name.
    package var largestValue: Double {
        switch self {
        case .cpuTime: 999_999
        case .blocksRead: 1_048_575
        case .executionTime, .queueTime: 86_399
        case .cpuUsagePercent: 6_399
        case .temporaryBlocks: 319_815_679
        case .cpuSkew, .ioSkew: 99
        case .segmentTime: 86_388
        case .scanRows, .joinRows, .nestedLoopRows, .returnRows, .spectrumRows, .spectrumMegabytes:
            999_999_999_999_999
        case .priority: Double(QueryPriority.highest.rawValue)
        }
    }

    /// Counts; times, percentages and ratios have fractions too.
    package var isWhole: Bool {
        switch self {
        case .blocksRead, .temporaryBlocks, .scanRows, .joinRows, .nestedLoopRows, .returnRows, .spectrumRows,
            .spectrumMegabytes, .priority:
            true
        case .cpuTime, .executionTime, .queueTime, .cpuUsagePercent, .cpuSkew, .ioSkew, .segmentTime: false
        }
    }

    /// Times were in microseconds once, and examples with such values are still about.
    var unitHint: String? {
        switch self {
        case .cpuTime, .executionTime, .queueTime, .segmentTime: "It is in seconds."
        case .blocksRead, .temporaryBlocks: "It counts blocks of 1 MB."
        case .cpuSkew, .ioSkew: "It is a ratio of the busiest slice to the average."
        case .cpuUsagePercent, .scanRows, .joinRows, .nestedLoopRows, .returnRows, .spectrumRows, .spectrumMegabytes,
            .priority:
            nil
        }
    }
}
