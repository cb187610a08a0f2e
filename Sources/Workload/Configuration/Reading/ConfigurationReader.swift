extension WorkloadConfiguration {
    /// Reads and checks the text of `wlm_json_configuration`.
    package init(text: String) throws(ConfigurationFault) { self = try ConfigurationReader.read(Array(text.utf8)) }

    /// The same of bytes that may be no text at all.
    package init(bytes: [UInt8]) throws(ConfigurationFault) { self = try ConfigurationReader.read(bytes) }
}

/// Reads the whole document: which objects are queues, the mode, the lane of short queries, and what holds over all
/// queues.
struct ConfigurationReader {
    private let text: [UInt8]
    private var queues: [ConfigurationObject] = []
    private var mode: ConfigurationMode
    private var shortQueries: ConfigurationObject?

    static func read(_ text: [UInt8]) throws(ConfigurationFault) -> WorkloadConfiguration {
        try checkLength(text)
        let root = try ConfigurationParser.parse(text)
        let reader = try ConfigurationReader(root, text)
        return try reader.configuration()
    }

    private static func checkLength(_ text: [UInt8]) throws(ConfigurationFault) {
        var characters = 0
        for (place, byte) in text.enumerated() where byte & 0xC0 != 0x80 {
            characters += 1
            if characters > WorkloadConfiguration.longestText {
                throw ConfigurationFault(
                    "the configuration is longer than \(WorkloadConfiguration.longestText) characters",
                    hint: "Blanks and line ends count too.", offset: place, in: text)
            }
        }
    }

    private init(_ root: ConfigurationNode, _ text: [UInt8]) throws(ConfigurationFault) {
        self.text = text
        mode = ConfigurationMode(text: text)
        for node in try ConfigurationReader.objects(root, text) {
            let object = try ConfigurationObject(node, "a queue", known: QueueReader.known, in: text)
            try mode.note(object)
            if try object.boolean("short_query_queue") != nil {
                if shortQueries != nil {
                    throw object.fault("\"short_query_queue\" is given twice", at: object.place("short_query_queue"))
                }
                shortQueries = object
            }
            if isQueue(object) { queues.append(object) }
        }
        try checkCount(root)
        try mode.check(queues)
    }

    /// An array, or one queue alone, as the default parameter group writes it.
    private static func objects(
        _ root: ConfigurationNode, _ text: [UInt8]
    ) throws(ConfigurationFault) -> [ConfigurationNode] {
        switch root.value {
        case .array(let nodes): return nodes
        case .object: return [root]
        default:
            throw ConfigurationFault(
                "a configuration is an array of queues, not \(root.description)",
                hint: "The default is \(WorkloadConfiguration.standardText).", offset: root.offset, in: text)
        }
    }

    /// Objects that say nothing of a queue are about the configuration: `short_query_queue`, and `auto_wlm` behind the
    /// default queue, both with empty lists beside them as consoles write them.
    private func isQueue(_ object: ConfigurationObject) -> Bool {
        let isShort = object["short_query_queue"] != nil
        let isMode = object["auto_wlm"] != nil
        guard isShort || isMode else { return true }
        for member in object.members {
            switch member.name {
            case "short_query_queue", "auto_wlm": continue
            case "max_execution_time" where isShort: continue
            case let name where QueueReader.lists.contains(name) && member.value.value == .array([]): continue
            case let name where name.hasSuffix("_wild_card") && member.value.value == .number(0): continue
            default: return true
            }
        }
        guard isMode else { return false }
        return queues.last.map { QueueReader.isRouted($0) } ?? true
    }

    private func checkCount(_ root: ConfigurationNode) throws(ConfigurationFault) {
        if queues.isEmpty {
            throw ConfigurationFault(
                "the configuration has no queue",
                hint: "Begin with {\"auto_wlm\": true} or {\"query_concurrency\": 5}.", offset: root.offset, in: text)
        }
        if queues.count > WorkloadConfiguration.mostQueues {
            let queue = queues[WorkloadConfiguration.mostQueues]
            throw queue.fault(
                "there are \(queues.count) queues, at most \(WorkloadConfiguration.mostQueues) are allowed",
                at: queue.offset)
        }
    }
}

extension ConfigurationReader {
    private func configuration() throws(ConfigurationFault) -> WorkloadConfiguration {
        var result = WorkloadConfiguration()
        result.isAutomatic = mode.isAutomatic
        result.text = String(decoding: text, as: UTF8.self)
        result.shortQueries = try readShortQueries()
        result.queues = []
        var rules = RuleReader(isAutomatic: mode.isAutomatic)
        for (index, object) in queues.enumerated() {
            let isLast = index == queues.count - 1
            let name = isLast ? WorkloadConfiguration.defaultQueueName : "Queue \(index + 1)"
            let reader = QueueReader(object: object, isAutomatic: mode.isAutomatic, isLast: isLast)
            var queue = try reader.queue(defaultName: name)
            if result.queues.contains(where: { $0.name == queue.name }) {
                throw object.fault(
                    "two queues have the name \"\(queue.name)\"",
                    hint: object["name"] == nil ? "This is the name of a queue without \"name\" here." : nil,
                    at: object.place("name"))
            }
            queue.rules = try rules.read(
                object, canHop: queues[(index + 1)...].contains { QueueReader.isRouted($0) })
            result.queues.append(queue)
        }
        try checkSlots(result.queues)
        try checkMemory(result.queues)
        return result
    }

    private func readShortQueries() throws(ConfigurationFault) -> WorkloadConfiguration.ShortQueries {
        var result = WorkloadConfiguration.ShortQueries()
        guard let object = shortQueries, let isOn = try object.boolean("short_query_queue") else { return result }
        result.isOn = isOn
        // In a manual queue it is that queue's.
        if isQueue(object) && !mode.isAutomatic { return result }
        guard let limit = try object.integer("max_execution_time", 0...Int(Int32.max)) else { return result }
        if limit != 0 && !WorkloadConfiguration.ShortQueries.limits.contains(Int64(limit)) {
            throw object.fault(
                "\"max_execution_time\" of short queries is 0 or a number from 1000 to 20000, not \(limit)",
                hint: "It is in milliseconds; 0 leaves it to the warehouse.",
                at: object["max_execution_time"]?.offset ?? object.offset)
        }
        result.maximumMilliseconds = Int64(limit)
        return result
    }

    private func checkSlots(_ read: [QueueDefinition]) throws(ConfigurationFault) {
        if mode.isAutomatic { return }
        var sum = 0
        for (queue, object) in zip(read, queues) {
            sum += queue.slots
            if sum <= WorkloadConfiguration.mostSlots { continue }
            throw object.fault(
                "the queues up to \"\(queue.name)\" have \(sum) slots, all together may have "
                    + "\(WorkloadConfiguration.mostSlots)",
                hint: "Lower \"query_concurrency\", which is 5 where it is not given.",
                at: object["query_concurrency"]?.offset ?? object.offset)
        }
    }

    private func checkMemory(_ read: [QueueDefinition]) throws(ConfigurationFault) {
        guard read.contains(where: { $0.memoryPercent != nil }) else { return }
        var sum = 0
        for (queue, object) in zip(read, queues) {
            guard let percent = queue.memoryPercent else {
                throw object.fault(
                    "\"memory_percent_to_use\" is missing in queue \"\(queue.name)\"",
                    hint: "When one queue has it, all must have it.", at: object.offset)
            }
            sum += percent
            if sum <= 100 { continue }
            throw object.fault(
                "the queues up to \"\(queue.name)\" use \(sum) percent of the memory",
                hint: "All together may use 100.", at: object["memory_percent_to_use"]?.offset ?? object.offset)
        }
    }
}
