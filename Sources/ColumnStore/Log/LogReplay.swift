import Catalog
import ColumnVectors
import SQLTypes

/// The state that superblock and log make together, before any part is opened: parts that a later commit removed have
/// no files any more.
struct LogReplay {
    struct Table {
        var parts: [Superblock.PartEntry] = []
        /// Rows deleted since the checkpoint, of parts by id.
        var deleted: [PartID: [DeletedPositions]] = [:]
        var deltas: [DeltaView] = []
        var identity: [Int32: Int64] = [:]
        var defaults: [Int32: Datum] = [:]
    }
    struct DeletedPositions {
        var group: Int
        /// Rows of the group.
        var rows: Int
        var positions: [UInt16]
    }

    private(set) var version: UInt64
    private(set) var catalog: CatalogSnapshot
    private(set) var nextPartID: UInt64
    private(set) var tables: [ObjectID: Table] = [:]
    private var definitions: [ObjectID: TableDefinition] = [:]
    /// Of deltas whose rows are older than their table's definition.
    private var olderColumns: [PartID: [ColumnDefinition]] = [:]
    private let shape: ClusterShape
    /// Of the commit that is applied.
    private var format = LogPayload.formatVersion
    /// Of what the log holds; to be advanced before any is made.
    let numbers = PartNumbers(next: 1)

    init(_ superblock: Superblock) {
        version = superblock.version
        catalog = superblock.catalog
        nextPartID = superblock.nextPartID
        shape = superblock.shape
        for table in superblock.catalog.tablesOfAllDatabases {
            tables[table.id] = Table()
            definitions[table.id] = table
        }
        for part in superblock.parts { tables[part.table]?.parts.append(part) }
        for (key, value) in superblock.identity { tables[key.table]?.identity[key.column] = value }
        for (key, value) in superblock.columnDefaults { tables[key.table]?.defaults[key.column] = value }
    }

    /// Applies one commit.
    mutating func apply(commit: UInt64, _ payload: UnsafeRawBufferPointer, file: String) throws {
        var reader = LogReader(payload, file: file)
        let format = try reader.get(UInt8.self)
        guard (1...LogPayload.formatVersion).contains(format) else {
            throw SQLError(
                .featureNotSupported, "commit \(commit) in log file \"\(file)\" has format version \(format)",
                hint: "Open the warehouse with the version of the program that wrote it, or a newer one.")
        }
        self.format = format
        nextPartID = max(nextPartID, try reader.get())
        while !reader.isAtEnd {
            guard let tag = LogPayload.Tag(rawValue: try reader.get()) else { throw reader.damaged("unknown entry") }
            try apply(tag, &reader)
        }
        version = commit
    }

    private mutating func apply(_ tag: LogPayload.Tag, _ reader: inout LogReader) throws {
        switch tag {
        case .catalog: try define(&reader)
        case .rows: try addRows(&reader)
        case .olderColumns:
            _ = try reader.get(Int64.self)
            let delta = PartID(try reader.get())
            var inner = BinaryReader(try reader.getCounted(), file: reader.file)
            olderColumns[delta] = try inner.getList { try CatalogCodec.readColumn(&$0) }
            guard inner.isAtEnd else { throw reader.damaged("bytes behind the columns of rows") }
        case .emptied:
            let id = ObjectID(try reader.get())
            try edit(id, reader) { table in
                table.parts = []
                table.deleted = [:]
                table.deltas = []
            }
        case .removedPart:
            let (id, part) = (ObjectID(try reader.get()), PartID(try reader.get()))
            let reader = reader
            try edit(id, reader) { table in
                guard let place = table.parts.firstIndex(where: { $0.id == part }) else {
                    throw reader.damaged("a part is removed that the table does not have")
                }
                table.parts.remove(at: place)
                table.deleted[part] = nil
            }
        case .addedPart:
            let (id, part) = (ObjectID(try reader.get()), PartID(try reader.get()))
            let (slice, bytes) = (Int(try reader.get(UInt32.self)), Int(try reader.get(Int64.self)))
            guard slice < shape.slices, bytes >= 0 else { throw reader.damaged("description of a part") }
            try edit(id, reader) { table in
                table.parts.append(.init(id: part, table: id, slice: slice, byteCount: bytes))
            }
        case .deletedRows: try deleteRows(&reader)
        case .identity:
            let (id, column, value) = (
                ObjectID(try reader.get()), try reader.get(Int32.self), try reader.get(Int64.self)
            )
            try edit(id, reader) { $0.identity[column] = value }
        case .columnDefault:
            let (id, column) = (ObjectID(try reader.get()), try reader.get(Int32.self))
            let value = try reader.getDatum()
            try edit(id, reader) { $0.defaults[column] = value }
        }
    }

    private mutating func edit(_ id: ObjectID, _ reader: LogReader, _ body: (inout Table) throws -> Void) throws {
        guard let place = tables.index(forKey: id) else { throw reader.damaged("a table that does not exist") }
        try body(&tables.values[place])
    }

    private mutating func define(_ reader: inout LogReader) throws {
        var inner = BinaryReader(try reader.getCounted(), file: reader.file)
        let difference =
            format < LogPayload.firstWithDatabases
            ? try CatalogDifference(ofOneDatabase: &inner, ownersAreNames: format < LogPayload.firstWithOwnerIDs)
            : try CatalogDifference(&inner)
        guard inner.isAtEnd else { throw reader.damaged("bytes behind a change of definitions") }
        let changed = difference.apply(to: &catalog)
        for id in changed.dropped {
            tables[id] = nil
            definitions[id] = nil
        }
        for table in changed.defined {
            definitions[table.id] = table
            if tables[table.id] == nil { tables[table.id] = Table() }
        }
    }

    private mutating func addRows(_ reader: inout LogReader) throws {
        let (id, delta) = (ObjectID(try reader.get()), PartID(try reader.get()))
        let slice = Int(try reader.get(UInt32.self))
        guard let placement = PartPlacement(stored: try reader.get()), slice < shape.slices else {
            throw reader.damaged("placement of rows")
        }
        let first = try reader.get(UInt64.self)
        let count = Int(try reader.get(UInt32.self)), columns = Int(try reader.get(UInt16.self))
        guard let definition = definitions[id], let place = tables.index(forKey: id) else {
            throw reader.damaged("rows of a table that does not exist")
        }
        var at = tables.values[place].deltas.lastIndex { $0.rows.id == delta }
        guard count <= reader.remaining else { throw reader.damaged("number of rows") }
        if at == nil {
            let rows = DeltaRows(
                table: id, slice: slice, placement: placement,
                columns: olderColumns.removeValue(forKey: delta) ?? definition.columns, isShared: true, id: delta,
                numbers: numbers)
            tables.values[place].deltas.append(DeltaView(rows: rows, count: 0, deleted: nil))
            at = tables.values[place].deltas.count - 1
        }
        guard let at, tables.values[place].deltas[at].count == Int(first),
            tables.values[place].deltas[at].rows.columns.count == columns
        else { throw reader.damaged("rows are not where they belong") }
        try tables.values[place].deltas[at].rows.append(count: count) { batch in
            for column in batch.columns { try LogRows.read(&reader, count, into: column) }
        }
        tables.values[place].deltas[at].count += count
    }

    private mutating func deleteRows(_ reader: inout LogReader) throws {
        let (id, part) = (ObjectID(try reader.get()), PartID(try reader.get()))
        var groups: [DeletedPositions] = []
        for _ in 0..<(try reader.get(UInt32.self)) { groups.append(try LogReplay.positions(&reader)) }
        let reader = reader
        try edit(id, reader) { table in
            guard let place = table.deltas.firstIndex(where: { $0.rows.id == part }) else {
                guard table.parts.contains(where: { $0.id == part }) else {
                    throw reader.damaged("rows are deleted of a part that the table does not have")
                }
                return table.deleted[part, default: []] += groups
            }
            let deleted = table.deltas[place].roomToDelete()
            table.deltas[place].deleted = deleted
            for group in groups {
                for row in group.positions {
                    guard group.group << 16 + Int(row) < table.deltas[place].count,
                        deleted.insert(group: group.group, row: Int(row))
                    else { throw reader.damaged("position of a deleted row") }
                }
            }
        }
    }

    private static func positions(_ reader: inout LogReader) throws -> DeletedPositions {
        let group = Int(try reader.get(UInt32.self)), rows = Int(try reader.get(UInt32.self))
        let count = Int(try reader.get(UInt32.self))
        guard group < 1 << 24, rows <= StorageLimits.rowGroupRows, count <= rows else {
            throw reader.damaged("deleted rows")
        }
        var positions: [UInt16] = []
        positions.reserveCapacity(count)
        if count > 0 && count * 16 < rows {
            for _ in 0..<count { positions.append(try reader.get()) }
        } else if count > 0 {
            let bits = try reader.take((rows + 7) / 8)
            for row in 0..<rows where bits.load(fromByteOffset: row >> 3, as: UInt8.self) >> UInt8(row & 7) & 1 != 0 {
                positions.append(UInt16(truncatingIfNeeded: row))
            }
        }
        guard positions.count == count, positions.allSatisfy({ $0 < rows }) else {
            throw reader.damaged("deleted rows")
        }
        return DeletedPositions(group: group, rows: rows, positions: positions)
    }
}

extension DeltaView {
    /// Its deleted rows, to be added to in place: nobody else has them yet.
    fileprivate func roomToDelete() -> DeletedRows {
        if let deleted, deleted.groupRows.count * StorageLimits.rowGroupRows >= count { return deleted }
        return DeletedRows(deleted, adding: DeletedRows(deltaRows: count), fileID: 0)
    }
}

extension LogReplay.Table {
    /// A part's deleted rows: those of its file and those of the log.
    func deleted(of file: PartFile, stored: DeletedRows?) throws -> DeletedRows? {
        guard let more = deleted[file.footer.id] else { return stored }
        let new = DeletedRows(groupRows: file.footer.groupRows)
        for group in more {
            guard new.groupRows.indices.contains(group.group), new.groupRows[group.group] == group.rows else {
                throw PartReader.damaged(file.path, column: nil, "the log deletes rows that it does not have")
            }
            for row in group.positions { _ = new.insert(group: group.group, row: Int(row)) }
        }
        return DeletedRows(stored, adding: new, fileID: 0)
    }
}
