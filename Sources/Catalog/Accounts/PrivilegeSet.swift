/// What may be done with an object, as a set. Bits stand in the order in which Redshift writes the letters of an ACL
/// (`arwdRxtXUCTDPA`), and are stored: never renumber them.
public struct PrivilegeSet: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let insert = PrivilegeSet(rawValue: 1 << 0)
    public static let select = PrivilegeSet(rawValue: 1 << 1)
    public static let update = PrivilegeSet(rawValue: 1 << 2)
    public static let delete = PrivilegeSet(rawValue: 1 << 3)
    public static let rule = PrivilegeSet(rawValue: 1 << 4)
    public static let references = PrivilegeSet(rawValue: 1 << 5)
    public static let trigger = PrivilegeSet(rawValue: 1 << 6)
    public static let execute = PrivilegeSet(rawValue: 1 << 7)
    public static let usage = PrivilegeSet(rawValue: 1 << 8)
    public static let create = PrivilegeSet(rawValue: 1 << 9)
    public static let temporary = PrivilegeSet(rawValue: 1 << 10)
    public static let drop = PrivilegeSet(rawValue: 1 << 11)
    public static let truncate = PrivilegeSet(rawValue: 1 << 12)
    public static let alter = PrivilegeSet(rawValue: 1 << 13)

    /// ALL on each kind of object.
    public static let allOnRelation: PrivilegeSet = [
        .insert, .select, .update, .delete, .rule, .references, .trigger, .drop, .truncate, .alter,
    ]
    public static let allOnColumn: PrivilegeSet = [.select, .update]
    public static let allOnSchema: PrivilegeSet = [.usage, .create, .drop, .alter]
    public static let allOnDatabase: PrivilegeSet = [.create, .temporary, .usage, .alter]

    private static let letters = Array("arwdRxtXUCTDPA")
    private static let words = [
        "INSERT", "SELECT", "UPDATE", "DELETE", "RULE", "REFERENCES", "TRIGGER", "EXECUTE", "USAGE", "CREATE",
        "TEMPORARY", "DROP", "TRUNCATE", "ALTER",
    ]

    /// nil for words that name no privilege; ALL means something else for each kind of object.
    public init?(word: String) {
        let word = word.uppercased()
        guard let bit = PrivilegeSet.words.firstIndex(of: word == "TEMP" ? "TEMPORARY" : word) else { return nil }
        rawValue = 1 << UInt16(bit)
    }

    /// The members, one by one, in the order of the letters.
    public var members: [PrivilegeSet] {
        PrivilegeSet.words.indices.map { PrivilegeSet(rawValue: 1 << UInt16($0)) }.filter { contains($0) }
    }
    /// Of a set with one member.
    public var word: String { PrivilegeSet.words[min(rawValue.trailingZeroBitCount, PrivilegeSet.words.count - 1)] }
    public var wordList: [String] { members.map(\.word) }

    /// Letters, with a star behind those that may be passed on.
    public func letters(grantable: PrivilegeSet) -> String {
        var text = ""
        for (bit, letter) in PrivilegeSet.letters.enumerated() {
            let member = PrivilegeSet(rawValue: 1 << UInt16(bit))
            guard contains(member) else { continue }
            text.append(letter)
            if grantable.contains(member) { text.append("*") }
        }
        return text
    }
}
