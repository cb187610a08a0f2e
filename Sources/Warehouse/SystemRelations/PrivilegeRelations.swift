import Catalog
import ColumnStore
import SQLTypes

/// The SVV_ views of roles and privileges.
enum PrivilegeRelations {
    private static let identity = """
        privilege_type varchar(128), identity_id int, identity_name varchar(128), identity_type varchar(128)
        """

    static let all: [SystemRelation] = objects + roles

    private static let objects: [SystemRelation] = [
        SystemRelation(
            "svv_relation_privileges",
            "namespace_name varchar(128), relation_name varchar(128), \(identity), admin_option bool",
            rows: { snapshot, sink in
                let rows = PrivilegeRows(snapshot)
                for row in snapshot.relations.flatMap({ rows.relation($0) }) {
                    try sink.add(
                        [.optional(row.schema), .text(row.object), .text(row.privilege.word)]
                            + snapshot.identity(row.holder) + [.boolean(row.isGrantable)])
                }
            }),
        SystemRelation(
            "svv_column_privileges",
            "namespace_name varchar(128), relation_name varchar(128), column_name varchar(128), \(identity)",
            rows: { snapshot, sink in
                let rows = PrivilegeRows(snapshot)
                for row in snapshot.relations.flatMap({ rows.columns(of: $0) }) {
                    try sink.add(
                        [.optional(row.schema), .text(row.object), .optional(row.column), .text(row.privilege.word)]
                            + snapshot.identity(row.holder))
                }
            }),
        SystemRelation(
            "svv_schema_privileges",
            "namespace_name varchar(128), \(identity), admin_option bool, privilege_scope varchar(128)",
            rows: { snapshot, sink in
                let rows = PrivilegeRows(snapshot)
                for row in snapshot.schemas.flatMap({ rows.schema($0) }) {
                    try sink.add(
                        [.text(row.object), .text(row.privilege.word)] + snapshot.identity(row.holder)
                            + [.boolean(row.isGrantable), .text(row.scope)])
                }
            }),
        SystemRelation(
            "svv_database_privileges",
            "database_name varchar(128), \(identity), admin_option bool, privilege_scope varchar(128)",
            rows: { snapshot, sink in
                let rows = PrivilegeRows(snapshot)
                for row in snapshot.store.catalog.sortedDatabases.flatMap({ rows.databaseRows($0) }) {
                    try sink.add(
                        [.text(row.object), .text(row.privilege.word)] + snapshot.identity(row.holder)
                            + [.boolean(row.isGrantable), .text(row.scope)])
                }
            }),
        SystemRelation(
            "svv_function_privileges",
            """
            namespace_name varchar(128), function_name varchar(128), argument_types varchar(512), \(identity),
            admin_option bool
            """),
        SystemRelation(
            "svv_language_privileges", "language_name varchar(128), \(identity), admin_option bool",
            rows: languages),
        SystemRelation(
            "svv_default_privileges",
            """
            schema_name varchar(128), object_type varchar(128), owner_id int, owner_name varchar(128),
            owner_type varchar(128), privilege_type varchar(128), grantee_id int, grantee_name varchar(128),
            grantee_type varchar(128), admin_option bool
            """, rows: defaults),
    ]

    private static let roles: [SystemRelation] = [
        SystemRelation(
            "svv_roles", "role_id int, role_name varchar(128), role_owner varchar(128), external_id varchar(128)",
            rows: { snapshot, sink in
                for role in snapshot.accounts.sortedRoles where snapshot.knows(role) {
                    try sink.add([
                        .number(role.id), .text(role.name), .text(snapshot.userName(role.owner)),
                        .optional(role.externalID),
                    ])
                }
            }),
        SystemRelation(
            "svv_user_grants",
            "user_id int, user_name varchar(128), role_id int, role_name varchar(128), admin_option bool",
            rows: { snapshot, sink in
                for (membership, grant) in snapshot.roleGrants {
                    guard case .user(let user) = membership.member, snapshot.shownUser ?? user == user else { continue }
                    try sink.add([
                        .number(user), .text(snapshot.userName(user)), .number(membership.role),
                        .optional(snapshot.accounts.roles[membership.role]?.name), .boolean(grant.adminOption),
                    ])
                }
            }),
        SystemRelation(
            "svv_role_grants",
            "role_id int, role_name varchar(128), granted_role_id int, granted_role_name varchar(128)",
            rows: { snapshot, sink in
                for (membership, _) in snapshot.roleGrants {
                    guard case .role(let id) = membership.member, let role = snapshot.accounts.roles[id],
                        snapshot.knows(role)
                    else { continue }
                    try sink.add([
                        .number(id), .text(role.name), .number(membership.role),
                        .optional(snapshot.accounts.roles[membership.role]?.name),
                    ])
                }
            }),
        SystemRelation(
            "svv_system_privileges",
            """
            system_privilege varchar(128), identity_id int, identity_name varchar(128), identity_type varchar(128)
            """,
            rows: { snapshot, sink in
                for role in snapshot.accounts.sortedRoles where snapshot.knows(role) {
                    for name in role.systemPrivileges.sorted() {
                        try sink.add([.text(name)] + snapshot.identity(.role(role.id)))
                    }
                }
            }),
    ]

    private static func languages(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for name in ["exfunc", "mlfunc", "plpgsql", "plpythonu", "sql"] {
            let list = snapshot.accounts.accessList(of: .language(name), owner: UserDefinition.bootstrapID)
            for entry in list.entries {
                for privilege in entry.privileges.members {
                    try sink.add(
                        [.text(name), .text(privilege.word)] + snapshot.identity(entry.holder)
                            + [.boolean(entry.grantable.contains(privilege))])
                }
            }
        }
    }

    private static func defaults(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (key, list) in snapshot.defaultAccess {
            let schema = snapshot.schemas.first { $0.id == key.schema }?.name
            for entry in list.entries {
                for privilege in entry.privileges.members {
                    let owner: [Datum] = [
                        .optional(schema), .text(key.kind.words), .number(key.owner),
                        .text(snapshot.userName(key.owner)), .text("user"), .text(privilege.word),
                    ]
                    try sink.add(
                        owner + snapshot.identity(entry.holder) + [.boolean(entry.grantable.contains(privilege))])
                }
            }
        }
    }
}

extension SystemSnapshot {
    /// In a fixed order.
    var roleGrants: [(key: RoleMembership, value: RoleGrant)] {
        func order(_ membership: RoleMembership) -> (Int, Int) {
            switch membership.member {
            case .user(let id): (id, membership.role)
            case .role(let id), .group(let id): (id, membership.role)
            case .everyone: (0, membership.role)
            }
        }
        return accounts.roleGrants.sorted { order($0.key) < order($1.key) }
    }

    /// Those of the user, or all for those who see everything; in a fixed order.
    var defaultAccess: [(key: DefaultPrivilegeKey, value: AccessList)] {
        let shown = shownUser
        let database = store.catalog.databaseID
        return accounts.defaultAccess.filter {
            (shown == nil || $0.key.owner == shown) && $0.key.database == database
        }.sorted {
            ($0.key.owner, $0.key.schema?.raw ?? 0, $0.key.kind.rawValue)
                < ($1.key.owner, $1.key.schema?.raw ?? 0, $1.key.kind.rawValue)
        }
    }

    /// Users know the roles that they own or have.
    func knows(_ role: RoleDefinition) -> Bool {
        let rights = rights
        return rights.seesAllActivity || role.owner == rights.user.id || rights.holders.contains(.role(role.id))
    }
}
