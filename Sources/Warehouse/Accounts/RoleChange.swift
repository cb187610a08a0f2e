import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// CREATE, ALTER and DROP ROLE, GRANT ROLE and REVOKE ROLE.
extension AccountChange {
    mutating func createRole(_ node: RoleStatement) throws {
        try require(rights.has(system: "CREATE ROLE"), "permission denied to create role")
        try checkNewRole(node.name)
        var role = RoleDefinition(id: accounts.makeID(), name: node.name.text, owner: rights.user.id)
        for option in node.options {
            guard option.name.hasPrefix("EXTERNALID") else { throw unknown(option) }
            role.externalID = option.values.first?.text
        }
        accounts.roles[role.id] = role
    }

    private func unknown(_ option: StatementOption) -> SQLError {
        SQLError(.syntaxError, "option \"\(option.name.lowercased())\" not recognized", at: option.position)
    }

    private func checkNewRole(_ name: Identifier) throws {
        if name.text == "public" || ["sys:", "ds:"].contains(where: { name.text.hasPrefix($0) }) {
            throw SQLError("42939", "role name \"\(name)\" is reserved", at: name.position)
        }
        guard accounts.role(named: name.text) == nil else {
            throw SQLError(.duplicateObject, "role \"\(name)\" already exists", at: name.position)
        }
    }

    /// Owners, and users with the role WITH ADMIN OPTION.
    private func mayManage(_ role: RoleDefinition) -> Bool {
        if rights.isSuperuser || role.owner == rights.user.id { return true }
        let own = RoleMembership(role: role.id, member: .user(rights.user.id))
        return accounts.roleGrants[own]?.adminOption ?? false
    }

    private func requireChangeable(_ role: RoleDefinition) throws {
        try require(mayManage(role) && !role.isSystemDefined, "must be owner of role \(role.name)")
    }

    mutating func alterRole(_ node: RoleStatement) throws {
        let lookup = PrincipalLookup(accounts, at: node.position)
        var role = try lookup.role(node.name)
        try requireChangeable(role)
        for option in node.options {
            switch (option.name, option.values.first) {
            case ("RENAME TO", .names(let names)?):
                guard let name = names.first else { throw unknown(option) }
                try checkNewRole(name)
                role.name = name.text
            case ("OWNER TO", .names(let names)?):
                guard let name = names.first else { throw unknown(option) }
                role.owner = try lookup.user(name).id
            case ("EXTERNALID", let value), ("EXTERNALID TO", let value): role.externalID = value?.text
            default: throw unknown(option)
            }
        }
        accounts.roles[role.id] = role
    }

    mutating func dropRole(_ name: Identifier, force: Bool) throws {
        let role = try PrincipalLookup(accounts, at: name.position).role(name)
        try require(
            !role.isSystemDefined && (mayManage(role) || rights.has(system: "DROP ROLE")),
            "must be owner of role \(role.name)")
        let holder = PrivilegeHolder.role(role.id)
        let isGranted = accounts.roleGrants.keys.contains { $0.role == role.id || $0.member == holder }
        if !force && (isGranted || accounts.hasPrivileges(holder)) {
            throw SQLError(
                .dependentObjects, "role \"\(name)\" cannot be dropped because some objects depend on it",
                detail: isGranted ? "The role is granted, or others are granted to it." : "The role has privileges.",
                hint: "Use DROP ROLE ... FORCE to take back everything first.")
        }
        accounts.removeGrants(to: holder)
        for membership in Array(accounts.roleGrants.keys) where membership.role == role.id {
            accounts.roleGrants[membership] = nil
        }
        accounts.roles[role.id] = nil
    }

    // MARK: GRANT ROLE

    mutating func grantRoles(_ node: GrantRoleStatement) throws {
        let lookup = PrincipalLookup(accounts, at: node.position)
        for name in node.roles {
            let role = try lookup.role(name)
            try require(
                mayManage(role) || rights.has(system: "GRANT ROLE"), "permission denied for role \(role.name)")
            for grantee in node.grantees {
                let holder = try lookup.holder(grantee)
                switch holder {
                case .user, .role: break
                case .everyone, .group:
                    throw SQLError("0LP01", "roles can only be granted to users and roles", at: node.position)
                }
                if node.isRevoke {
                    revoke(role, from: holder, optionOnly: node.adminOption)
                } else {
                    try grant(role, to: holder, node)
                }
            }
        }
    }

    private mutating func grant(_ role: RoleDefinition, to holder: PrivilegeHolder, _ node: GrantRoleStatement) throws {
        if case .role(let id) = holder {
            if node.adminOption {
                throw SQLError("0LP01", "ADMIN OPTION can only be granted to users", at: node.position)
            }
            if id == role.id || AccessRights.roles(of: .role(role.id), in: accounts).contains(id) {
                let member = accounts.roles[id]?.name ?? ""
                throw SQLError(
                    "0LP01", "role \"\(role.name)\" is a member of role \"\(member)\"", at: node.position)
            }
        }
        let membership = RoleMembership(role: role.id, member: holder)
        let hadOption = accounts.roleGrants[membership]?.adminOption ?? false
        accounts.roleGrants[membership] = RoleGrant(
            adminOption: node.adminOption || hadOption, grantor: rights.user.id)
    }

    private mutating func revoke(_ role: RoleDefinition, from holder: PrivilegeHolder, optionOnly: Bool) {
        let membership = RoleMembership(role: role.id, member: holder)
        if optionOnly {
            accounts.roleGrants[membership]?.adminOption = false
        } else {
            accounts.roleGrants[membership] = nil
        }
    }
}
