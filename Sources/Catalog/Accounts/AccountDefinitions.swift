/// How a user proves who it is: what the server keeps of a password.
package struct PasswordVerifier: Hashable, Sendable {
    /// `SCRAM-SHA-256$...`, `md5...` or `sha256|...`: see Warehouse's `PasswordRules`. Never the password itself.
    package var stored: String
    package init(stored: String) { self.stored = stored }
}

/// A user of the warehouse.
package struct UserDefinition: Hashable, Sendable {
    /// 1 for `rdsdb`, from 100 on for others.
    package var id: Int
    package var name: String
    package var isSuperuser: Bool
    package var canCreateDatabases: Bool
    /// nil: the user cannot log in with a password.
    package var password: PasswordVerifier?
    /// Microseconds since 1970; nil: for ever.
    package var validUntilMicroseconds: Int64?
    /// Sessions at a time; nil: any number.
    package var connectionLimit: Int?
    /// Seconds without a statement after which a session ends; nil: the server's.
    package var sessionTimeoutSeconds: Int?
    /// Sees the rows of others in system tables.
    package var isSyslogUnrestricted: Bool
    package var externalID: String?
    /// Parameters that a session starts with.
    package var settings: [String: String]
    package init(
        id: Int, name: String, isSuperuser: Bool = false, canCreateDatabases: Bool = false,
        password: PasswordVerifier? = nil, validUntilMicroseconds: Int64? = nil, connectionLimit: Int? = nil,
        sessionTimeoutSeconds: Int? = nil, isSyslogUnrestricted: Bool = false, externalID: String? = nil,
        settings: [String: String] = [:]
    ) {
        self.id = id
        self.name = name
        self.isSuperuser = isSuperuser
        self.canCreateDatabases = canCreateDatabases
        self.password = password
        self.validUntilMicroseconds = validUntilMicroseconds
        self.connectionLimit = connectionLimit
        self.sessionTimeoutSeconds = sessionTimeoutSeconds
        self.isSyslogUnrestricted = isSyslogUnrestricted
        self.externalID = externalID
        self.settings = settings
    }
}

/// A set of users that privileges can be given to as a whole.
package struct GroupDefinition: Hashable, Sendable {
    package var id: Int
    package var name: String
    /// Users' ids, in the order in which they came.
    package var members: [Int]
    package init(id: Int, name: String, members: [Int] = []) {
        self.id = id
        self.name = name
        self.members = members
    }
}

/// A named set of privileges that is granted to users and to other roles.
package struct RoleDefinition: Hashable, Sendable {
    package var id: Int
    package var name: String
    /// A user's id.
    package var owner: Int
    package var externalID: String?
    /// Rights on the warehouse rather than on objects: `CREATE USER`, `VACUUM`, ...
    package var systemPrivileges: Set<String>
    package init(
        id: Int, name: String, owner: Int, externalID: String? = nil, systemPrivileges: Set<String> = []
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.externalID = externalID
        self.systemPrivileges = systemPrivileges
    }
    package var isSystemDefined: Bool { name.hasPrefix("sys:") }
}

/// GRANT ROLE: a user or another role has the role.
package struct RoleMembership: Hashable, Sendable {
    package var role: Int
    /// A user or a role.
    package var member: PrivilegeHolder
    package init(role: Int, member: PrivilegeHolder) {
        self.role = role
        self.member = member
    }
}

/// How a member may use a role.
package struct RoleGrant: Hashable, Sendable {
    /// May grant the role to others.
    package var adminOption: Bool
    /// A user's id.
    package var grantor: Int
    package init(adminOption: Bool, grantor: Int) {
        self.adminOption = adminOption
        self.grantor = grantor
    }
}

/// What ALTER DEFAULT PRIVILEGES is about: objects that `owner` makes from now on, in one schema or in any.
package struct DefaultPrivilegeKey: Hashable, Sendable {
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case relation, function, procedure
        package var letter: String { ["r", "f", "p"][Int(rawValue)] }
        package var words: String { ["RELATION", "FUNCTION", "PROCEDURE"][Int(rawValue)] }
        /// What is given to an object of the kind.
        package func secured(_ id: ObjectID) -> SecuredObject {
            switch self {
            case .relation: .relation(id)
            case .function: .routine(id)
            case .procedure: .procedure(id)
            }
        }
        package var allPrivileges: PrivilegeSet { self == .relation ? .allOnRelation : .execute }
    }
    package var owner: Int
    package var database: ObjectID
    /// nil: anywhere in the database.
    package var schema: ObjectID?
    package var kind: Kind
    package init(owner: Int, database: ObjectID, schema: ObjectID?, kind: Kind) {
        self.owner = owner
        self.database = database
        self.schema = schema
        self.kind = kind
    }
}

/// The rights of roles on the warehouse as a whole, and the roles that come with it.
package enum SystemPrivileges {
    package static let all: Set<String> = [
        "CREATE USER", "DROP USER", "ALTER USER", "CREATE SCHEMA", "DROP SCHEMA", "ALTER DEFAULT PRIVILEGES",
        "ACCESS CATALOG", "ACCESS SYSTEM TABLE", "CREATE TABLE", "DROP TABLE", "ALTER TABLE",
        "CREATE OR REPLACE FUNCTION", "CREATE OR REPLACE EXTERNAL FUNCTION", "DROP FUNCTION",
        "CREATE OR REPLACE PROCEDURE", "DROP PROCEDURE", "CREATE OR REPLACE VIEW", "DROP VIEW", "CREATE MODEL",
        "DROP MODEL", "CREATE DATASHARE", "ALTER DATASHARE", "DROP DATASHARE", "CREATE LIBRARY", "DROP LIBRARY",
        "CREATE ROLE", "DROP ROLE", "GRANT ROLE", "TRUNCATE TABLE", "VACUUM", "ANALYZE", "CANCEL", "EXPLAIN RLS",
        "IGNORE RLS", "EXPLAIN MASKING", "CREATE RLS POLICY", "ALTER RLS POLICY", "DROP RLS POLICY",
        "ATTACH RLS POLICY", "DETACH RLS POLICY", "ALTER TABLE ROW LEVEL SECURITY",
    ]
    private static let monitor: Set<String> = ["ACCESS CATALOG", "ACCESS SYSTEM TABLE"]
    private static let administrator: Set<String> = operation.union([
        "CREATE SCHEMA", "CREATE TABLE", "DROP SCHEMA", "DROP TABLE", "TRUNCATE TABLE", "CREATE OR REPLACE PROCEDURE",
        "DROP PROCEDURE", "CREATE OR REPLACE FUNCTION", "CREATE OR REPLACE EXTERNAL FUNCTION",
        "CREATE OR REPLACE VIEW", "DROP VIEW",
    ])
    private static let operation: Set<String> = monitor.union(["ANALYZE", "VACUUM", "CANCEL"])
    private static let security: Set<String> = [
        "CREATE USER", "ALTER USER", "DROP USER", "CREATE ROLE", "DROP ROLE", "GRANT ROLE", "EXPLAIN RLS",
        "IGNORE RLS", "EXPLAIN MASKING", "CREATE RLS POLICY", "ALTER RLS POLICY", "DROP RLS POLICY",
        "ATTACH RLS POLICY", "DETACH RLS POLICY", "ALTER TABLE ROW LEVEL SECURITY",
    ]

    static let roles: [RoleDefinition] = [
        ("sys:monitor", monitor), ("sys:operator", operation), ("sys:dba", administrator), ("sys:secadmin", security),
        ("sys:superuser", all),
    ].enumerated().map { index, role in
        RoleDefinition(
            id: 90 + index, name: role.0, owner: UserDefinition.bootstrapID, systemPrivileges: role.1)
    }
}

extension UserDefinition {
    /// `rdsdb`: owns what the system made; nobody logs in as it.
    package static let bootstrapID = 1
    package static let firstID = 100
}
