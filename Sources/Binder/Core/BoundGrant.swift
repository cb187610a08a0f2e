import Catalog
import SQLSyntax

/// GRANT and REVOKE of privileges, and ALTER DEFAULT PRIVILEGES, with all names looked up.
public struct BoundGrant: Sendable {
    /// An object, with the privileges that the statement is about there.
    public struct Target: Sendable {
        public var object: SecuredObject
        /// The id of the object's owner.
        public var owner: Int
        /// As errors name it: `relation t`.
        public var title: String
        public var privileges: PrivilegeSet
        /// All privileges of a relation also mean those of its columns.
        public var columns: [SecuredObject]
    }
    public enum Subject: Sendable {
        case objects([Target])
        case defaults([DefaultPrivilegeKey], PrivilegeSet)
        /// Rights of roles on the warehouse as a whole.
        case system([String])
    }
    public var isRevoke: Bool
    public var subject: Subject
    public var holders: [PrivilegeHolder]
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    public var grantOption: Bool
    public var cascade: Bool
}

/// Statements about users, groups and roles. Their names are looked up when they are executed.
public enum AccountStatement: Sendable {
    case createUser(UserStatement)
    case alterUser(UserStatement)
    case createGroup(CreateGroupStatement)
    case alterGroup(AlterGroupStatement)
    case createRole(RoleStatement)
    case alterRole(RoleStatement)
    case grantRole(GrantRoleStatement)
    /// DROP USER, GROUP or ROLE.
    case drop(DropStatement)
}
