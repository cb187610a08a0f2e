import Binder
import Catalog
import SQLSyntax
import SQLTypes

/// CREATE, ALTER and DROP USER.
extension AccountChange {
    mutating func createUser(_ node: UserStatement) throws {
        try require(rights.has(system: "CREATE USER"), "must be superuser to create users")
        try checkNewUser(node.name)
        var user = UserDefinition(id: accounts.makeID(), name: node.name.text)
        var groups: [Identifier] = []
        for option in node.options {
            if option.name == "IN GROUP", case .names(let names)? = option.values.first {
                groups += names
            } else {
                try apply(option, to: &user)
            }
        }
        try require(!user.isSuperuser || rights.isSuperuser, "must be superuser to create superusers")
        accounts.users[user.id] = user
        for name in groups {
            let group = try PrincipalLookup(accounts, at: node.position).group(name)
            accounts.groups[group.id]?.members.append(user.id)
        }
    }

    private func checkNewUser(_ name: Identifier) throws {
        if name.text == "public" {
            throw SQLError("42939", "user name \"public\" is reserved", at: name.position)
        }
        guard accounts.user(named: name.text) == nil else {
            throw SQLError(.duplicateObject, "user \"\(name)\" already exists", at: name.position)
        }
    }

    mutating func alterUser(_ node: UserStatement) throws {
        var user = try PrincipalLookup(accounts, at: node.position).user(node.name)
        try checkMayAlter(user, node)
        let before = user
        for option in node.options {
            if option.name == "RENAME TO", case .names(let names)? = option.values.first, let name = names.first {
                try rename(&user, to: name)
            } else {
                try apply(option, to: &user)
            }
        }
        try require(
            user.isSuperuser == before.isSuperuser || rights.isSuperuser,
            "must be superuser to alter superusers")
        if !user.isSuperuser, user.id == UserDefinition.firstID || user.id == UserDefinition.bootstrapID {
            throw SQLError(.objectInUse, "user \"\(user.name)\" is the warehouse's first superuser and stays one")
        }
        accounts.users[user.id] = user
    }

    /// Everybody may change their own password and their own settings.
    private func checkMayAlter(_ user: UserDefinition, _ node: UserStatement) throws {
        if rights.isSuperuser { return }
        let isOwn = user.id == rights.user.id
        let own: Set<String> = ["PASSWORD", "SET", "RESET"]
        if isOwn && node.options.allSatisfy({ own.contains($0.name) && !$0.disablesPassword }) { return }
        try require(rights.has(system: "ALTER USER") && !user.isSuperuser, "permission denied to alter user")
    }

    private mutating func rename(_ user: inout UserDefinition, to name: Identifier) throws {
        try require(rights.isSuperuser, "must be superuser to rename users")
        if user.id == session || user.id == rights.user.id {
            throw SQLError(.featureNotSupported, "session user may not be renamed")
        }
        try checkNewUser(name)
        user.name = name.text
        if let password = user.password, PasswordSecret.md5Digest(password.stored) != nil {
            user.password = nil
            notices.append("NOTICE:  MD5 password cleared because of user rename")
        }
    }

    mutating func dropUser(_ name: Identifier) throws {
        try require(rights.has(system: "DROP USER"), "must be superuser to drop users")
        let user = try PrincipalLookup(accounts, at: name.position).user(name)
        try require(!user.isSuperuser || rights.isSuperuser, "must be superuser to drop superusers")
        if user.id == rights.user.id { throw SQLError(.objectInUse, "current user cannot be dropped") }
        if user.id == session { throw SQLError(.objectInUse, "session user cannot be dropped") }
        let isFirst = user.id == UserDefinition.firstID || user.id == UserDefinition.bootstrapID
        let owns =
            isFirst || catalog.isOwner(user.id)
            || accounts.roles.values.contains { $0.owner == user.id }
        if owns {
            throw SQLError(.objectInUse, "user \"\(name)\" can't be dropped because the user owns some object")
        }
        let hasPrivileges =
            accounts.access.values.contains { $0.names(user: user.id) }
            || accounts.defaultAccess.contains { $0.key.owner == user.id || $0.value.names(user: user.id) }
        if hasPrivileges {
            throw SQLError(
                .objectInUse, "user \"\(name)\" can't be dropped because the user has a privilege on some object")
        }
        accounts.removeGrants(to: .user(user.id))
        for id in accounts.groups.keys { accounts.groups[id]?.members.removeAll { $0 == user.id } }
        accounts.users[user.id] = nil
    }

    // MARK: Options

    private func apply(_ option: StatementOption, to user: inout UserDefinition) throws {
        switch option.name {
        case "CREATEDB": user.canCreateDatabases = true
        case "NOCREATEDB": user.canCreateDatabases = false
        case "CREATEUSER": user.isSuperuser = true
        case "NOCREATEUSER": user.isSuperuser = false
        case "PASSWORD": try setPassword(option, of: &user)
        case "SYSLOG ACCESS":
            let word = option.values.first?.text?.lowercased() ?? ""
            guard ["restricted", "unrestricted"].contains(word) else { throw invalid(option) }
            user.isSyslogUnrestricted = word == "unrestricted"
        case "VALID UNTIL": user.validUntilMicroseconds = try expiry(option)
        case "CONNECTION LIMIT": user.connectionLimit = try limit(option, 0...1_000_000)
        case "SESSION TIMEOUT": user.sessionTimeoutSeconds = try limit(option, 60...1_728_000)
        case "RESET SESSION TIMEOUT": user.sessionTimeoutSeconds = nil
        case "EXTERNALID", "EXTERNALID TO": user.externalID = option.values.first?.text
        case "SET": try set(option, of: &user)
        case "RESET":
            let name = option.values.first?.text ?? ""
            if name == "all" { user.settings = [:] } else { user.settings[name] = nil }
        default:
            throw SQLError(.syntaxError, "option \"\(option.name.lowercased())\" not recognized", at: option.position)
        }
    }

    private func invalid(_ option: StatementOption) -> SQLError {
        SQLError(
            .invalidParameterValue, "invalid value for \(option.name): \"\(option.values.first?.text ?? "")\"",
            at: option.position)
    }

    private func setPassword(_ option: StatementOption, of user: inout UserDefinition) throws {
        guard let value = option.values.first else { throw invalid(option) }
        if option.disablesPassword {
            if user.isSuperuser {
                throw SQLError(.invalidParameterValue, "cannot disable a superuser's password", at: option.position)
            }
            user.password = nil
            return
        }
        guard case .string(let text, _) = value else {
            throw SQLError(.syntaxError, "PASSWORD takes a string or DISABLE", at: option.position)
        }
        do {
            user.password = try PasswordRules.verifier(text, user: user.name, encryption: passwordEncryption, random)
        } catch var error as SQLError {
            error.position = option.position.offset
            throw error
        }
    }

    private func expiry(_ option: StatementOption) throws -> Int64? {
        guard let text = option.values.first?.text else { throw invalid(option) }
        if text.lowercased() == "infinity" { return nil }
        let value = try Datum.text(text).cast(from: .varchar(64), to: .timestamptz, explicit: true, context: datetime)
        guard case .integer(let microseconds) = value, let moment = Int64(exactly: microseconds) else {
            throw invalid(option)
        }
        return moment
    }

    /// nil for UNLIMITED.
    private func limit(_ option: StatementOption, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = option.values.first?.text else { throw invalid(option) }
        if text.lowercased() == "unlimited" || text == "-1" && range.lowerBound == 0 { return nil }
        guard let number = Int(text) else { throw invalid(option) }
        guard range.contains(number) else {
            throw SQLError(
                .invalidParameterValue,
                "\(number) is outside the valid range for \(option.name) (\(range.lowerBound) .. \(range.upperBound))",
                at: option.position)
        }
        return number
    }

    private func set(_ option: StatementOption, of user: inout UserDefinition) throws {
        guard let name = option.values.first?.text else { throw invalid(option) }
        let text = option.values.dropFirst().compactMap(\.text).joined(separator: ", ")
        if option.values.count == 2, text.lowercased() == "default" {
            user.settings[name] = nil
            return
        }
        // Refuses unknown parameters and values.
        var settings = SessionSettings()
        try settings.set(name, text)
        user.settings[name] = text
    }
}

extension StatementOption {
    var disablesPassword: Bool {
        if name == "PASSWORD", case .word("disable", _)? = values.first { true } else { false }
    }
}
