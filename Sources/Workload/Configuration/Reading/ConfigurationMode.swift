/// Automatic or manual: what the objects of a configuration say, which must be the same.
struct ConfigurationMode {
    private let text: [UInt8]
    private(set) var isAutomatic = false
    /// Of the first `auto_wlm`.
    private var decided: Bool?

    init(text: [UInt8]) { self.text = text }

    mutating func note(_ object: ConfigurationObject) throws(ConfigurationFault) {
        _ = try object.word("queue_type", ["auto", "manual"])
        guard let value = try object.boolean("auto_wlm") else { return }
        if let decided, decided != value {
            throw object.fault(
                "\"auto_wlm\" is \(value) here and \(decided) before", hint: ConfigurationMode.advice,
                at: object.place("auto_wlm"))
        }
        decided = value
        isAutomatic = value
    }

    /// All queues are of one mode. Without `auto_wlm` a queue is manual unless `queue_type` says otherwise.
    mutating func check(_ queues: [ConfigurationObject]) throws(ConfigurationFault) {
        if decided == nil { isAutomatic = try queues.first?.word("queue_type", ["auto", "manual"]) == "auto" }
        for queue in queues {
            let type = try queue.word("queue_type", ["auto", "manual"])
            if type == nil && decided != nil { continue }
            let isAutomaticHere = type == "auto"
            if isAutomaticHere == isAutomatic { continue }
            throw queue.fault(
                type.map { "\"queue_type\" is \($0), but the queues are \(isAutomatic ? "automatic" : "manual")" }
                    ?? "a queue without \"queue_type\" is manual, but the queues are automatic",
                hint: ConfigurationMode.advice, at: queue.place("queue_type"))
        }
    }

    private static let advice =
        "All queues are automatic (\"auto_wlm\": true in the last one) or all are manual."
}
