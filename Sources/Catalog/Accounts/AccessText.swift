/// Access lists as PostgreSQL's catalogs write them: `{dev=arwdRxtDPA/dev,"group readers=r/dev"}`.
package struct AccessText: Sendable {
    private let accounts: AccountCatalog
    package init(_ accounts: AccountCatalog) { self.accounts = accounts }

    /// One entry: `user=r/dev`, `group readers=r/dev`, `role analyst=r/dev`, `=r/dev` for PUBLIC.
    package func item(_ entry: AccessEntry) -> String {
        let name: String
        switch entry.holder {
        case .everyone: name = ""
        case .user(let id): name = AccessText.quoted(accounts.users[id]?.name ?? String(id))
        case .group(let id): name = "group " + AccessText.quoted(accounts.groups[id]?.name ?? String(id))
        case .role(let id): name = "role " + AccessText.quoted(accounts.roles[id]?.name ?? String(id))
        }
        let grantor = AccessText.quoted(accounts.users[entry.grantor]?.name ?? String(entry.grantor))
        return name + "=" + entry.privileges.letters(grantable: entry.grantable) + "/" + grantor
    }

    package func items(_ list: AccessList) -> [String] { list.entries.map { item($0) } }

    private static func quoted(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
                || byte == 58 || byte == 36 || byte >= 128
        }
        if isPlain && !name.isEmpty { return name }
        var result = "\""
        for character in name { result += character == "\"" ? "\"\"" : String(character) }
        return result + "\""
    }
}
