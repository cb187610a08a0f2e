import Binder
import Catalog
import Platform
import SQLTypes

/// information_schema in PostgreSQL's words. System relations are left out where Redshift's own clients filter them out
/// anyway.
enum InformationSchema {
    static let all: [SystemRelation] = [
        relation(
            "tables",
            """
            table_catalog name, table_schema name, table_name name, table_type varchar(128),
            self_referencing_column_name name, reference_generation varchar(128), user_defined_type_catalog name,
            user_defined_type_schema name, user_defined_type_name name, is_insertable_into varchar(3),
            is_typed varchar(3), commit_action varchar(128)
            """, tables),
        relation(
            "columns", columnColumns,
            { snapshot, sink in try ColumnFacts.forEach(snapshot) { try sink.add($0.datums) } }),
        relation(
            "views",
            """
            table_catalog name, table_schema name, table_name name, view_definition text, check_option varchar(128),
            is_updatable varchar(3), is_insertable_into varchar(3)
            """, views),
        relation(
            "schemata",
            """
            catalog_name name, schema_name name, schema_owner name, default_character_set_catalog name,
            default_character_set_schema name, default_character_set_name name, sql_path varchar(256)
            """,
            { snapshot, sink in
                for space in snapshot.namespaces {
                    try sink.add([
                        .text(snapshot.database), .text(space.name), .text(snapshot.userName(space.owner)), .null,
                        .null, .null, .null,
                    ])
                }
            }),
        relation(
            "table_constraints",
            """
            constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name,
            table_schema name, table_name name, constraint_type varchar(128), is_deferrable varchar(3),
            initially_deferred varchar(3)
            """, constraints),
        relation(
            "key_column_usage",
            """
            constraint_catalog name, constraint_schema name, constraint_name name, table_catalog name,
            table_schema name, table_name name, column_name name, ordinal_position int,
            position_in_unique_constraint int
            """, keyColumns),
        relation(
            "constraint_column_usage",
            """
            table_catalog name, table_schema name, table_name name, column_name name, constraint_catalog name,
            constraint_schema name, constraint_name name
            """, usedColumns),
        relation(
            "referential_constraints",
            """
            constraint_catalog name, constraint_schema name, constraint_name name, unique_constraint_catalog name,
            unique_constraint_schema name, unique_constraint_name name, match_option varchar(128),
            update_rule varchar(128), delete_rule varchar(128)
            """, references),
        relation(
            "table_privileges",
            """
            grantor name, grantee name, table_catalog name, table_schema name, table_name name,
            privilege_type varchar(128), is_grantable varchar(3), with_hierarchy varchar(3)
            """, privileges),
        relation(
            "routines",
            """
            specific_catalog name, specific_schema name, specific_name name, routine_catalog name, routine_schema name,
            routine_name name, routine_type varchar(128), data_type varchar(128), type_udt_name name,
            routine_definition text, external_language varchar(128)
            """, ProcedureRelations.routines),
        relation(
            "parameters",
            """
            specific_catalog name, specific_schema name, specific_name name, ordinal_position int,
            parameter_mode varchar(16), parameter_name name, data_type varchar(128), udt_name name
            """, { _, _ in }),
        relation(
            "information_schema_catalog_name", "catalog_name name",
            { snapshot, sink in try sink.add([.text(snapshot.database)]) }),
        relation("enabled_roles", "role_name name", enabledRoles),
        relation("applicable_roles", "grantee name, role_name name, is_grantable varchar(3)", applicableRoles),
        relation(
            "column_privileges",
            """
            grantor name, grantee name, table_catalog name, table_schema name, table_name name, column_name name,
            privilege_type varchar(128), is_grantable varchar(3)
            """, columnPrivileges),
    ]

    private static func relation(
        _ name: String, _ columns: String, _ rows: @escaping @Sendable (SystemSnapshot, SystemRows) throws -> Void
    ) -> SystemRelation {
        SystemRelation(name, schema: "information_schema", columns, rows: rows)
    }

    static let columnColumns = """
        table_catalog name, table_schema name, table_name name, column_name name, ordinal_position int,
        column_default text, is_nullable varchar(3), data_type varchar(128), character_maximum_length int,
        character_octet_length int, numeric_precision int, numeric_precision_radix int, numeric_scale int,
        datetime_precision int, interval_type varchar(128), interval_precision varchar(128),
        character_set_catalog name, character_set_schema name, character_set_name name, collation_catalog name,
        collation_schema name, collation_name name, domain_catalog name, domain_schema name, domain_name name,
        udt_catalog name, udt_schema name, udt_name name, scope_catalog name, scope_schema name, scope_name name,
        maximum_cardinality int, dtd_identifier varchar(128), is_self_referencing varchar(3)
        """

    static func kind(_ relation: Relation) -> String {
        switch relation {
        case .table(let table): table.isTemporary ? "LOCAL TEMPORARY" : table.kind.facts.standardName
        case .view: "VIEW"
        }
    }

    private static func tables(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for relation in SystemRelations.all {
            try sink.add([
                database, .text(relation.schema), .text(relation.name), .text(relation.isView ? "VIEW" : "BASE TABLE"),
                .null, .null, .null, .null, .null, .text("NO"), .text("NO"), .null,
            ])
        }
        for relation in snapshot.relations {
            try sink.add([
                database, .text(relation.schema), .text(relation.name), .text(kind(relation)), .null, .null, .null,
                .null, .null, .text(relation.kind == .table ? "YES" : "NO"), .text("NO"), .null,
            ])
        }
    }

    private static func views(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (view, text) in snapshot.shownViews {
            try sink.add([
                .text(snapshot.database), .text(view.schema), .text(view.name), .text(text), .text("NONE"),
                .text("NO"), .text("NO"),
            ])
        }
    }

    // MARK: Constraints

    private static func constraints(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for table in snapshot.tables {
            for constraint in table.constraints {
                let kind: String
                switch constraint.kind {
                case .primaryKey: kind = "PRIMARY KEY"
                case .unique: kind = "UNIQUE"
                case .foreignKey: kind = "FOREIGN KEY"
                }
                try sink.add([
                    database, .text(table.schema), .text(constraint.name), database, .text(table.schema),
                    .text(table.name), .text(kind), .text("NO"), .text("NO"),
                ])
            }
        }
    }

    private static func keyColumns(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for table in snapshot.tables {
            for constraint in table.constraints {
                var isForeign = false
                if case .foreignKey = constraint.kind { isForeign = true }
                for (place, column) in constraint.columns.enumerated() where table.columns.indices.contains(column) {
                    try sink.add([
                        database, .text(table.schema), .text(constraint.name), database, .text(table.schema),
                        .text(table.name), .text(table.columns[column].name), .number(place + 1),
                        isForeign ? .number(place + 1) : .null,
                    ])
                }
            }
        }
    }

    private static func usedColumns(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for table in snapshot.tables {
            for constraint in table.constraints {
                var (used, columns) = (table, constraint.columns)
                if case .foreignKey(let target, let foreign) = constraint.kind {
                    guard case .table(let other)? = snapshot.relation(id: Int(target.raw)) else { continue }
                    (used, columns) = (other, foreign)
                }
                for column in columns where used.columns.indices.contains(column) {
                    try sink.add([
                        database, .text(used.schema), .text(used.name), .text(used.columns[column].name), database,
                        .text(table.schema), .text(constraint.name),
                    ])
                }
            }
        }
    }

    private static func references(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let database = Datum.text(snapshot.database)
        for table in snapshot.tables {
            for constraint in table.constraints {
                guard case .foreignKey(let target, let columns) = constraint.kind,
                    case .table(let other)? = snapshot.relation(id: Int(target.raw))
                else { continue }
                let key = other.keys.first { $0.constraint.columns == columns }?.constraint.name
                try sink.add([
                    database, .text(table.schema), .text(constraint.name), database, .text(other.schema),
                    .optional(key), .text("NONE"), .text("NO ACTION"), .text("NO ACTION"),
                ])
            }
        }
    }

    /// Only what the standard knows.
    private static let standardWords: Set<String> = [
        "DELETE", "INSERT", "REFERENCES", "RULE", "SELECT", "TRIGGER", "UPDATE",
    ]

    private static func privileges(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let rows = PrivilegeRows(snapshot)
        for row in snapshot.relations.flatMap({ rows.relation($0) }) where standardWords.contains(row.privilege.word) {
            try sink.add([
                .text(snapshot.userName(row.grantor)), .optional(snapshot.accounts.name(of: row.holder)),
                .text(snapshot.database), .optional(row.schema), .text(row.object), .text(row.privilege.word),
                .text(row.isGrantable ? "YES" : "NO"), .text("NO"),
            ])
        }
    }

    private static func columnPrivileges(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let rows = PrivilegeRows(snapshot)
        for relation in snapshot.relations {
            let whole = rows.relation(relation).filter {
                [.select, .update, .insert, .references].contains($0.privilege)
            }
            let single = rows.columns(of: relation)
            for index in 0..<relation.columnCount {
                let name = relation.columnName(index)
                for row in whole + single.filter({ $0.column == name }) {
                    try sink.add([
                        .text(snapshot.userName(row.grantor)), .optional(snapshot.accounts.name(of: row.holder)),
                        .text(snapshot.database), .optional(row.schema), .text(row.object), .text(name),
                        .text(row.privilege.word), .text(row.isGrantable ? "YES" : "NO"),
                    ])
                }
            }
        }
    }

    /// The session's user, and its groups and roles.
    private static func enabledRoles(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let names = snapshot.rights.holders.compactMap { $0 == .everyone ? nil : snapshot.accounts.name(of: $0) }
        for name in names.sorted() { try sink.add([.text(name)]) }
    }

    private static func applicableRoles(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (membership, grant) in snapshot.roleGrants where snapshot.rights.holders.contains(membership.member) {
            try sink.add([
                .optional(snapshot.accounts.name(of: membership.member)),
                .optional(snapshot.accounts.roles[membership.role]?.name), .text(grant.adminOption ? "YES" : "NO"),
            ])
        }
        for group in snapshot.accounts.sortedGroups where group.members.contains(snapshot.account.id) {
            try sink.add([.text(snapshot.user), .text(group.name), .text("NO")])
        }
    }
}

/// One column of a table or view, with what the metadata views say of it.
struct ColumnFacts {
    var database: String
    var schema: String
    var table: String
    var name: String
    var position: Int
    var type: SQLType
    var isNotNull = false
    var defaultText: String?
    var comment: String?
    var encoding: String?
    /// Of texts that ignore the case.
    var collation: String?
    var isDistributionKey = false
    var sortPosition = 0

    /// Late-binding views are not here: their columns are not known until they are used.
    static func forEach(
        _ snapshot: SystemSnapshot, includeLateBinding: Bool = false, _ body: (ColumnFacts) throws -> Void
    ) throws {
        let visibility = DefinitionVisibility(snapshot)
        for relation in snapshot.relations {
            switch relation {
            case .table(let table):
                let isShown = visibility.shows(table)
                for index in table.columns.indices {
                    try body(ColumnFacts(table, index, snapshot, withDefinition: isShown))
                }
            case .view(let view):
                if view.isLateBinding && !includeLateBinding { continue }
                try snapshot.cancellation.check()
                for (index, column) in (snapshot.viewColumns(view) ?? []).enumerated() {
                    try body(
                        ColumnFacts(
                            database: snapshot.database, schema: view.schema, table: view.name, name: column.name,
                            position: index + 1, type: column.type))
                }
            }
        }
    }

    var isNullable: Datum { .text(isNotNull ? "NO" : "YES") }
    var dataType: String { type.nameWithoutModifiers }
    var length: Datum { type.length.map { .number($0) } ?? .null }
    var precision: Datum {
        type.isDecimal
            ? .number(type.modifierPair.first) : type.descriptor.numericPrecision.map { .number($0) } ?? .null
    }
    var radix: Datum { type.isDecimal ? .number(10) : type.isNumeric ? .number(2) : .null }
    var scale: Datum { type.isDecimal || type.isInteger ? .number(type.scale) : .null }
    var datetimePrecision: Datum {
        switch type.family {
        case .time, .timetz, .timestamp, .timestamptz, .interval: .number(6)
        case .dayTimeInterval: .number(type.modifierPair.second)
        default: .null
        }
    }

    /// The fields of an interval: `YEAR TO MONTH`.
    var intervalType: Datum {
        type.intervalFields == nil ? .null : .text(String(type.description.dropFirst(9)).uppercased())
    }

    /// A row of information_schema.columns.
    var datums: [Datum] {
        let owner: [Datum] = [
            .text(database), .text(schema), .text(table), .text(name), .number(position), .optional(defaultText),
            isNullable, .text(dataType), length, length, precision, radix, scale, datetimePrecision, intervalType,
            .null,
        ]
        let names: [Datum] = [
            .null, .null, .null, .null, .null, .null, .null, .null, .null, .text(database), .text("pg_catalog"),
            .text(TypeCatalog.byID[TypeCatalog.id(of: type)]?.name ?? ""), .null, .null, .null, .null,
            .text(String(position)), .text("NO"),
        ]
        return owner + names
    }
}

extension ColumnFacts {
    /// - Parameter withDefinition: see ``DefinitionVisibility``.
    init(_ owner: TableDefinition, _ index: Int, _ snapshot: SystemSnapshot, withDefinition: Bool) {
        let column = owner.columns[index]
        self.init(
            database: snapshot.database, schema: owner.schema, table: owner.name, name: column.name,
            position: index + 1, type: column.type, isNotNull: column.notNull,
            defaultText: withDefinition ? ClassRelations.defaultText(column) : nil,
            comment: withDefinition ? column.comment : nil,
            collation: column.collation == .caseInsensitive ? column.collation.rawValue : nil,
            isDistributionKey: owner.distribution == .key(index),
            sortPosition: TableRelations.sortPosition(owner, index))
    }
}
