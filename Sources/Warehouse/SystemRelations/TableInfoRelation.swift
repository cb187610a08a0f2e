import Catalog
import ColumnStore
import SQLTypes

/// SVV_TABLE_INFO: one row a table with rows, all figures from the parts as they are.
enum TableInfoRelation {
    static let relation = SystemRelation(
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
                try sink.add(try row(table, data, snapshot))
            }
        })

    static let blockBytes = 1 << 20

    private static func row(_ table: TableDefinition, _ data: TableSnapshot, _ snapshot: SystemSnapshot) throws
        -> [Datum]
    {
        let sortColumns = table.sortKey.columns
        let blocks = (data.byteCount + blockBytes - 1) / blockBytes
        let capacity = ClusterRelations.nodeCapacityBlocks * max(snapshot.shape.nodes, 1)
        let first: [Datum] = [
            .text(snapshot.database), .text(table.schema), .wide(table.id.raw), .text(table.name),
            .text(encoded(table, data)), .text(TableRelations.distributionName(table, data)), sortKeyName(table),
            .number(widestVarchar(table)),
            sortColumns.first.map { .text(TableRelations.encodingName(table, $0, data)) } ?? .null,
            .number(sortColumns.count), .number(blocks),
            .integer(Int128((Double(blocks) * 1_000_000 / Double(capacity)).rounded())), .zero,
        ]
        let second: [Datum] = [
            sortColumns.isEmpty ? .null : hundredths(1 - Double(try data.sortedRowCount) / Double(data.rowCount), 100),
            statisticsOff(table, snapshot), .number(data.rowCount + data.deletedRowCount), try sortKeySkew(table, data),
            rowSkew(data), .number(data.rowCount), .null,
            sortColumns.isEmpty ? .null : hundredths(try SortBenefit.share(data), 100), .null,
        ]
        return first + second
    }

    private static func hundredths(_ value: Double, _ factor: Double) -> Datum {
        .integer(Int128((value * factor * 100).rounded()))
    }

    private static func encoded(_ table: TableDefinition, _ data: TableSnapshot) -> String {
        let isEncoded = table.columns.indices.contains { TableRelations.encodingName(table, $0, data) != "none" }
        return (isEncoded ? "Y" : "N") + (table.encodeAuto ? ", AUTO(ENCODE)" : "")
    }

    private static func sortKeyName(_ table: TableDefinition) -> Datum {
        switch table.sortKey {
        case .none: .null
        case .auto: .text("AUTO(SORTKEY)")
        case .interleaved: .text("INTERLEAVED")
        case .compound(let columns): columns.first.map { .text(table.columns[$0].name) } ?? .null
        }
    }

    private static func widestVarchar(_ table: TableDefinition) -> Int {
        table.columns.reduce(0) { if case .varchar(let length) = $1.type { max($0, length) } else { $0 } }
    }

    /// 0: just analyzed; 100: never, or everything has changed since.
    private static func statisticsOff(_ table: TableDefinition, _ snapshot: SystemSnapshot) -> Datum {
        guard let analyzed = snapshot.analyses.analyzed(table.id),
            let changed = snapshot.analyses.changed(table.id)
        else { return hundredths(1, 100) }
        let rows = Double(max(analyzed.analysis.rowCount, 1))
        return hundredths(min(Double(changed.total) / rows, 1), 100)
    }

    /// Bytes of the largest column that is no sort key, as a multiple of those of the first sort column.
    private static func sortKeySkew(_ table: TableDefinition, _ data: TableSnapshot) throws -> Datum {
        guard let first = table.sortKey.columns.first else { return .null }
        let parts = try data.parts
        func bytes(_ column: Int) -> Int { parts.reduce(0) { $0 + $1.byteCount(column: column) } }
        let others = table.columns.indices.filter { !table.sortKey.columns.contains($0) }
        guard let largest = others.map(bytes).max(), bytes(first) > 0 else { return .null }
        return hundredths(Double(largest) / Double(bytes(first)), 1)
    }

    /// Rows of the fullest slice as a multiple of those of the emptiest one.
    private static func rowSkew(_ data: TableSnapshot) -> Datum {
        if data.effectiveDistribution == .all { return .null }
        let most = data.statistics.sliceRows.max() ?? 0
        let least = data.statistics.sliceRows.min() ?? 0
        return least > 0 ? hundredths(Double(most) / Double(least), 1) : .null
    }
}

/// What a VACUUM could save at most: the share of the row groups that a look-up of one value of the leading sort column
/// reads now and would not read if the table were in order. From the zone maps.
enum SortBenefit {
    static func share(_ data: TableSnapshot) throws -> Double {
        guard case .compound(let columns) = data.definition.sortKey, let leading = columns.first else { return 0 }
        let distinct = max(data.statistics.columns[leading].distinctCount, 1)
        var now = 0.0
        var ideal = 0.0
        for parts in try data.slices where !parts.isEmpty {
            let groups = parts.reduce(0) { $0 + $1.rowGroupCount }
            let inOrder = max(1, Double(groups) / distinct)
            ideal += inOrder
            now += max(inOrder, groupsRead(parts, leading) ?? inOrder)
        }
        return now > 0 ? max(0, 1 - ideal / now) : 0
    }

    /// Mean row groups whose bounds hold a value; nil where bounds are no numbers.
    private static func groupsRead(_ parts: [Part], _ column: Int) -> Double? {
        var low = Int64.max
        var high = Int64.min
        var widths = 0.0
        for part in parts {
            for group in 0..<part.rowGroupCount {
                let zone = part.zone(column: column, group: group)
                guard zone.form == .integer else { return nil }
                if zone.rowCount == zone.nullCount { continue }
                low = min(low, zone.minimum)
                high = max(high, zone.maximum)
                widths += Double(zone.maximum) - Double(zone.minimum) + 1
            }
        }
        guard low <= high else { return nil }
        return widths / (Double(high) - Double(low) + 1)
    }
}
