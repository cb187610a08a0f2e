import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// CREATE, ALTER and DROP GROUP.
extension AccountChange {
    mutating func createGroup(_ node: CreateGroupStatement) throws {
        try require(rights.isSuperuser, "must be superuser to create groups")
        try checkNewGroup(node.name)
        let lookup = PrincipalLookup(accounts, at: node.position)
        var members: [Int] = []
        for name in node.users {
            let user = try lookup.user(name)
            if !members.contains(user.id) { members.append(user.id) }
        }
        let group = GroupDefinition(id: accounts.makeID(), name: node.name.text, members: members)
        accounts.groups[group.id] = group
    }

    private func checkNewGroup(_ name: Identifier) throws {
        if name.text == "public" {
            throw SQLError("42939", "group name \"public\" is reserved", at: name.position)
        }
        guard accounts.group(named: name.text) == nil else {
            throw SQLError(.duplicateObject, "group \"\(name)\" already exists", at: name.position)
        }
    }

    mutating func alterGroup(_ node: AlterGroupStatement) throws {
        let lookup = PrincipalLookup(accounts, at: node.position)
        var group = try lookup.group(node.name)
        switch node.action {
        case .addUsers(let names):
            try require(rights.isSuperuser, "must be superuser to alter groups")
            for name in names {
                let user = try lookup.user(name)
                if group.members.contains(user.id) {
                    notices.append("WARNING:  user \"\(name)\" is already in group \"\(node.name)\"")
                } else {
                    group.members.append(user.id)
                }
            }
        case .dropUsers(let names):
            try require(rights.isSuperuser, "must be superuser to alter groups")
            for name in names {
                let user = try lookup.user(name)
                if !group.members.contains(user.id) {
                    notices.append("WARNING:  user \"\(name)\" is not in group \"\(node.name)\"")
                }
                group.members.removeAll { $0 == user.id }
            }
        case .renameTo(let name):
            try require(rights.isSuperuser, "must be superuser to rename groups")
            try checkNewGroup(name)
            group.name = name.text
        }
        accounts.groups[group.id] = group
    }

    mutating func dropGroup(_ name: Identifier) throws {
        try require(rights.isSuperuser, "must be superuser to drop groups")
        let group = try PrincipalLookup(accounts, at: name.position).group(name)
        let holder = PrivilegeHolder.group(group.id)
        if accounts.hasPrivileges(holder) {
            throw SQLError(
                .objectInUse, "group \"\(name)\" can't be dropped because the group has a privilege on some object")
        }
        accounts.removeGrants(to: holder)
        accounts.groups[group.id] = nil
    }
}

extension AccountCatalog {
    func hasPrivileges(_ holder: PrivilegeHolder) -> Bool {
        access.values.contains { $0.entries.contains { $0.holder == holder } }
            || defaultAccess.values.contains { $0.entries.contains { $0.holder == holder } }
    }
}
