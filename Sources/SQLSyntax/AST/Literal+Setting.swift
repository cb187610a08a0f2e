extension Literal {
    /// As the value of a parameter.
    package var settingText: String {
        switch value {
        case .null: ""
        case .boolean(let flag): flag ? "on" : "off"
        case .integer(let number): String(number)
        case .decimal(let text), .float(let text), .string(let text): text
        }
    }
}
