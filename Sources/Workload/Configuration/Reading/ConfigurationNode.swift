/// A JSON value of a configuration, with its place in the text.
struct ConfigurationNode: Sendable, Hashable {
    enum Value: Sendable, Hashable {
        case null
        case boolean(Bool)
        case number(Double)
        case string(String)
        case array([ConfigurationNode])
        case object([Member])
    }

    struct Member: Sendable, Hashable {
        var name: String
        /// Of the name's opening quote.
        var offset: Int
        var value: ConfigurationNode
    }

    var value: Value
    /// Of its first byte.
    var offset: Int

    /// What it is, for messages.
    var description: String {
        switch value {
        case .null: "null"
        case .boolean(let value): value ? "true" : "false"
        case .number(let value): ConfigurationNode.shown(value)
        case .string(let value): "\"\(ConfigurationNode.shortened(value))\""
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whole numbers without a point.
    static func shown(_ value: Double) -> String {
        guard value.magnitude < 1e15, let whole = Int(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }

    /// Texts of users in messages.
    static func shortened(_ text: String) -> String {
        let shown = String(text.unicodeScalars.prefix(40).map { $0.value < 32 ? " " : Character($0) })
        return text.unicodeScalars.count > 40 ? shown + "..." : shown
    }
}
