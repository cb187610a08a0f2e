import SQLTypes

/// GRANT, REVOKE, users, groups, roles, databases.
extension Parser {
    mutating func grantOrRevoke() throws -> Statement {
        let start = index
        return try grant(start, defaults: nil)
    }

    mutating func alterDefaultPrivileges(_ start: Int) throws -> Statement {
        try expect(.default, .privileges)
        var users: [Identifier] = []
        var schemas: [ObjectName] = []
        if take(.for) {
            if !take(.user) { try expect(.role) }
            users = try list { try $0.roleName() }
        }
        if take(.in) {
            try expect(.schema)
            schemas = try list { try $0.objectName() }
        }
        return try grant(start, defaults: DefaultPrivileges(users: users, schemas: schemas))
    }

    private mutating func grant(_ start: Int, defaults: DefaultPrivileges?) throws -> Statement {
        let isRevoke = at(.revoke)
        if !isRevoke, !at(.grant) { throw syntaxError() }
        advance()
        var option = false
        if isRevoke, at(.grant) || at(.admin), peek().keyword == .option {
            index += 2
            try expect(.for)
            option = true
        }
        if at(.role), isName(peek()), peek().kind != .comma {
            return .grantRole(try grantRole(start, isRevoke, option))
        }
        let privileges = try list { try $0.privilege() }
        if privileges.contains(where: { $0.name == "ASSUMEROLE" }) {
            return .generic(try generic(from: start, tag: isRevoke ? "REVOKE ASSUMEROLE" : "GRANT ASSUMEROLE"))
        }
        if at(.on), let tag = otherGrantTag(isRevoke) {
            return .generic(try generic(from: start, tag: tag))
        }
        let target = try privilegeTarget(isDefault: defaults != nil)
        guard isRevoke ? take(.from) : take(.to) else { throw syntaxError(expecting: isRevoke ? .from : .to) }
        let grantees = try list { try $0.grantee() }
        if at(.with), peek().keyword == .grant {
            index += 2
            try expect(.option)
            option = true
        }
        return .grant(
            GrantStatement(
                isRevoke: isRevoke, privileges: privileges, target: target, grantees: grantees, grantOption: option,
                cascade: cascade(), defaults: defaults, position: position(of: start)))
    }

    /// Rights on objects that there are not, whose statements have words of their own.
    private func otherGrantTag(_ isRevoke: Bool) -> String? {
        let verb = isRevoke ? "REVOKE" : "GRANT"
        let next = peek()
        if next.keyword == .datashare { return "\(verb) ON DATASHARE" }
        if next.keyword == .model { return "\(verb) ON MODEL" }
        if next.keyword == .external {
            return "\(verb) ON EXTERNAL \(matches(peek(2), "schema") ? "SCHEMA" : "TABLE")"
        }
        if matches(next, "copy"), matches(peek(2), "job") { return "\(verb) ON COPY JOB" }
        return nil
    }

    private mutating func grantRole(_ start: Int, _ isRevoke: Bool, _ option: Bool) throws -> GrantRoleStatement {
        let roles = try list { parser in
            try parser.expect(.role)
            return try parser.roleName()
        }
        guard isRevoke ? take(.from) : take(.to) else { throw syntaxError(expecting: isRevoke ? .from : .to) }
        let grantees = try list { try $0.grantee() }
        var admin = option
        if at(.with), peek().keyword == .admin {
            index += 2
            try expect(.option)
            admin = true
        }
        return GrantRoleStatement(
            isRevoke: isRevoke, roles: roles, grantees: grantees, adminOption: admin, position: position(of: start))
    }

    /// Words up to a comma, a column list, or what a target begins with.
    private mutating func privilege() throws -> Privilege {
        let place = position
        var words: [String] = []
        while at(.word), !at(.on), !(at(.to) || at(.from) || at(.for)) {
            words.append(TokenText.uppered(TokenText.raw(bytes, token)))
            advance()
        }
        guard !words.isEmpty else { throw syntaxError() }
        var name = words.joined(separator: " ")
        if name == "ALL PRIVILEGES" { name = "ALL" }
        return Privilege(name: name, columns: try optionalNameList(), position: place)
    }

    private mutating func privilegeTarget(isDefault: Bool) throws -> PrivilegeTarget {
        if take(.for) { return try scopedTarget() }
        guard take(.on) else { return .system }
        if isDefault {
            return .objects(kind: TokenText.uppered(try label().text), names: [])
        }
        if at(.all), peek(2).keyword == .in, peek(3).keyword == .schema {
            let kind = TokenText.uppered(TokenText.raw(bytes, peek()))
            index += 4
            return .allInSchema(kind: kind, schemas: try list { try $0.objectName() })
        }
        if token.kind.isString || at(.external) || at(word: "assumerole") || at(.all) { return otherTarget() }
        let kinds: [Keyword] = [
            .table, .schema, .database, .function, .procedure, .language, .model, .datashare, .column, .view,
        ]
        var kind = "TABLE"
        if kinds.contains(token.keyword), isName(peek()) || peek().kind == .quotedName {
            kind = TokenText.uppered(try label().text)
        } else if at(word: "copy"), matches(peek(), "job") {
            index += 2
            kind = "COPY JOB"
        }
        let names = try list { parser in
            DropStatement.Target(name: try parser.objectName(), argumentTypes: try parser.optionalSignature())
        }
        return .objects(kind: kind, names: names)
    }

    private mutating func scopedTarget() throws -> PrivilegeTarget {
        let start = index
        while at(.word), !at(.in) { advance() }
        let kind = TokenText.uppered(text(from: start, to: index))
        try expect(.in)
        let container = at(.database) ? "DATABASE" : "SCHEMA"
        if !take(.database) { try expect(.schema) }
        return .scoped(kind: kind, container: container, name: try objectName())
    }

    private mutating func otherTarget() -> PrivilegeTarget {
        let start = index
        while !at(.to), !at(.from), !at(.semicolon), !at(.endOfInput) { advance() }
        return .other(text(from: start, to: index))
    }

    private mutating func grantee() throws -> Grantee {
        if take(.public) { return .publicRole }
        if take(.group) { return .group(try roleName()) }
        if at(.role), isName(peek()) {
            advance()
            return .role(try roleName())
        }
        if at(.user), isName(peek()) { advance() }
        return .user(try roleName())
    }

    mutating func user(_ start: Int, isCreate: Bool) throws -> UserStatement {
        try expect(.user)
        let name = try roleName()
        return UserStatement(name: name, options: try accountOptions(), position: position(of: start))
    }

    mutating func role(_ start: Int, isCreate: Bool) throws -> RoleStatement {
        try expect(.role)
        let name = try roleName()
        return RoleStatement(name: name, options: try accountOptions(), position: position(of: start))
    }

    mutating func createDatabase(_ start: Int) throws -> CreateDatabaseStatement {
        try expect(.database)
        let name = try name()
        return CreateDatabaseStatement(name: name, options: try accountOptions(), position: position(of: start))
    }

    mutating func alterDatabase(_ start: Int) throws -> AlterDatabaseStatement {
        try expect(.database)
        let name = try name()
        return AlterDatabaseStatement(name: name, options: try accountOptions(), position: position(of: start))
    }

    mutating func createGroup(_ start: Int) throws -> CreateGroupStatement {
        try expect(.group)
        let name = try roleName()
        _ = take(.with)
        let users = take(.user) ? try list { try $0.roleName() } : []
        return CreateGroupStatement(name: name, users: users, position: position(of: start))
    }

    mutating func alterGroup(_ start: Int) throws -> AlterGroupStatement {
        try expect(.group)
        let name = try roleName()
        let action: AlterGroupStatement.Action
        if take(.add, .user) {
            action = .addUsers(try list { try $0.roleName() })
        } else if take(.drop, .user) {
            action = .dropUsers(try list { try $0.roleName() })
        } else {
            try expect(.rename, .to)
            action = .renameTo(try roleName())
        }
        return AlterGroupStatement(name: name, action: action, position: position(of: start))
    }
}
