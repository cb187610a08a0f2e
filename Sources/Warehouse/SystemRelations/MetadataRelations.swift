import Catalog
import ColumnStore
import SQLTypes

/// The SVV_ views of tables, columns, schemas, databases and privileges.
enum MetadataRelations {
    static let all: [SystemRelation] = names + external

    private static let allTables = """
        database_name varchar(128), schema_name varchar(128), table_name varchar(128), table_type varchar(128),
        table_acl varchar(128), remarks varchar(256)
        """
    private static let allColumns = """
        database_name varchar(128), schema_name varchar(128), table_name varchar(128), column_name varchar(128),
        ordinal_position int, column_default varchar(4000), is_nullable varchar(3), data_type varchar(128),
        character_maximum_length int, numeric_precision int, numeric_scale int, remarks varchar(256)
        """

    private static let names: [SystemRelation] = [
        SystemRelation(
            "svv_tables",
            """
            table_catalog varchar(128), table_schema varchar(128), table_name varchar(128), table_type varchar(128),
            remarks varchar(256)
            """, rows: tables),
        SystemRelation(
            "svv_columns",
            """
            table_catalog varchar(128), table_schema varchar(128), table_name varchar(128), column_name varchar(128),
            ordinal_position int, column_default varchar(4000), is_nullable varchar(3), data_type varchar(128),
            character_maximum_length int, numeric_precision int, numeric_precision_radix int, numeric_scale int,
            datetime_precision int, interval_type varchar(128), interval_precision varchar(128),
            character_set_catalog varchar(128), character_set_schema varchar(128), character_set_name varchar(128),
            collation_catalog varchar(128), collation_schema varchar(128), collation_name varchar(128),
            domain_name varchar(128), remarks varchar(256)
            """, rows: columns),
        SystemRelation("svv_all_tables", allTables, rows: tablesOfDatabases),
        SystemRelation("svv_redshift_tables", allTables, rows: tablesOfDatabases),
        SystemRelation(
            "svv_all_columns", allColumns,
            rows: { snapshot, sink in
                for inside in snapshot.withinEach {
                    try ColumnFacts.forEach(inside, includeLateBinding: true) { try sink.add(databaseColumn($0)) }
                }
            }),
        SystemRelation(
            "svv_redshift_columns",
            allColumns.replacing(
                ", remarks varchar(256)",
                with: """
                    , encoding varchar(128), distkey bool, sortkey int, column_acl varchar(128), remarks varchar(256)
                    """),
            rows: redshiftColumns),
        SystemRelation(
            "svv_all_schemas",
            """
            database_name varchar(128), schema_name varchar(128), schema_owner int, schema_type varchar(128),
            schema_acl varchar(128), source_database varchar(128), schema_option varchar(256)
            """,
            rows: { snapshot, sink in
                try forEachSchema(snapshot) { try sink.add($0 + [.null, .null, .null]) }
            }),
        SystemRelation(
            "svv_redshift_schemas",
            """
            database_name varchar(128), schema_name varchar(128), schema_owner int, schema_type varchar(128),
            schema_acl varchar(128), schema_option varchar(256)
            """,
            rows: { snapshot, sink in
                try forEachSchema(snapshot) { try sink.add($0 + [.null, .null]) }
            }),
        SystemRelation(
            "svv_redshift_databases",
            """
            database_name varchar(128), database_owner int, database_type varchar(32), database_acl varchar(128),
            database_options varchar(128), database_isolation_level varchar(128)
            """,
            rows: { snapshot, sink in
                for database in snapshot.store.catalog.sortedDatabases { try sink.add(snapshot.facts(of: database)) }
            }),
        SystemRelation(
            "svv_user_info",
            """
            user_name varchar(128), user_id int, createdb bool, superuser bool, catalog_update bool,
            connection_limit varchar(32), syslog_access varchar(32), last_ddl_timestamp ts, session_timeout int,
            external_user_id varchar(128)
            """,
            rows: { snapshot, sink in
                for user in snapshot.users {
                    try sink.add([
                        .text(user.name), .number(user.id), .boolean(user.canCreateDatabases),
                        .boolean(user.isSuperuser),
                        .boolean(user.id == 1), .text(user.connectionLimit.map { String($0) } ?? "UNLIMITED"),
                        .text(user.isSyslogUnrestricted ? "UNRESTRICTED" : "RESTRICTED"), .null,
                        .number(user.sessionTimeoutSeconds ?? 0), .optional(user.externalID),
                    ])
                }
            }),
    ]

    /// Of all databases.
    private static func forEachSchema(_ snapshot: SystemSnapshot, _ body: ([Datum]) throws -> Void) throws {
        for inside in snapshot.withinEach {
            for space in inside.namespaces {
                try body([.text(inside.database), .text(space.name), .number(space.owner), .text("local")])
            }
        }
    }

    private static func tables(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for relation in SystemRelations.all {
            try sink.add([
                database, .text(relation.schema), .text(relation.name), .text(relation.isView ? "VIEW" : "BASE TABLE"),
                .null,
            ])
        }
        let visibility = DefinitionVisibility(snapshot)
        for relation in snapshot.relations {
            try sink.add([
                database, .text(relation.schema), .text(relation.name), .text(InformationSchema.kind(relation)),
                .optional(visibility.shows(relation) ? relation.comment : nil),
            ])
        }
    }

    private static func tablesOfDatabases(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for inside in snapshot.withinEach { try tablesOfDatabase(inside, sink) }
    }

    private static func tablesOfDatabase(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let visibility = DefinitionVisibility(snapshot)
        for relation in snapshot.relations {
            try sink.add([
                .text(snapshot.database), .text(relation.schema), .text(relation.name),
                .text(relation.kind.words), .null,
                .optional(visibility.shows(relation) ? relation.comment : nil),
            ])
        }
    }

    private static func columns(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try ColumnFacts.forEach(snapshot, includeLateBinding: true) { column in
            let facts: [Datum] = [
                .text(column.database), .text(column.schema), .text(column.table), .text(column.name),
                .number(column.position), .optional(column.defaultText), column.isNullable, .text(column.dataType),
                column.length, column.precision, column.radix, column.scale, column.datetimePrecision,
            ]
            let rest: [Datum] = [
                column.intervalType, .null, .null, .null, .null, .null, .null, .optional(column.collation), .null,
                .optional(column.comment),
            ]
            try sink.add(facts + rest)
        }
    }

    private static func databaseColumn(_ column: ColumnFacts) -> [Datum] {
        [
            .text(column.database), .text(column.schema), .text(column.table), .text(column.name),
            .number(column.position), .optional(column.defaultText), column.isNullable, .text(column.dataType),
            column.length, column.precision, column.scale, .optional(column.comment),
        ]
    }

    private static func redshiftColumns(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for inside in snapshot.withinEach { try redshiftColumnsOfDatabase(inside, sink) }
    }

    private static func redshiftColumnsOfDatabase(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let encodings = TableRelations.encodings(snapshot)
        try ColumnFacts.forEach(snapshot, includeLateBinding: true) { column in
            var row = databaseColumn(column)
            let remarks = row.removeLast()
            let key = column.schema + "." + column.table
            let encoding = encodings[key].map { $0[column.position - 1] }
            row += [
                .optional(encoding), .boolean(column.isDistributionKey), .number(column.sortPosition), .null, remarks,
            ]
            try sink.add(row)
        }
    }

    // MARK: Without rows here: external data and data shares

    private static let external: [SystemRelation] = [
        SystemRelation(
            "svv_external_schemas",
            "esoid oid, eskind smallint, schemaname name, esowner int, databasename text, esoptions text"),
        SystemRelation(
            "svv_external_tables",
            """
            redshift_database_name text, schemaname text, tablename text, tabletype text, location text,
            input_format text, output_format text, serialization_lib text, serde_parameters text, compressed int,
            parameters text
            """),
        SystemRelation(
            "svv_external_columns",
            """
            redshift_database_name text, schemaname text, tablename text, columnname text, external_type text,
            columnnum int, part_key int, is_nullable text
            """),
        SystemRelation(
            "svv_external_partitions",
            """
            schemaname text, tablename text, values text, location text, input_format text, output_format text,
            serialization_lib text, serde_parameters text, compressed int, parameters text
            """),
        SystemRelation(
            "svv_external_databases",
            "eskind int, esoptions text, databasename text, location text, parameters text"),
        SystemRelation(
            "svv_datashares",
            """
            share_name varchar(128), share_id int, share_owner int, source_database varchar(128),
            consumer_database varchar(128), share_type varchar(8), createdate ts, is_publicaccessible bool,
            share_acl varchar(256), producer_account varchar(16), producer_namespace varchar(64),
            managed_by varchar(64)
            """),
    ]
}

extension SystemSnapshot {
    /// As SVV_REDSHIFT_DATABASES and SHOW DATABASES have it.
    func facts(of database: DatabaseDefinition) -> [Datum] {
        [
            .text(database.name), .number(database.owner), .text("local"),
            accessLines(.database(database.id)),
            database.collation == .caseSensitive ? .null : .text("collate=\(database.collation.rawValue)"),
            .text(database.isolation.title),
        ]
    }
}
