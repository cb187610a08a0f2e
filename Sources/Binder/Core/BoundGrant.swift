import Catalog
import SQLSyntax

/// GRANT and REVOKE of privileges, and ALTER DEFAULT PRIVILEGES, with all names looked up.
package struct BoundGrant: Sendable {
    /// An object, with the privileges that the statement is about there.
    package struct Target: Sendable {
        package var object: SecuredObject
        /// The id of the object's owner.
        package var owner: Int
        /// As errors name it: `relation t`.
        package var title: String
        package var privileges: PrivilegeSet
        /// All privileges of a relation also mean those of its columns.
        package var columns: [SecuredObject]
    }
    package enum Subject: Sendable {
        case objects([Target])
        case defaults([DefaultPrivilegeKey], PrivilegeSet)
        /// Rights of roles on the warehouse as a whole.
        case system([String])
    }
    package var isRevoke: Bool
    package var subject: Subject
    package var holders: [PrivilegeHolder]
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    package var grantOption: Bool
    package var cascade: Bool
}

/// Statements about users, groups and roles. Their names are looked up when they are executed.
package enum AccountStatement: Sendable {
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
