import Catalog
import ColumnStore
import SQLTypes

/// Tables, columns and their physical design.
enum TableRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_table_def",
            """
            schemaname name, tablename name, column name, type text, encoding varchar(32), distkey bool, sortkey int,
            notnull bool
            """, rows: tableDefinitions),
        SystemRelation(
            "svv_table_info",
            """
            database varchar(128), schema varchar(128), table_id oid, table varchar(128), encoded varchar(128),
            diststyle varchar(128), sortkey1 varchar(128), max_varchar int, sortkey1_enc varchar(32), sortkey_num int,
            size bigint, pct_used numeric(10.4), empty bigint, unsorted numeric(5.2), stats_off numeric(5.2),
            tbl_rows numeric(38.0), skew_sortkey1 numeric(19.2), skew_rows numeric(19.2),
            estimated_visible_rows numeric(38.0), risk_event text, vacuum_sort_benefit numeric(12.2), create_time ts
            """,
            rows: { snapshot, sink in
                for table in snapshot.tables {
                    guard let data = snapshot.store.table(table.id), data.rowCount > 0 else { continue }
                    try sink.add(infoRow(table, data, snapshot))
                }
            }),
    ]

    private static func tableDefinitions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        // Only schemas of the search path, as in Redshift.
        let path = Set(snapshot.visibleSchemas(withImplicit: true))
        for table in snapshot.tables where path.contains(table.schema) {
            let data = snapshot.store.table(table.id)
            for (index, column) in table.columns.enumerated() {
                try sink.add([
                    .text(table.schema), .text(table.name), .text(column.name), .text(column.type.description),
                    .text(encodingName(table, index, data)), .boolean(table.distribution == .key(index)),
                    .number(sortPosition(table, index)), .boolean(column.notNull),
                ])
            }
        }
    }

    /// Encodings of all columns by `schema.table`.
    static func encodings(_ snapshot: SystemSnapshot) -> [String: [String]] {
        var result: [String: [String]] = [:]
        for table in snapshot.tables {
            let data = snapshot.store.table(table.id)
            result[table.schema + "." + table.name] = table.columns.indices.map { encodingName(table, $0, data) }
        }
        return result
    }

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

    private static func infoRow(
        _ table: TableDefinition, _ data: TableSnapshot, _ snapshot: SystemSnapshot
    ) -> [Datum] {
        let slices = data.statistics.sliceRows
        let most = slices.max() ?? 0, least = slices.min() ?? 0
        let skew: Datum = least > 0 ? .integer(Int128(most) * 100 / Int128(least)) : .null
        let unsorted = data.parts.reduce(0) { $0 + ($1.isSorted ? 0 : $1.rowCount) }
        let sortColumns = table.sortKey.columns
        let first = sortColumns.first.map { table.columns[$0].name }
        let widest =
            table.columns.compactMap { column -> Int? in
                if case .varchar(let length) = column.type { length } else { nil }
            }.max() ?? 0
        let encoded = table.columns.contains { $0.encoding != .raw && $0.encoding != .auto }
        return [
            .text(snapshot.database), .text(table.schema), .wide(table.id.raw), .text(table.name),
            .text(table.encodeAuto ? "Y, AUTO(ENCODE)" : encoded ? "Y" : "N"), .text(distributionName(table, data)),
            first.map { .text($0) } ?? (table.sortKey == .auto ? .text("AUTO(SORTKEY)") : .null), .number(widest),
            first == nil ? .null : .text(encodingName(table, sortColumns[0], data)), .number(sortColumns.count),
            .number((data.byteCount + (1 << 20) - 1) >> 20), .integer(0), .number(0),
            sortColumns.isEmpty ? .null : .integer(Int128(unsorted) * 10_000 / Int128(max(data.rowCount, 1))),
            .integer(0), .number(data.rowCount), .null, skew, .number(data.rowCount), .null,
            sortColumns.isEmpty ? .null : .integer(0), .null,
        ]
    }
}
