import Binder
import ColumnStore
import SQLTypes

/// Nodes, slices and what lies on them.
enum ClusterRelations {
    static let all: [SystemRelation] = [slices, tablePermanents, blockList]

    private static let slices = SystemRelation(
        schema: "pg_catalog", name: "stv_slices",
        columns: [.init("node", .integer), .init("slice", .integer), .init("localslice", .integer), .init("type", .char(1))],
        rows: { snapshot in
            (0..<snapshot.shape.slices).map { slice in
                [
                    .number(slice / snapshot.shape.slicesPerNode), .number(slice),
                    .number(slice % snapshot.shape.slicesPerNode), .text("D"),
                ]
            }
        })

    private static let tablePermanents = SystemRelation(
        schema: "pg_catalog", name: "stv_tbl_perm",
        columns: [
            .init("slice", .integer), .init("id", .integer), .init("name", .char(72)), .init("rows", .bigint),
            .init("sorted_rows", .bigint), .init("temp", .integer), .init("db_id", .integer), .init("backup", .integer),
        ],
        rows: { snapshot in
            snapshot.tables.flatMap { table -> [[Datum]] in
                guard let data = snapshot.store.table(table.id) else { return [] }
                return data.slices.enumerated().map { slice, parts in
                    let rows = parts.reduce(0) { $0 + $1.rowCount }
                    let sorted = parts.reduce(0) { $0 + ($1.isSorted ? $1.rowCount : 0) }
                    return [
                        .number(slice), .number(table.id.raw), .text(table.name), .number(rows), .number(sorted),
                        .number(table.isTemporary ? 1 : 0), .number(1), .number(1),
                    ]
                }
            }
        })

    private static let blockList = SystemRelation(
        schema: "pg_catalog", name: "stv_blocklist",
        columns: [
            .init("slice", .integer), .init("col", .integer), .init("tbl", .integer), .init("blocknum", .integer),
            .init("num_values", .integer), .init("minvalue", .bigint), .init("maxvalue", .bigint),
            .init("sb_pos", .integer), .init("unsorted", .integer), .init("temporary", .integer),
        ],
        rows: { snapshot in
            var rows: [[Datum]] = []
            for table in snapshot.tables {
                for part in snapshot.store.table(table.id)?.parts ?? [] {
                    for column in table.columns.indices {
                        for group in 0..<part.rowGroupCount {
                            let zone = part.zone(column: column, group: group)
                            rows.append([
                                .number(part.slice), .number(column), .number(table.id.raw), .number(group),
                                .number(Int(zone.rowCount)), .number(zone.minimum), .number(zone.maximum), .number(0),
                                .number(part.isSorted ? 0 : 1), .number(table.isTemporary ? 1 : 0),
                            ])
                        }
                    }
                }
            }
            return rows
        })
}
