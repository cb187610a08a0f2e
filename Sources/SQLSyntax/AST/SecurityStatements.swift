package struct Privilege: Sendable, Hashable {
    /// Upper-case words: `SELECT`, `ALL`, `TEMP`, `CREATE USER`, `ACCESS SYSTEM TABLE`.
    package let name: String
    package let columns: [Identifier]
    package let position: SourcePosition
}

package enum Grantee: Sendable, Hashable {
    case publicRole
    case user(Identifier)
    case group(Identifier)
    case role(Identifier)
}

/// What privileges are on.
package enum PrivilegeTarget: Sendable, Hashable {
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
package struct GrantStatement: Sendable, Hashable {
    package let isRevoke: Bool
    package let privileges: [Privilege]
    package let target: PrivilegeTarget
    package let grantees: [Grantee]
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    package let grantOption: Bool
    package let cascade: Bool
    /// ALTER DEFAULT PRIVILEGES [FOR USER u] [IN SCHEMA s].
    package let defaults: DefaultPrivileges?
    package let position: SourcePosition
}

package struct DefaultPrivileges: Sendable, Hashable {
    package let users: [Identifier]
    package let schemas: [ObjectName]
}

package struct GrantRoleStatement: Sendable, Hashable {
    package let isRevoke: Bool
    package let roles: [Identifier]
    package let grantees: [Grantee]
    package let adminOption: Bool
    package let position: SourcePosition
}

/// CREATE USER and ALTER USER. Options: `PASSWORD`, `CREATEDB`, `NOCREATEUSER`, `SYSLOG ACCESS`, `IN GROUP`,
/// `VALID UNTIL`,
/// `CONNECTION LIMIT`, `SESSION TIMEOUT`, `EXTERNALID`, `RENAME TO`, `SET`, `RESET`.
package struct UserStatement: Sendable, Hashable {
    package let name: Identifier
    package let options: [StatementOption]
    package let position: SourcePosition
}

package struct CreateGroupStatement: Sendable, Hashable {
    package let name: Identifier
    package let users: [Identifier]
    package let position: SourcePosition
}

package struct AlterGroupStatement: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case addUsers([Identifier])
        case dropUsers([Identifier])
        case renameTo(Identifier)
    }
    package let name: Identifier
    package let action: Action
    package let position: SourcePosition
}

/// CREATE ROLE and ALTER ROLE. Options: `EXTERNALID`, `RENAME TO`, `OWNER TO`.
package struct RoleStatement: Sendable, Hashable {
    package let name: Identifier
    package let options: [StatementOption]
    package let position: SourcePosition
}
