import SQLTypes

/// Databases, users and settings.
enum ServerRelations {
    private static let userColumns = """
        usename name, usesysid int, usecreatedb bool, usesuper bool, usecatupd bool, passwd text, valuntil ts,
        useconfig array
        """

    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_database",
            """
            oid oid, datname name, datdba int, encoding int, datistemplate bool, datallowconn bool, datlastsysoid oid,
            datvacuumxid bigint, datfrozenxid bigint, dattablespace oid, datconfig array, datacl array,
            datcollate name, datctype name, datconnlimit int
            """, rows: databases),
        SystemRelation(
            "pg_database_info",
            """
            datid oid, datname name, datdba int, encoding int, datistemplate bool, datallowconn bool,
            datconnlimit text, datacl array
            """,
            rows: { snapshot, sink in
                try sink.add([
                    .number(SystemSnapshot.databaseID), .text(snapshot.database),
                    .number(snapshot.userID(snapshot.user)), .number(6), .no, .yes, .text("UNLIMITED"), .null,
                ])
            }),
        SystemRelation("pg_user", userColumns, rows: users),
        SystemRelation("pg_shadow", userColumns, rows: users),
        SystemRelation(
            "pg_user_info",
            userColumns
                + ", useconnlimit text, syslogaccess text, last_ddl_ts ts, sessiontimeout int, external_user_id text",
            rows: userInfo),
        SystemRelation("pg_group", "groname name, grosysid int, grolist array"),
        SystemRelation(
            "pg_roles",
            """
            oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool,
            rolcanlogin bool, rolreplication bool, rolconnlimit int, rolpassword text, rolvaliduntil ts,
            rolbypassrls bool, rolconfig array
            """, rows: roles),
        SystemRelation("pg_auth_members", "roleid oid, member oid, grantor oid, admin_option bool"),
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
        SystemRelation("pg_db_role_setting", "setdatabase oid, setrole oid, setconfig array"),
        SystemRelation("pg_enum", "oid oid, enumtypid oid, enumsortorder real, enumlabel name"),
        SystemRelation("pg_range", "rngtypid oid, rngsubtype oid, rngcollation oid, rngsubopc oid"),
        SystemRelation(
            "pg_tablespace", "oid oid, spcname name, spcowner int, spclocation text, spcacl array, spcoptions array",
            rows: { _, sink in
                for (id, name) in [(1663, "pg_default"), (1664, "pg_global")] {
                    try sink.add([.number(id), .text(name), .number(1), .blank, .null, .null])
                }
            }),
        SystemRelation("pg_external_schema", "esoid oid, eskind smallint, esdbname text, esoptions text"),
        SystemRelation(
            "pg_default_acl",
            """
            defacluser int, defaclnamespace oid, defaclobjtype "char", defaclacl array, defaclrole oid
            """),
    ]

    private static func databases(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let names = [(1, "template1"), (2, "template0"), (3, "padb_harvest")]
        let own = (SystemSnapshot.databaseID, snapshot.database)
        for (id, name) in names + [own] {
            let isOwn = id == own.0
            try sink.add([
                .number(id), .text(name), .number(isOwn ? snapshot.userID(snapshot.user) : 1), .number(6),
                .boolean(name.hasPrefix("template")), .boolean(name != "template0"), .number(16_383), .zero, .zero,
                .number(1663), .null, .null, .text("C"), .text("C"), .number(-1),
            ])
        }
    }

    private static func userRow(_ user: SystemSnapshot.User) -> [Datum] {
        [
            .text(user.name), .number(user.id), .boolean(user.isSuperuser), .boolean(user.isSuperuser),
            .boolean(user.id == 1), .text("********"), .null, .null,
        ]
    }
    private static func users(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for user in snapshot.users { try sink.add(userRow(user)) }
    }
    private static func userInfo(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for user in snapshot.users {
            try sink.add(userRow(user) + [.text("UNLIMITED"), .text("UNRESTRICTED"), .null, .zero, .null])
        }
    }

    private static func roles(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for user in snapshot.users {
            let isSuper = Datum.boolean(user.isSuperuser)
            try sink.add([
                .number(user.id), .text(user.name), isSuper, .yes, isSuper, isSuper, .yes, .no, .number(-1),
                .text("********"), .null, isSuper, .null,
            ])
        }
    }

    private static func settings(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var values: [(String, String)] = [("max_index_keys", "32"), ("max_identifier_length", "127")]
        for name in SessionSettings.names { values.append((name, (try? snapshot.settings.value(name)) ?? "")) }
        for (name, value) in values.sorted(by: { $0.0 < $1.0 }) {
            try sink.add([
                .text(name), .text(value), .text("Redshift"), .null, .null, .text("user"), .text("string"),
                .text("default"), .null, .null, .null, .text(value),
            ])
        }
    }
}
