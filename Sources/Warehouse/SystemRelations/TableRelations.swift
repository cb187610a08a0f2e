import Catalog
import ColumnStore
import SQLSyntax
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
        TableInfoRelation.relation,
        SystemRelation(
            "svv_interleaved_columns", "tbl int, col int, interleaved_skew numeric(19.2), last_reindex ts",
            rows: interleavedColumns),
    ]

    /// The skew is not known: nothing measures it.
    private static func interleavedColumns(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            guard case .interleaved(let columns) = table.sortKey else { continue }
            let last = snapshot.vacuums.entries.last { $0.table == table.id && $0.kind == .reindex && !$0.isSkipped }
            for column in columns {
                try sink.add([
                    .wide(table.id.raw), .number(column), .null, last.map { .wide($0.endMicroseconds) } ?? .null,
                ])
            }
        }
    }

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
        let name = declared == .auto ? data?.encodingName(index) ?? "none" : declared.rawValue
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
}
