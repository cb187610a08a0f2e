import Binder
import Catalog
import ColumnStore
import SQLTypes

/// Tables, columns and their physical design.
enum TableRelations {
    static let all: [SystemRelation] = [
        tableDefinitions, tableInfo, tables, columns, informationTables, informationColumns,
    ]

    private static let tableDefinitions = SystemRelation(
        schema: "pg_catalog", name: "pg_table_def",
        columns: [
            .init("schemaname", .varchar(128)), .init("tablename", .varchar(128)), .init("column", .varchar(128)),
            .init("type", .varchar(128)), .init("encoding", .varchar(128)), .init("distkey", .boolean),
            .init("sortkey", .integer), .init("notnull", .boolean),
        ],
        rows: { snapshot in
            // Only schemas of the search path, as in Redshift.
            let path = Set(snapshot.searchPath + [snapshot.temporarySchema])
            return snapshot.tables.filter { path.contains($0.schema) }.flatMap { table in
                table.columns.indices.map { index in
                    [
                        .text(table.schema), .text(table.name), .text(table.columns[index].name),
                        .text(table.columns[index].type.description),
                        .text(encodingName(table, index, snapshot.store.table(table.id))),
                        .boolean(table.distribution == .key(index)), .number(sortPosition(table, index)),
                        .boolean(table.columns[index].notNull),
                    ]
                }
            }
        })

    static func encodingName(_ table: TableDefinition, _ index: Int, _ data: TableSnapshot?) -> String {
        let declared = table.columns[index].encoding
        let name = declared == .auto ? data?.parts.last?.encodingName(index) ?? "none" : declared.rawValue
        return name == "raw" ? "none" : name
    }
    /// Place in the sort key from 1; interleaved keys alternate in sign, as Redshift shows them.
    static func sortPosition(_ table: TableDefinition, _ index: Int) -> Int {
        guard let place = table.sortKey.columns.firstIndex(of: index) else { return 0 }
        if case .interleaved = table.sortKey { return place % 2 == 0 ? place + 1 : -(place + 1) }
        return place + 1
    }
    static func distributionName(_ table: TableDefinition, _ data: TableSnapshot?) -> String {
        switch table.distribution {
        case .even: return "EVEN"
        case .all: return "ALL"
        case .key(let column): return "KEY(\(table.columns[column].name))"
        case .auto: return data?.effectiveDistribution == .all || data == nil ? "AUTO(ALL)" : "AUTO(EVEN)"
        }
    }

    private static let tableInfo = SystemRelation(
        schema: "pg_catalog", name: "svv_table_info",
        columns: [
            .init("database", .varchar(128)), .init("schema", .varchar(128)), .init("table_id", .integer),
            .init("table", .varchar(128)), .init("encoded", .varchar(128)), .init("diststyle", .varchar(128)),
            .init("sortkey1", .varchar(128)), .init("max_varchar", .integer), .init("sortkey1_enc", .varchar(32)),
            .init("sortkey_num", .integer), .init("size", .bigint), .init("pct_used", .decimal(precision: 10, scale: 4)),
            .init("empty", .bigint), .init("unsorted", .decimal(precision: 5, scale: 2)),
            .init("stats_off", .decimal(precision: 5, scale: 2)), .init("tbl_rows", .decimal(precision: 38, scale: 0)),
            .init("skew_sortkey1", .decimal(precision: 19, scale: 2)),
            .init("skew_rows", .decimal(precision: 19, scale: 2)),
            .init("estimated_visible_rows", .decimal(precision: 38, scale: 0)), .init("risk_event", .varchar(128)),
            .init("vacuum_sort_benefit", .decimal(precision: 12, scale: 2)),
        ],
        rows: { snapshot in
            snapshot.tables.compactMap { table in
                guard let data = snapshot.store.table(table.id), data.rowCount > 0 else { return nil }
                return infoRow(table, data, snapshot)
            }
        })

    private static func infoRow(_ table: TableDefinition, _ data: TableSnapshot, _ snapshot: SystemSnapshot) -> [Datum] {
        let slices = data.statistics.sliceRows
        let most = slices.max() ?? 0, least = slices.min() ?? 0
        let skew: Datum = least > 0 ? .integer(Int128(most) * 100 / Int128(least)) : .null
        let unsorted = data.parts.reduce(0) { $0 + ($1.isSorted ? 0 : $1.rowCount) }
        let sortColumns = table.sortKey.columns
        let first = sortColumns.first.map { table.columns[$0].name }
        let widest = table.columns.compactMap { column -> Int? in
            if case .varchar(let length) = column.type { length } else { nil }
        }.max() ?? 0
        let encoded = table.columns.contains { $0.encoding != .raw && $0.encoding != .auto }
        return [
            .text(snapshot.store.catalog.database), .text(table.schema), .number(table.id.raw), .text(table.name),
            .text(table.encodeAuto ? "Y, AUTO(ENCODE)" : encoded ? "Y" : "N"), .text(distributionName(table, data)),
            first.map { .text($0) } ?? (table.sortKey == .auto ? .text("AUTO(SORTKEY)") : .null), .number(widest),
            first == nil ? .null : .text(encodingName(table, sortColumns[0], data)), .number(sortColumns.count),
            .number((data.byteCount + (1 << 20) - 1) >> 20), .integer(0), .number(0),
            sortColumns.isEmpty ? .null : .integer(Int128(unsorted) * 10_000 / Int128(max(data.rowCount, 1))),
            .integer(0), .number(data.rowCount), .null, skew, .number(data.rowCount), .null,
            sortColumns.isEmpty ? .null : .integer(0),
        ]
    }

    private static let tables = SystemRelation(
        schema: "pg_catalog", name: "svv_tables",
        columns: [
            .init("table_catalog", .varchar(128)), .init("table_schema", .varchar(128)),
            .init("table_name", .varchar(128)), .init("table_type", .varchar(128)), .init("remarks", .varchar(256)),
        ],
        rows: { snapshot in
            snapshot.relations.map { relation in
                let comment: String?
                switch relation {
                case .table(let table): comment = table.comment
                case .view(let view): comment = view.comment
                }
                return tableRow(relation, snapshot) + [comment.map { .text($0) } ?? .null]
            }
        })
    private static func tableRow(_ relation: Relation, _ snapshot: SystemSnapshot) -> [Datum] {
        let kind: String
        switch relation {
        case .table(let table): kind = table.isTemporary ? "LOCAL TEMPORARY" : "BASE TABLE"
        case .view: kind = "VIEW"
        }
        return [
            .text(snapshot.store.catalog.database), .text(relation.schema), .text(relation.name), .text(kind),
        ]
    }
    private static let informationTables = SystemRelation(
        schema: "information_schema", name: "information_schema.tables",
        columns: [
            .init("table_catalog", .varchar(128)), .init("table_schema", .varchar(128)),
            .init("table_name", .varchar(128)), .init("table_type", .varchar(128)),
        ],
        rows: { snapshot in snapshot.relations.map { tableRow($0, snapshot) } })

    private static let columnColumns: [SystemColumn] = [
        .init("table_catalog", .varchar(128)), .init("table_schema", .varchar(128)),
        .init("table_name", .varchar(128)), .init("column_name", .varchar(128)), .init("ordinal_position", .integer),
        .init("column_default", .varchar(4000)), .init("is_nullable", .varchar(3)), .init("data_type", .varchar(128)),
        .init("character_maximum_length", .integer), .init("numeric_precision", .integer),
        .init("numeric_scale", .integer),
    ]
    private static let columns = SystemRelation(
        schema: "pg_catalog", name: "svv_columns", columns: columnColumns + [.init("remarks", .varchar(256))],
        rows: { snapshot in
            snapshot.tables.flatMap { table in
                table.columns.indices.map {
                    columnRow(table, $0, snapshot) + [table.columns[$0].comment.map { .text($0) } ?? .null]
                }
            }
        })
    private static let informationColumns = SystemRelation(
        schema: "information_schema", name: "information_schema.columns", columns: columnColumns,
        rows: { snapshot in
            snapshot.tables.flatMap { table in table.columns.indices.map { columnRow(table, $0, snapshot) } }
        })
    private static func columnRow(_ table: TableDefinition, _ index: Int, _ snapshot: SystemSnapshot) -> [Datum] {
        let column = table.columns[index]
        var length: Datum = .null, precision: Datum = .null, scale: Datum = .null
        switch column.type {
        case .char(let bytes), .varchar(let bytes): length = .number(bytes)
        case .decimal(let digits, let places): (precision, scale) = (.number(digits), .number(places))
        case .smallint: (precision, scale) = (.number(16), .number(0))
        case .integer: (precision, scale) = (.number(32), .number(0))
        case .bigint: (precision, scale) = (.number(64), .number(0))
        default: break
        }
        return [
            .text(snapshot.store.catalog.database), .text(table.schema), .text(table.name), .text(column.name),
            .number(index + 1), column.defaultExpression.map { .text($0) } ?? .null,
            .text(column.notNull ? "NO" : "YES"), .text(column.type.plainName), length, precision, scale,
        ]
    }
}

extension SQLType {
    /// The type's name without its length, as information_schema has it.
    fileprivate var plainName: String {
        let full = description
        guard let open = full.firstIndex(of: "("), let close = full.firstIndex(of: ")") else { return full }
        return String(full[..<open]) + String(full[full.index(after: close)...])
    }
}
