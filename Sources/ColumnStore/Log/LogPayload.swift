import Catalog
import ColumnVectors
import SQLTypes

/// What a commit did, as the log holds it: entries in the order in which they were applied. Tags are fixed for ever.
struct LogPayload {
    enum Tag: UInt8 {
        case catalog = 1
        case emptied = 2
        case removedPart = 3
        case addedPart = 4
        case rows = 5
        case deletedRows = 6
        case identity = 7
        case columnDefault = 8
        case olderColumns = 9
    }
    /// 2: owners of definitions by id. 3: several databases. 4: quotas and comments of schemas.
    static let formatVersion: UInt8 = 4
    static let firstWithOwnerIDs: UInt8 = 2
    static let firstWithDatabases: UInt8 = 3
    /// Longer records are refused before anything is written.
    static let largest = 1 << 30

    private var writer = BinaryWriter(capacity: 256)

    init() {
        writer.put(LogPayload.formatVersion)
        // The next number of a part: filled in at the end.
        writer.put(UInt64(0))
    }

    /// - Parameter nextPartID: no part that the record names has this number or a greater one.
    func finished(nextPartID: UInt64) -> [UInt8] {
        var bytes = writer.bytes
        for index in 0..<8 { bytes[1 + index] = UInt8(truncatingIfNeeded: nextPartID >> UInt64(8 * index)) }
        return bytes
    }

    mutating func put(_ difference: CatalogDifference) {
        writer.put(Tag.catalog.rawValue)
        var inner = BinaryWriter()
        difference.write(&inner)
        writer.put(counted: inner.bytes)
    }

    mutating func put(emptied table: ObjectID) {
        writer.put(Tag.emptied.rawValue)
        writer.put(table.raw)
    }

    mutating func put(removed part: PartID, of table: ObjectID) {
        writer.put(Tag.removedPart.rawValue)
        writer.put(table.raw)
        writer.put(part.raw)
    }

    mutating func put(added file: PartFile) {
        writer.put(Tag.addedPart.rawValue)
        writer.put(file.footer.table.raw)
        writer.put(file.footer.id.raw)
        writer.put(UInt32(truncatingIfNeeded: file.footer.slice))
        writer.put(Int64(file.byteCount))
    }

    /// The rows of a delta that comes next are not of the columns that the table has after the commit: a later
    /// statement of the same transaction has changed them.
    mutating func put(olderColumnsOf delta: DeltaRows) {
        writer.put(Tag.olderColumns.rawValue)
        writer.put(delta.table.raw)
        writer.put(delta.id.raw)
        var inner = BinaryWriter()
        inner.put(delta.columns) { CatalogCodec.write($1, &$0) }
        writer.put(counted: inner.bytes)
    }

    mutating func put(rows batch: ColumnBatch, of delta: DeltaRows, first: Int) {
        writer.put(Tag.rows.rawValue)
        writer.put(delta.table.raw)
        writer.put(delta.id.raw)
        writer.put(UInt32(truncatingIfNeeded: delta.slice))
        writer.put(delta.placement.stored)
        writer.put(UInt64(first))
        writer.put(UInt32(truncatingIfNeeded: batch.rowCount))
        writer.put(UInt16(truncatingIfNeeded: batch.columns.count))
        for column in batch.columns { LogRows.write(column, &writer) }
    }

    /// - Parameter part: of a file, or of a delta, whose rows are given by ordinal.
    mutating func put(deleted rows: DeletedRows, of part: PartID, table: ObjectID) {
        writer.put(Tag.deletedRows.rawValue)
        writer.put(table.raw)
        writer.put(part.raw)
        let groups = rows.groupRows.indices.filter { rows.groupCounts[$0] > 0 }
        writer.put(groups) { writer, group in
            writer.put(UInt32(truncatingIfNeeded: group))
            writer.put(UInt32(truncatingIfNeeded: rows.groupRows[group]))
            DeletedRowsFile.write(rows, group: group, &writer)
        }
    }

    mutating func put(identity key: IdentityKey, _ value: Int64) {
        writer.put(Tag.identity.rawValue)
        key.write(&writer)
        writer.put(value)
    }

    mutating func put(default key: IdentityKey, _ value: Datum) {
        writer.put(Tag.columnDefault.rawValue)
        key.write(&writer)
        writer.put(value)
    }
}
