import Catalog
import ColumnStore
import SQLTypes

/// Databases, users and settings.
enum ServerRelations {
    private static let userColumns = """
        usename name, usesysid int, usecreatedb bool, usesuper bool, usecatupd bool, passwd text, valuntil ts,
        useconfig text[]
        """

    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_database",
            """
            oid oid, datname name, datdba int, encoding int, datistemplate bool, datallowconn bool, datlastsysoid oid,
            datvacuumxid bigint, datfrozenxid bigint, dattablespace oid, datconfig text[], datacl aclitem[],
            datcollate name, datctype name, datconnlimit int
            """, rows: databases),
        SystemRelation(
            "pg_database_info",
            """
            datid oid, datname name, datdba int, encoding int, datistemplate bool, datallowconn bool,
            datconnlimit text, datacl aclitem[], datconfig text[], datcollate varchar(32)
            """,
            rows: { snapshot, sink in
                for database in snapshot.store.catalog.sortedDatabases {
                    let settings = ["concurrency_model=\(database.isolation == .snapshot ? 2 : 1)"]
                    try sink.add([
                        .wide(database.id.raw), .text(database.name), .number(database.owner), .number(6), .no, .yes,
                        .text(database.connectionLimit.map { String($0) } ?? "UNLIMITED"),
                        snapshot.accessText(.database(database.id)), .string(CatalogArray.text(settings)),
                        .text(database.collation.rawValue),
                    ])
                }
            }),
        SystemRelation("pg_user", userColumns, rows: users),
        SystemRelation("pg_shadow", userColumns, rows: users),
        SystemRelation(
            "pg_user_info",
            userColumns
                + ", useconnlimit text, syslogaccess text, last_ddl_ts ts, sessiontimeout int, external_user_id text",
            rows: userInfo),
        SystemRelation(
            "pg_group", "groname name, grosysid int, grolist int[]",
            rows: { snapshot, sink in
                for group in snapshot.accounts.sortedGroups {
                    try sink.add([
                        .text(group.name), .number(group.id),
                        .string(CatalogArray.text(group.members.map { String($0) })),
                    ])
                }
            }),
        SystemRelation(
            "pg_roles",
            """
            oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool,
            rolcanlogin bool, rolreplication bool, rolconnlimit int, rolpassword text, rolvaliduntil ts,
            rolbypassrls bool, rolconfig text[]
            """, rows: roles),
        SystemRelation(
            "pg_auth_members", "roleid oid, member oid, grantor oid, admin_option bool", rows: members),
        SystemRelation(
            "pg_settings",
            """
            name text, setting text, category text, short_desc text, extra_desc text, context text, vartype text,
            source text, min_val text, max_val text, unit text, boot_val text
            """, rows: settings),
        SystemRelation("pg_conf", "key text, value text"),
        // Later than 8.0, and empty: clients ask for them without looking at the version.
        SystemRelation(
            "pg_extension",
            "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text"),
        SystemRelation("pg_db_role_setting", "setdatabase oid, setrole oid, setconfig text[]"),
        SystemRelation("pg_enum", "oid oid, enumtypid oid, enumsortorder real, enumlabel name"),
        SystemRelation("pg_range", "rngtypid oid, rngsubtype oid, rngcollation oid, rngsubopc oid"),
        SystemRelation(
            "pg_tablespace",
            "oid oid, spcname name, spcowner int, spclocation text, spcacl aclitem[], spcoptions text[]",
            rows: { _, sink in
                for (id, name) in [(1663, "pg_default"), (1664, "pg_global")] {
                    try sink.add([.number(id), .text(name), .number(1), .blank, .null, .null])
                }
            }),
        SystemRelation("pg_external_schema", "esoid oid, eskind smallint, esdbname text, esoptions text"),
        SystemRelation(
            "pg_default_acl",
            """
            oid oid, defacluser int, defaclnamespace oid, defaclobjtype "char", defaclacl aclitem[], defaclrole oid
            """,
            rows: { snapshot, sink in
                for (place, (key, list)) in snapshot.defaultAccess.enumerated() {
                    try sink.add([
                        .number(firstDefaultAccessID + place), .number(key.owner), .wide(key.schema?.raw ?? 0),
                        .text(key.kind.letter),
                        .string(CatalogArray.text(AccessText(snapshot.accounts).items(list))), .number(key.owner),
                    ])
                }
            }),
    ]

    /// Apart from the oids of all other objects.
    private static let firstDefaultAccessID = 0x3000_0000

    private static func databases(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (id, name) in DatabaseDefinition.systemNames {
            try sink.add([
                .number(id), .text(name), .number(UserDefinition.bootstrapID), .number(6),
                .boolean(name.hasPrefix("template")), .boolean(name != "template0"), .number(16_383), .zero, .zero,
                .number(1663), .null, .null, .text("C"), .text("C"), .number(-1),
            ])
        }
        for database in snapshot.store.catalog.sortedDatabases {
            try sink.add([
                .wide(database.id.raw), .text(database.name), .number(database.owner), .number(6), .no, .yes,
                .number(16_383), .zero, .zero, .number(1663), .null, snapshot.accessText(.database(database.id)),
                .text("C"), .text("C"), .number(database.connectionLimit ?? -1),
            ])
        }
    }

    private static func userRow(_ user: UserDefinition) -> [Datum] {
        let settings = user.settings.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return [
            .text(user.name), .number(user.id), .boolean(user.canCreateDatabases), .boolean(user.isSuperuser),
            .boolean(user.id == UserDefinition.bootstrapID), .text("********"),
            user.validUntilMicroseconds.map { .wide($0) } ?? .null,
            settings.isEmpty ? .null : .string(CatalogArray.text(settings)),
        ]
    }
    private static func users(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for user in snapshot.users { try sink.add(userRow(user)) }
    }
    private static func userInfo(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for user in snapshot.users {
            try sink.add(
                userRow(user) + [
                    .text(user.connectionLimit.map { String($0) } ?? "UNLIMITED"),
                    .text(user.isSyslogUnrestricted ? "UNRESTRICTED" : "RESTRICTED"), .null,
                    .number(user.sessionTimeoutSeconds ?? 0), .optional(user.externalID),
                ])
        }
    }

    /// Users, groups and roles in one list, as PostgreSQL has them since 8.1; their ids are different.
    private static func roles(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        func row(_ id: Int, _ name: String, _ user: UserDefinition?) -> [Datum] {
            let isSuper = Datum.boolean(user?.isSuperuser ?? false)
            return [
                .number(id), .text(name), isSuper, .yes, isSuper, .boolean(user?.canCreateDatabases ?? false),
                .boolean(user != nil), .no, .number(user?.connectionLimit ?? -1), .text("********"),
                user?.validUntilMicroseconds.map { .wide($0) } ?? .null, isSuper, .null,
            ]
        }
        for user in snapshot.users { try sink.add(row(user.id, user.name, user)) }
        for group in snapshot.accounts.sortedGroups { try sink.add(row(group.id, group.name, nil)) }
        for role in snapshot.accounts.sortedRoles where !role.isSystemDefined {
            try sink.add(row(role.id, role.name, nil))
        }
    }

    private static func members(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for group in snapshot.accounts.sortedGroups {
            for member in group.members {
                try sink.add([.number(group.id), .number(member), .number(UserDefinition.firstID), .no])
            }
        }
        for (membership, grant) in snapshot.roleGrants {
            switch membership.member {
            case .user(let id), .role(let id):
                try sink.add([
                    .number(membership.role), .number(id), .number(grant.grantor), .boolean(grant.adminOption),
                ])
            case .group, .everyone: break
            }
        }
    }

    private static func settings(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var values: [(String, String)] = [("max_index_keys", "32"), ("max_identifier_length", "127")]
        for name in SessionSettings.names { values.append((name, try snapshot.settings.value(name))) }
        for (name, value) in values.sorted(by: { $0.0 < $1.0 }) {
            try sink.add([
                .text(name), .text(value), .text("Redshift"), .null, .null, .text("user"), .text("string"),
                .text("default"), .null, .null, .null, .text(value),
            ])
        }
    }
}
