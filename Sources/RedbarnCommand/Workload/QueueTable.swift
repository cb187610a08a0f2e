import Workload

/// The queues of a configuration as text.
struct QueueTable {
    private let configuration: WorkloadConfiguration
    private let memoryBytes: Int?
    /// As the warehouse would make them.
    private let classes: [ServiceClass]

    init(_ configuration: WorkloadConfiguration, memoryBytes: Int?) {
        self.configuration = configuration
        self.memoryBytes = memoryBytes
        // Nothing that is shown depends on the number of cores.
        classes = ServiceClasses(configuration, WorkloadMachine(cores: 1, memoryBytes: memoryBytes ?? 0)).queues
    }

    var text: String {
        var lines = [headline, ""]
        lines += QueueTable.aligned([header] + classes.map(row))
        let rules = configuration.queues.flatMap { queue in queue.rules.map { rule(of: queue, $0) } }
        if !rules.isEmpty {
            lines += ["", "Rules"]
            lines += QueueTable.aligned(rules)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var headline: String {
        let count = configuration.queues.count
        var parts = [count == 1 ? "1 queue" : "\(count) queues"]
        if !configuration.isAutomatic {
            let slots = configuration.queues.reduce(0) { $0 + $1.slots }
            parts.append("\(slots) of \(WorkloadConfiguration.mostSlots) slots")
        }
        let limit = configuration.shortQueries.maximumMilliseconds
        let short = limit == 0 ? "as long as experience says" : "up to \(limit) ms"
        parts.append(
            configuration.shortQueries.isOn ? "a lane for short queries, \(short)" : "no lane for short queries")
        return "\(configuration.isAutomatic ? "Automatic" : "Manual"): \(parts.joined(separator: ", "))"
    }

    private var header: [String] {
        var cells = ["class", "queue"]
        if configuration.isAutomatic {
            cells += ["slots", "priority"]
        } else {
            cells += ["slots", "memory"]
            if memoryBytes != nil { cells.append("per slot") }
            cells.append("time limit")
        }
        return cells + ["scaling", "rules", "statements"]
    }

    private func row(_ serviceClass: ServiceClass) -> [String] {
        let queue = serviceClass.definition
        var cells = ["\(serviceClass.id)", queue.name]
        if configuration.isAutomatic {
            cells += ["auto", queue.priority.name]
        } else {
            cells += ["\(queue.slots)", queue.memoryPercent.map { "\($0) %" } ?? "equal part"]
            if memoryBytes != nil { cells.append(serviceClass.memoryBytesPerSlot.map(QueueTable.size) ?? "auto") }
            cells.append(queue.maximumExecutionMilliseconds == 0 ? "-" : "\(queue.maximumExecutionMilliseconds) ms")
        }
        let isLast = serviceClass.id == classes.last?.id
        return cells + [
            queue.scalesOut ? "auto" : "off", queue.rules.isEmpty ? "-" : "\(queue.rules.count)",
            isLast ? "all others" : routes(of: queue),
        ]
    }

    private func routes(of queue: QueueDefinition) -> String {
        let lists = [("user group", queue.userGroups), ("query group", queue.queryGroups), ("role", queue.userRoles)]
        let parts = lists.compactMap { what, list -> String? in
            if list.names.isEmpty { return nil }
            return "\(what) \(list.hasWildcards ? "like" : "is") \(list.names.joined(separator: ", "))"
        }
        return parts.isEmpty ? "none: it has no groups" : parts.joined(separator: "; ")
    }

    private func rule(of queue: QueueDefinition, _ rule: MonitoringRule) -> [String] {
        var action = rule.action.name
        if case .changePriority(let priority) = rule.action { action += " to \(priority.name)" }
        return [queue.name, rule.name, rule.predicates.map(\.text).joined(separator: " and "), action]
    }
}

extension QueueTable {
    static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += "  " + cell + String(repeating: " ", count: width - cell.count)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    /// Rounded down.
    static func size(_ bytes: Int) -> String {
        bytes >= 10 << 30 ? "\(bytes >> 30) GB" : "\(bytes >> 20) MB"
    }
}
