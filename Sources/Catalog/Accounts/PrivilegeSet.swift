/// What may be done with an object, as a set. Bits stand in the order in which Redshift writes the letters of an ACL
/// (`arwdRxtXUCTDPA`), and are stored: never renumber them.
package struct PrivilegeSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let insert = PrivilegeSet(rawValue: 1 << 0)
    package static let select = PrivilegeSet(rawValue: 1 << 1)
    package static let update = PrivilegeSet(rawValue: 1 << 2)
    package static let delete = PrivilegeSet(rawValue: 1 << 3)
    package static let rule = PrivilegeSet(rawValue: 1 << 4)
    package static let references = PrivilegeSet(rawValue: 1 << 5)
    package static let trigger = PrivilegeSet(rawValue: 1 << 6)
    package static let execute = PrivilegeSet(rawValue: 1 << 7)
    package static let usage = PrivilegeSet(rawValue: 1 << 8)
    package static let create = PrivilegeSet(rawValue: 1 << 9)
    package static let temporary = PrivilegeSet(rawValue: 1 << 10)
    package static let drop = PrivilegeSet(rawValue: 1 << 11)
    package static let truncate = PrivilegeSet(rawValue: 1 << 12)
    package static let alter = PrivilegeSet(rawValue: 1 << 13)

    /// ALL on each kind of object.
    package static let allOnRelation: PrivilegeSet = [
        .insert, .select, .update, .delete, .rule, .references, .trigger, .drop, .truncate, .alter,
    ]
    package static let allOnColumn: PrivilegeSet = [.select, .update]
    package static let allOnSchema: PrivilegeSet = [.usage, .create, .drop, .alter]
    package static let allOnDatabase: PrivilegeSet = [.create, .temporary, .usage, .alter]

    private static let letters = Array("arwdRxtXUCTDPA")
    private static let words = [
        "INSERT", "SELECT", "UPDATE", "DELETE", "RULE", "REFERENCES", "TRIGGER", "EXECUTE", "USAGE", "CREATE",
        "TEMPORARY", "DROP", "TRUNCATE", "ALTER",
    ]

    /// nil for words that name no privilege; ALL means something else for each kind of object.
    package init?(word: String) {
        let word = word.uppercased()
        guard let bit = PrivilegeSet.words.firstIndex(of: word == "TEMP" ? "TEMPORARY" : word) else { return nil }
        rawValue = 1 << UInt16(bit)
    }

    /// The members, one by one, in the order of the letters.
    package var members: [PrivilegeSet] {
        PrivilegeSet.words.indices.map { PrivilegeSet(rawValue: 1 << UInt16($0)) }.filter { contains($0) }
    }
    /// Of a set with one member.
    package var word: String { PrivilegeSet.words[min(rawValue.trailingZeroBitCount, PrivilegeSet.words.count - 1)] }

    /// Letters, with a star behind those that may be passed on.
    package func letters(grantable: PrivilegeSet) -> String {
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
