import Catalog
import ColumnStore
import SQLTypes

/// Nodes, slices and what lies on them.
enum ClusterRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stv_slices", "node int, slice int, localslice int, type char(1)",
            rows: { snapshot, sink in
                for slice in 0..<snapshot.shape.slices {
                    let perNode = max(snapshot.shape.slicesPerNode, 1)
                    try sink.add([.number(slice / perNode), .number(slice), .number(slice % perNode), .text("D")])
                }
            }),
        SystemRelation(
            "stv_tbl_perm",
            """
            slice int, id int, name char(72), rows bigint, sorted_rows bigint, temp int, db_id int,
            insert_pristine int, delete_pristine int, backup int, dist_style int, block_count int
            """, rows: permanents),
        SystemRelation(
            "stv_blocklist",
            """
            slice int, col int, tbl int, blocknum int, num_values int, extended_limits int, minvalue bigint,
            maxvalue bigint, sb_pos int, pinned int, on_disk int, modified int, hdr_modified int, unsorted int,
            tombstone int, preferred_diskno int, temporary int, newblock int, num_readers int, flags int
            """,
            rows: { snapshot, sink in
                try forEachBlock(snapshot) { block in
                    let place: [Datum] = [
                        .number(block.slice), .number(block.column), .wide(block.table.id.raw), .number(block.number),
                        .number(block.values), .zero, .wide(block.minimum), .wide(block.maximum),
                    ]
                    try sink.add(place + state(block) + [.zero, .zero])
                }
            }),
        SystemRelation(
            "svv_diskusage",
            """
            db_id int, name char(72), slice int, col int, tbl int, blocknum int, num_values int, minvalue bigint,
            maxvalue bigint, sb_pos int, pinned int, on_disk int, modified int, hdr_modified int, unsorted int,
            tombstone int, preferred_diskno int, temporary int, newblock int
            """,
            rows: { snapshot, sink in
                try forEachBlock(snapshot) { block in
                    let place: [Datum] = [
                        .wide(block.database.raw), .text(block.table.name), .number(block.slice),
                        .number(block.column), .wide(block.table.id.raw), .number(block.number),
                        .number(block.values), .wide(block.minimum), .wide(block.maximum),
                    ]
                    try sink.add(place + state(block))
                }
            }),
        SystemRelation("stv_node_storage_capacity", "node int, used int, capacity int", rows: capacity),
        SystemRelation(
            "stv_partitions",
            """
            owner int, host int, diskno int, part_begin bigint, part_end bigint, used int, tossed int, capacity int,
            reads bigint, writes bigint, seek_forward int, seek_back int, is_san int, failed int, mbps int,
            mount char(256)
            """),
        SystemRelation(
            "stv_snapshots",
            "name char(128), created ts, commit bigint, tables int, parts int, bytes bigint",
            rows: { snapshot, sink in
                for saved in try snapshot.savedSnapshots() {
                    try sink.add([
                        .text(saved.name), .integer(Int128(saved.createdMicroseconds)),
                        .integer(Int128(saved.version)), .number(saved.tableCount), .number(saved.partCount),
                        .number(saved.byteCount),
                    ])
                }
            }),
        SystemRelation(
            "stv_db_isolation_level", "db_name char(128), isolation_level char(20)",
            rows: { snapshot, sink in
                for database in snapshot.store.catalog.sortedDatabases {
                    try sink.add([.text(database.name), .text(database.isolation.title)])
                }
            }),
    ]

    /// Of all databases.
    private static func permanents(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for inside in snapshot.withinEach { try permanentsOfDatabase(inside, sink) }
    }

    private static func permanentsOfDatabase(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            guard let data = snapshot.store.table(table.id) else { continue }
            let style: Int
            switch data.effectiveDistribution {
            case .key: style = 1
            case .all: style = 8
            case .even, .auto: style = 0
            }
            for (slice, parts) in try data.slices.enumerated() {
                let rows = parts.reduce(0) { $0 + $1.rowCount }
                let sorted = parts.reduce(0) { $0 + ($1.isSorted ? $1.rowCount : 0) }
                let blocks = parts.reduce(0) { $0 + $1.rowGroupCount } * table.columns.count
                try sink.add([
                    .number(slice), .wide(table.id.raw), .text(table.name), .number(rows), .number(sorted),
                    .number(table.isTemporary ? 1 : 0), .number(snapshot.databaseID), .zero, .zero, .yes,
                    .number(style), .number(blocks),
                ])
            }
        }
    }

    private struct BlockFacts {
        var database: ObjectID
        var table: TableDefinition
        var slice: Int
        var column: Int
        var number: Int
        var values: Int
        var minimum: Int64
        var maximum: Int64
        var isSorted: Bool
    }

    /// Of all databases.
    private static func forEachBlock(_ snapshot: SystemSnapshot, _ body: (BlockFacts) throws -> Void) throws {
        for inside in snapshot.withinEach { try forEachBlockOfDatabase(inside, body) }
    }

    private static func forEachBlockOfDatabase(
        _ snapshot: SystemSnapshot, _ body: (BlockFacts) throws -> Void
    ) throws {
        for table in snapshot.tables {
            for part in try snapshot.store.table(table.id)?.parts ?? [] {
                for column in table.columns.indices {
                    for group in 0..<part.rowGroupCount {
                        let zone = part.zone(column: column, group: group)
                        try body(
                            BlockFacts(
                                database: snapshot.store.catalog.databaseID, table: table, slice: part.slice,
                                column: column, number: group,
                                values: Int(zone.rowCount), minimum: zone.minimum, maximum: zone.maximum,
                                isSorted: part.isSorted))
                    }
                }
            }
        }
    }

    /// sb_pos ... newblock
    private static func state(_ block: BlockFacts) -> [Datum] {
        [
            .zero, .zero, .yes, .zero, .zero, .number(block.isSorted ? 0 : 1), .zero, .zero,
            .number(block.table.isTemporary ? 1 : 0), .zero,
        ]
    }

    /// What a node is said to hold, in blocks of 1 MB.
    static let nodeCapacityBlocks = 190_633

    /// In blocks of 1 MB.
    private static func capacity(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var used = [Int](repeating: 0, count: max(snapshot.shape.nodes, 1))
        let perNode = max(snapshot.shape.slicesPerNode, 1)
        for table in snapshot.withinEach.flatMap(\.tables) {
            for part in try snapshot.store.table(table.id)?.parts ?? [] {
                used[min(part.slice / perNode, used.count - 1)] += part.byteCount
            }
        }
        for (node, bytes) in used.enumerated() {
            try sink.add([.number(node), .number((bytes + (1 << 20) - 1) >> 20), .number(nodeCapacityBlocks)])
        }
    }
}
