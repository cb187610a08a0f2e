import Catalog
import SQLTypes
import VectorEngine

/// An entry of an access list, read from the text that catalogs show: `user=ar*/grantor`.
struct AccessItem: Hashable {
    /// With the word in front that tells groups and roles from users; empty: PUBLIC.
    private var holder: String
    private var grantor: String
    private var letters: Set<Character> = []
    /// Those with a star behind them.
    private var grantable: Set<Character> = []

    /// nil for other texts.
    private init?(_ text: String) {
        var parts = ["", "", ""]
        var place = 0
        var isQuoted = false
        for character in text {
            if character == "\"" { isQuoted.toggle() }
            if !isQuoted, place == 0 && character == "=" || place == 1 && character == "/" {
                place += 1
            } else {
                parts[place].append(character)
            }
        }
        guard place == 2 else { return nil }
        (holder, grantor) = (parts[0], parts[2])
        var last: Character?
        for character in parts[1] {
            if character == "*", let last { grantable.insert(last) } else { letters.insert(character) }
            last = character
        }
    }

    /// ACLCONTAINS: one of the list's entries has all privileges of the item, for the same holder and from the same
    /// grantor.
    static func contains(_ list: Datum, _ item: String) -> Bool {
        guard let wanted = AccessItem(item) else { return false }
        return ArrayFunctions.elements(list).contains { element in
            guard let entry = AccessItem(String(decoding: element, as: UTF8.self)) else { return false }
            return entry.holder == wanted.holder && entry.grantor == wanted.grantor
                && entry.letters.isSuperset(of: wanted.letters) && entry.grantable.isSuperset(of: wanted.grantable)
        }
    }

    /// MAKEACLITEM of PostgreSQL 8.0: neither user nor group is PUBLIC.
    static func text(
        user: Int, group: Int, grantor: Int, privilege: String, grantable: Bool, _ accounts: AccountCatalog
    ) throws -> String {
        guard user == 0 || group == 0 else {
            throw SQLError(.invalidParameterValue, "cannot specify both user and group")
        }
        guard let privileges = PrivilegeSet(word: privilege.lowercased()) else {
            throw SQLError(.invalidParameterValue, "unrecognized privilege type: \"\(privilege)\"")
        }
        let holder: PrivilegeHolder = user != 0 ? .user(user) : group != 0 ? .group(group) : .everyone
        return AccessText(accounts).item(
            AccessEntry(
                holder: holder, privileges: privileges, grantable: grantable ? privileges : [], grantor: grantor))
    }
}
