/// Reads one queue.
struct QueueReader {
    let object: ConfigurationObject
    let isAutomatic: Bool
    /// The default queue.
    let isLast: Bool

    static let known = [
        "name", "auto_wlm", "queue_type", "priority", "concurrency_scaling", "query_concurrency",
        "memory_percent_to_use", "max_execution_time", "user_group", "user_group_wild_card", "query_group",
        "query_group_wild_card", "user_role", "user_role_wild_card", "rules", "short_query_queue",
    ]
    static let lists = ["user_group", "query_group", "user_role", "rules"]
    private static let routes = ["user_group", "query_group", "user_role"]

    /// Whether statements are led into a queue by a name.
    static func isRouted(_ object: ConfigurationObject) -> Bool {
        routes.contains { route in
            guard let node = object[route] else { return false }
            return node.value != .array([])
        }
    }

    func queue(defaultName: String) throws(ConfigurationFault) -> QueueDefinition {
        var queue = QueueDefinition(name: defaultName)
        if let name = try object.string("name"), let node = object["name"] {
            try object.check(
                name, longest: WorkloadConfiguration.longestQueueName, "the name of a queue", at: node.offset)
            if name.contains(where: { $0 == "\"" || $0 == "'" }) {
                throw object.fault("the name of a queue has quotation marks", at: node.offset)
            }
            queue.name = name
        }
        try checkMode(queue.name)
        try checkRoutes(queue.name)
        if let word = try object.word("priority", QueueReader.priorities) {
            queue.priority = QueryPriority(name: word) ?? .normal
        }
        queue.scalesOut = try object.word("concurrency_scaling", ["off", "auto"]) == "auto"
        queue.userGroups = try list("user_group")
        queue.queryGroups = try list("query_group")
        queue.userRoles = try list("user_role")
        if isAutomatic { return queue }
        queue.slots =
            try object.integer("query_concurrency", 1...WorkloadConfiguration.mostSlots)
            ?? QueueDefinition.standardSlots
        queue.memoryPercent = try object.integer("memory_percent_to_use", 1...100)
        queue.maximumExecutionMilliseconds = Int64(
            try object.integer("max_execution_time", 0...Int(Int32.max)) ?? 0)
        return queue
    }

    /// Critical is by function only.
    static let priorities = QueryPriority.allCases.filter { $0 != .critical }.map(\.name)

    private func list(_ name: String) throws(ConfigurationFault) -> QueueDefinition.NameList {
        QueueDefinition.NameList(
            try object.names(name), hasWildcards: try object.flag(name + "_wild_card") ?? false)
    }

    private func checkMode(_ queue: String) throws(ConfigurationFault) {
        if !isAutomatic {
            guard object["priority"] != nil else { return }
            throw object.fault(
                "\"priority\" is for automatic queues, \"\(queue)\" is manual",
                hint: "Add \"auto_wlm\": true to the last queue, or leave the priority out.",
                at: object.place("priority"))
        }
        for name in ["query_concurrency", "memory_percent_to_use", "max_execution_time"] where object[name] != nil {
            // Beside the switch of short queries it is theirs.
            if name == "max_execution_time" && object["short_query_queue"] != nil { continue }
            let hint =
                name == "max_execution_time"
                ? "A rule with query_execution_time and the action abort limits automatic queues."
                : "The warehouse decides it for automatic queues; leave it out."
            throw object.fault(
                "\"\(name)\" is for manual queues, \"\(queue)\" is automatic", hint: hint, at: object.place(name))
        }
    }

    private func checkRoutes(_ queue: String) throws(ConfigurationFault) {
        guard isLast else { return }
        for name in QueueReader.routes {
            guard let node = object[name], node.value != .array([]) else { continue }
            throw object.fault(
                "the last queue, \"\(queue)\", is the default queue and cannot have \"\(name)\"",
                hint: "Add a queue without groups behind it: \(isAutomatic ? "{\"auto_wlm\": true}" : "{}").",
                at: object.place(name))
        }
    }
}
