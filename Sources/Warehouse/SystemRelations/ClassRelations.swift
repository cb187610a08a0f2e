import Binder
import Catalog
import ColumnStore
import Platform
import SQLTypes

import enum SQLSyntax.StoredText

/// pg_class, pg_attribute and what hangs on them.
enum ClassRelations {
    static let all: [SystemRelation] = [
        SystemRelation("pg_class", classColumns, rows: classes),
        SystemRelation(
            "pg_class_info", classColumns + ", relcreationtime ts, releffectivediststyle int", rows: classInfo),
        SystemRelation("pg_attribute", attributeColumns, rows: attributes),
        SystemRelation("pg_attribute_info", attributeColumns, rows: attributes),
        SystemRelation("pg_attrdef", "oid oid, adrelid oid, adnum smallint, adbin text, adsrc text", rows: defaults),
        SystemRelation(
            "pg_namespace", "oid oid, nspname name, nspowner int, nspacl aclitem[]",
            rows: { snapshot, sink in
                for space in snapshot.namespaces {
                    try sink.add([
                        .number(space.id), .text(space.name), .number(space.owner),
                        snapshot.accessText(.schema(ObjectID(Int64(space.id)))),
                    ])
                }
            }),
        SystemRelation(
            "pg_description", "objoid oid, classoid oid, objsubid int, description text", rows: descriptions),
    ]

    // MARK: pg_class

    /// Redshift's columns, and at the end some of later PostgreSQL releases that psql asks for.
    private static let classColumns = """
        oid oid, relname name, relnamespace oid, reltype oid, relowner int, relam oid, relfilenode oid,
        reltablespace oid, relpages int, reltuples real, reltoastrelid oid, reltoastidxid oid, relhasindex bool,
        relisshared bool, relkind "char", relnatts smallint, relexternid oid, relisreplicated bool, relispinned bool,
        reldiststyle smallint, relprojbaseid oid, relchecks smallint, reltriggers smallint, relukeys smallint,
        relfkeys smallint, relrefs smallint, relhasoids bool, relhaspkey bool, relhasrules bool, relhassubclass bool,
        relacl aclitem[], relhastriggers bool, relrowsecurity bool, relforcerowsecurity bool, relispartition bool,
        reloftype oid, relpersistence "char", relreplident "char", reloptions text[],
        tableoid oid
        """

    struct ClassRow {
        var id = 0
        var name = ""
        var namespace = 11
        var owner = 1
        var rows = 0
        var pages = 0
        var kind = "r"
        var columns = 0
        var style = 0
        var unique = 0
        var foreign = 0
        var hasPrimaryKey = false
        var hasIndex = false
        var isTemporary = false
        var accessMethod = 0
        var access = Datum.null

        var datums: [Datum] {
            let isView: Datum = kind == "v" ? .yes : .no
            let first: [Datum] = [
                .number(id), .text(name), .number(namespace), .zero, .number(owner), .number(accessMethod),
                .number(id), .zero, .number(pages), .double(Double(rows)), .zero, .zero, .boolean(hasIndex), .no,
                .text(kind), .number(columns), .zero, .no, .no,
            ]
            let second: [Datum] = [
                .number(style), .zero, .zero, .zero, .number(unique), .number(foreign), .zero, .no,
                .boolean(hasPrimaryKey), isView, .no, access, .no, .no, .no, .no, .zero,
                .text(isTemporary ? "t" : "p"), .text("d"), .null, .number(1259),
            ]
            return first + second
        }
    }

    private static func classes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEachClass(snapshot) { row, _ in try sink.add(row.datums) }
    }
    private static func classInfo(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEachClass(snapshot) { row, _ in try sink.add(row.datums + [.null, .number(row.style)]) }
    }

    static func forEachClass(_ snapshot: SystemSnapshot, _ body: (ClassRow, TableDefinition?) throws -> Void) throws {
        let namespaces = snapshot.namespaceIDs
        for relation in SystemRelations.all {
            var row = ClassRow()
            row.id = SystemRelations.oids[relation.planName] ?? 0
            row.name = relation.name
            row.namespace = relation.schema == "pg_catalog" ? 11 : 10_000
            row.kind = relation.isView ? "v" : "r"
            row.columns = relation.columns.count
            try body(row, nil)
        }
        for relation in snapshot.relations {
            var row = ClassRow()
            row.id = Int(relation.id.raw)
            row.name = relation.name
            row.namespace = namespaces[relation.schema] ?? 0
            row.owner = relation.owner
            row.access = snapshot.accessText(.relation(relation.id))
            switch relation {
            case .view(let view):
                row.kind = "v"
                row.columns = view.columnNames.count
                try body(row, nil)
            case .table(let table):
                fill(&row, table, snapshot)
                row.kind = table.kind.facts.relationKind ?? row.kind
                try body(row, table)
                for key in table.keys { try body(index(key.index, key.constraint, of: table, row), nil) }
            }
        }
    }

    private static func fill(_ row: inout ClassRow, _ table: TableDefinition, _ snapshot: SystemSnapshot) {
        let data = snapshot.store.table(table.id)
        row.rows = data?.rowCount ?? 0
        row.pages = ((data?.byteCount ?? 0) + (1 << 20) - 1) >> 20
        row.columns = table.columns.count
        row.isTemporary = table.isTemporary
        row.hasPrimaryKey = table.hasPrimaryKey
        row.hasIndex = !table.keys.isEmpty
        row.unique = table.keys.count
        row.foreign = table.constraints.count - row.unique
        switch table.distribution {
        case .even: row.style = 0
        case .key: row.style = 1
        case .all: row.style = 8
        case .auto: row.style = data.map { $0.effectiveDistribution != .all } ?? false ? 11 : 10
        }
    }

    /// The index that stands for a key, as PostgreSQL would have made it.
    private static func index(
        _ number: Int, _ constraint: TableConstraint, of table: TableDefinition, _ parent: ClassRow
    ) -> ClassRow {
        var row = ClassRow()
        row.id = table.constraintID(number)
        row.name = constraint.name
        row.namespace = parent.namespace
        row.owner = parent.owner
        row.kind = "i"
        row.accessMethod = 403
        row.columns = constraint.columns.count
        row.isTemporary = table.isTemporary
        return row
    }

    // MARK: pg_attribute

    private static let attributeColumns = """
        attrelid oid, attname name, atttypid oid, attstattarget int, attlen smallint, attnum smallint, attndims int,
        attcacheoff int, atttypmod int, attbyval bool, attstorage "char", attalign "char", attnotnull bool,
        atthasdef bool, attisdropped bool, attislocal bool, attinhcount int, attisdistkey bool, attispreloaded bool,
        attsortkeyord int, attencodingtype smallint, attencrypttype smallint, attacl aclitem[], attcollation oid,
        attidentity "char", attgenerated "char", attoptions text[], attfdwoptions text[]
        """

    struct AttributeRow {
        var relation = 0
        var name = ""
        var type = 25
        var number = 0
        var modifier = -1
        var isNotNull = false
        var hasDefault = false
        var isDistributionKey = false
        var sortPosition = 0
        var encoding = 0
        var identity = ""
        var access = Datum.null

        /// What the type alone decides, made once.
        private struct TypeFacts: Sendable {
            var length: Datum
            var isByValue: Datum
            var storage: Datum
            var alignment: Datum
            init(_ entry: TypeCatalog.Entry?) {
                length = .number(entry?.length ?? -1)
                isByValue = .boolean(entry?.isByValue ?? false)
                storage = .text(entry?.storage ?? "x")
                alignment = .text(entry?.alignment ?? "i")
            }
        }
        private static let typeFacts = TypeCatalog.byID.mapValues { TypeFacts($0) }
        private static let otherType = TypeFacts(nil)

        /// One value, by its place: a row has many columns, and few are asked for.
        func datum(_ column: Int) -> Datum {
            switch column {
            case 0: .number(relation)
            case 1: .text(name)
            case 2: .number(type)
            case 3, 7: .number(-1)
            case 4: facts.length
            case 5: .number(number)
            case 8: .number(modifier)
            case 9: facts.isByValue
            case 10: facts.storage
            case 11: facts.alignment
            case 12: .boolean(isNotNull)
            case 13: .boolean(hasDefault)
            case 15: .yes
            case 17: .boolean(isDistributionKey)
            case 19: .number(sortPosition)
            case 20: .number(encoding)
            case 22: access
            case 26, 27: .null
            case 24: .text(identity)
            case 25: .blank
            default: .zero
            }
        }
        private var facts: TypeFacts { AttributeRow.typeFacts[type] ?? AttributeRow.otherType }
    }

    private static func attributes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let withAccess = sink.wants(22) && snapshot.accounts.hasColumnAccess
        for relation in SystemRelations.all {
            let id = SystemRelations.oids[relation.planName] ?? 0
            for (index, column) in relation.columns.enumerated() {
                var row = AttributeRow(relation: id, name: column.name, type: relation.typeIDs[index])
                row.number = index + 1
                if row.type == 1042 || row.type == 1043 || row.type == 1700 {
                    row.modifier = column.type.catalogModifier
                }
                try sink.add(row.datum)
            }
        }
        for relation in snapshot.relations {
            switch relation {
            case .view(let view):
                if view.isLateBinding { continue }
                try snapshot.cancellation.check()
                for (index, column) in (snapshot.viewColumns(view) ?? []).enumerated() {
                    var row = AttributeRow(relation: Int(view.id.raw), name: column.name)
                    row.number = index + 1
                    row.type = TypeCatalog.id(of: column.type)
                    row.modifier = column.type.catalogModifier
                    row.access = snapshot.accessText(.column(view.id, Int32(truncatingIfNeeded: index)))
                    try sink.add(row.datum)
                }
            case .table(let table): try add(table, snapshot, sink, withAccess: withAccess)
            }
        }
    }

    private static func add(
        _ table: TableDefinition, _ snapshot: SystemSnapshot, _ sink: SystemRows, withAccess: Bool
    ) throws {
        let data = snapshot.store.table(table.id)
        let wantsEncoding = sink.wants(20)
        var rows: [AttributeRow] = []
        for (index, column) in table.columns.enumerated() {
            var row = AttributeRow(relation: Int(table.id.raw), name: column.name)
            row.number = index + 1
            row.type = TypeCatalog.id(of: column.type)
            row.modifier = column.type.catalogModifier
            row.isNotNull = column.notNull
            if withAccess { row.access = snapshot.accessText(.column(table.id, column.id)) }
            row.hasDefault = defaultText(column) != nil
            row.isDistributionKey = table.distribution == .key(index)
            row.sortPosition = TableRelations.sortPosition(table, index)
            if wantsEncoding {
                row.encoding = EncodingNumbers.number(TableRelations.encodingName(table, index, data))
            }
            rows.append(row)
            try sink.add(row.datum)
        }
        for key in table.keys {
            for (place, column) in key.constraint.columns.enumerated() where rows.indices.contains(column) {
                var row = AttributeRow(relation: table.constraintID(key.index), name: rows[column].name)
                row.number = place + 1
                row.type = rows[column].type
                row.modifier = rows[column].modifier
                try sink.add(row.datum)
            }
        }
    }

    // MARK: Defaults, comments

    /// As Redshift writes it, with the form that drivers look for in identity columns.
    static func defaultText(_ column: ColumnDefinition) -> String? {
        if let identity = column.identity {
            let word = identity.byDefault ? "default_identity" : "identity"
            return "\"\(word)\"(0, 0, '\(identity.seed),\(identity.step)'::text)"
        }
        return column.defaultExpression.map(StoredText.statementText)
    }

    private static func defaults(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let visibility = DefinitionVisibility(snapshot)
        for table in snapshot.tables where visibility.shows(table) {
            for (index, column) in table.columns.enumerated() {
                guard let text = defaultText(column) else { continue }
                try sink.add([
                    .number(table.defaultID(index)), .wide(table.id.raw), .number(index + 1), .text(text), .text(text),
                ])
            }
        }
    }

    private static func descriptions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let visibility = DefinitionVisibility(snapshot)
        for relation in snapshot.relations where visibility.shows(relation) {
            if let comment = relation.comment {
                try sink.add([.wide(relation.id.raw), .number(1259), .zero, .text(comment)])
            }
            for (index, comment) in relation.columnComments {
                try sink.add([.wide(relation.id.raw), .number(1259), .number(index + 1), .text(comment)])
            }
            guard case .table(let table) = relation else { continue }
            for (index, constraint) in table.constraints.enumerated() {
                guard let comment = constraint.comment else { continue }
                try sink.add([.number(table.constraintID(index)), .number(2606), .zero, .text(comment)])
            }
        }
        for schema in snapshot.store.catalog.schemas.values.sorted(by: { $0.id < $1.id }) {
            guard let comment = schema.comment else { continue }
            try sink.add([.wide(schema.id.raw), .number(2615), .zero, .text(comment)])
        }
        for database in snapshot.store.catalog.sortedDatabases {
            guard let comment = database.comment else { continue }
            try sink.add([.wide(database.id.raw), .number(1262), .zero, .text(comment)])
        }
    }
}

/// pg_attribute.attencodingtype and `format_encoding` in both directions.
enum EncodingNumbers {
    private static let names = [
        "none", "runlength", "bytedict", "delta", "delta32k", "mostly8", "mostly16", "mostly32", "text255", "text32k",
        "lzo", "zstd", "az64",
    ]
    static func number(_ name: String) -> Int { names.firstIndex(of: name) ?? 0 }
    static func name(_ number: Int) -> String? { names.indices.contains(number) ? names[number] : nil }
}
