/// An object of a configuration, whose properties are read by type.
struct ConfigurationObject {
    let members: [ConfigurationNode.Member]
    let offset: Int
    let text: [UInt8]

    /// - Parameter what: "a queue", for messages.
    init(
        _ node: ConfigurationNode, _ what: String, known: [String], in text: [UInt8]
    ) throws(ConfigurationFault) {
        self.text = text
        offset = node.offset
        guard case .object(let members) = node.value else {
            throw ConfigurationFault(
                "\(what) is an object in braces, not \(node.description)", offset: node.offset, in: text)
        }
        self.members = members
        for member in members where !known.contains(member.name) {
            let near = NearestName.find(member.name, among: known)
            throw ConfigurationFault(
                "\(what) has no property \"\(ConfigurationNode.shortened(member.name))\"",
                hint: near.map { "Did you mean \"\($0)\"?" } ?? "It has \(known.joined(separator: ", ")).",
                offset: member.offset, in: text)
        }
    }

    subscript(name: String) -> ConfigurationNode? { members.first { $0.name == name }?.value }
    /// Where a property stands; else where the object does.
    func place(_ name: String) -> Int { members.first { $0.name == name }?.offset ?? offset }

    func fault(_ message: String, hint: String? = nil, at place: Int) -> ConfigurationFault {
        ConfigurationFault(message, hint: hint, offset: place, in: text)
    }

    private func wrongType(
        _ name: String, _ wanted: String, _ node: ConfigurationNode, hint: String? = nil
    ) -> ConfigurationFault {
        fault("\"\(name)\" is \(wanted), not \(node.description)", hint: hint, at: node.offset)
    }

    func boolean(_ name: String) throws(ConfigurationFault) -> Bool? {
        guard let node = self[name] else { return nil }
        guard case .boolean(let value) = node.value else { throw wrongType(name, "true or false", node) }
        return value
    }

    /// 0 or 1.
    func flag(_ name: String) throws(ConfigurationFault) -> Bool? {
        guard let node = self[name] else { return nil }
        switch node.value {
        case .number(0): return false
        case .number(1): return true
        case .boolean(let value):
            throw wrongType(name, "0 or 1", node, hint: "Write \(value ? 1 : 0) for \(value).")
        default: throw wrongType(name, "0 or 1", node)
        }
    }

    func integer(_ name: String, _ range: ClosedRange<Int>) throws(ConfigurationFault) -> Int? {
        guard let node = self[name] else { return nil }
        guard case .number(let number) = node.value else {
            var hint: String?
            if case .string(let text) = node.value, let value = Int(text) { hint = "Write \(value) without quotes." }
            throw wrongType(name, "a whole number", node, hint: hint)
        }
        guard let value = Int(exactly: number), range.contains(value) else {
            throw wrongType(name, "a whole number from \(range.lowerBound) to \(range.upperBound)", node)
        }
        return value
    }

    func string(_ name: String) throws(ConfigurationFault) -> String? {
        guard let node = self[name] else { return nil }
        guard case .string(let value) = node.value else { throw wrongType(name, "a text in double quotes", node) }
        return value
    }

    /// A word of a list, without regard to case.
    func word(_ name: String, _ known: [String]) throws(ConfigurationFault) -> String? {
        guard let value = try string(name), let node = self[name] else { return nil }
        if let found = known.first(where: { $0 == value.lowercased() }) { return found }
        let near = NearestName.find(value, among: known)
        throw wrongType(
            name, "one of \(known.joined(separator: ", "))", node, hint: near.map { "Did you mean \"\($0)\"?" })
    }

    func array(_ name: String) throws(ConfigurationFault) -> [ConfigurationNode]? {
        guard let node = self[name] else { return nil }
        guard case .array(let elements) = node.value else { throw wrongType(name, "an array in brackets", node) }
        return elements
    }

    /// Names of groups or roles: an array, or a single name.
    func names(_ name: String) throws(ConfigurationFault) -> [String] {
        guard let node = self[name] else { return [] }
        let elements: [ConfigurationNode]
        switch node.value {
        case .array(let found): elements = found
        case .string(let text) where text.contains(","):
            throw wrongType(name, "an array of names", node, hint: "Write [\"a\", \"b\"] for several names.")
        case .string: elements = [node]
        default: throw wrongType(name, "an array of names", node)
        }
        var names: [String] = []
        for element in elements {
            guard case .string(let text) = element.value else { throw wrongType(name, "an array of names", element) }
            try check(text, longest: ConfigurationObject.longestGroupName, "a name in \"\(name)\"", at: element.offset)
            names.append(text)
        }
        return names
    }

    /// As identifiers and labels in SQL.
    static let longestGroupName = 127

    func check(
        _ name: String, longest: Int, _ what: String, at place: Int
    ) throws(ConfigurationFault) {
        if name.allSatisfy(\.isWhitespace) { throw fault("\(what) is empty", at: place) }
        if name.utf8.count > longest { throw fault("\(what) is longer than \(longest) bytes", at: place) }
        if name.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            throw fault("\(what) has a control character", at: place)
        }
    }
}
