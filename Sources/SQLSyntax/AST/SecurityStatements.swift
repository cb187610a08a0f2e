public struct Privilege: Sendable, Hashable {
    /// Upper-case words: `SELECT`, `ALL`, `TEMP`, `CREATE USER`, `ACCESS SYSTEM TABLE`.
    public let name: String
    public let columns: [Identifier]
    public let position: SourcePosition
}

public enum Grantee: Sendable, Hashable {
    case publicRole
    case user(Identifier)
    case group(Identifier)
    case role(Identifier)
}

/// What privileges are on.
public enum PrivilegeTarget: Sendable, Hashable {
    /// The kind's words (TABLE, SCHEMA, DATABASE, FUNCTION, PROCEDURE, LANGUAGE, ...) and the objects.
    case objects(kind: String, names: [DropStatement.Target])
    /// ALL TABLES / FUNCTIONS / PROCEDURES IN SCHEMA.
    case allInSchema(kind: String, schemas: [ObjectName])
    /// FOR TABLES IN SCHEMA s / DATABASE d.
    case scoped(kind: String, container: String, name: ObjectName)
    /// System permissions of a role.
    case system
    /// ASSUMEROLE, external functions, others: words as written.
    case other(String)
}

/// GRANT and REVOKE of privileges; also the inner part of ALTER DEFAULT PRIVILEGES.
public struct GrantStatement: Sendable, Hashable {
    public let isRevoke: Bool
    public let privileges: [Privilege]
    public let target: PrivilegeTarget
    public let grantees: [Grantee]
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    public let grantOption: Bool
    public let cascade: Bool
    /// ALTER DEFAULT PRIVILEGES [FOR USER u] [IN SCHEMA s].
    public let defaults: DefaultPrivileges?
    public let position: SourcePosition
}

public struct DefaultPrivileges: Sendable, Hashable {
    public let users: [Identifier]
    public let schemas: [ObjectName]
}

public struct GrantRoleStatement: Sendable, Hashable {
    public let isRevoke: Bool
    public let roles: [Identifier]
    public let grantees: [Grantee]
    public let adminOption: Bool
    public let position: SourcePosition
}

/// CREATE USER and ALTER USER. Options: `PASSWORD`, `CREATEDB`, `NOCREATEUSER`, `SYSLOG ACCESS`, `IN GROUP`,
/// `VALID UNTIL`,
/// `CONNECTION LIMIT`, `SESSION TIMEOUT`, `EXTERNALID`, `RENAME TO`, `SET`, `RESET`.
public struct UserStatement: Sendable, Hashable {
    public let name: Identifier
    public let options: [StatementOption]
    public let position: SourcePosition
}

public struct CreateGroupStatement: Sendable, Hashable {
    public let name: Identifier
    public let users: [Identifier]
    public let position: SourcePosition
}

public struct AlterGroupStatement: Sendable, Hashable {
    public enum Action: Sendable, Hashable {
        case addUsers([Identifier])
        case dropUsers([Identifier])
        case renameTo(Identifier)
    }
    public let name: Identifier
    public let action: Action
    public let position: SourcePosition
}

/// CREATE ROLE and ALTER ROLE. Options: `EXTERNALID`, `RENAME TO`, `OWNER TO`.
public struct RoleStatement: Sendable, Hashable {
    public let name: Identifier
    public let options: [StatementOption]
    public let position: SourcePosition
}
