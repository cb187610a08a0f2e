import SQLTypes

/// The stored form of ``DeletedRows``: which part, then per row group nothing, positions or a bitmap; CRC32C at the
/// end.
enum DeletedRowsFile {
    static let magic: [UInt8] = Array("RBDELET\n".utf8)
    private static let formatVersion: UInt32 = 1

    static func encode(_ deleted: DeletedRows, part: PartID) -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(raw: magic)
        writer.put(formatVersion)
        writer.put(part.raw)
        writer.put(deleted.fileID)
        writer.put(UInt32(truncatingIfNeeded: deleted.groupRows.count))
        for group in deleted.groupRows.indices { write(deleted, group: group, &writer) }
        writer.putChecksum()
        return writer.bytes
    }

    /// A row group's count, then positions or a bitmap.
    static func write(_ deleted: DeletedRows, group: Int, _ writer: inout BinaryWriter) {
        let rows = deleted.groupRows[group], count = deleted.groupCounts[group]
        writer.put(UInt32(truncatingIfNeeded: count))
        guard let bytes = deleted.bytes(group: group), count > 0 else { return }
        if count * 16 < rows {
            for row in 0..<rows where bytes[row] != 0 { writer.put(UInt16(truncatingIfNeeded: row)) }
        } else {
            writer.put(raw: bitmap(bytes, rows))
        }
    }

    private static func bitmap(_ bytes: UnsafePointer<UInt8>, _ rows: Int) -> [UInt8] {
        var bits = [UInt8](repeating: 0, count: (rows + 7) / 8)
        for row in 0..<rows { bits[row >> 3] |= bytes[row] << UInt8(row & 7) }
        return bits
    }

    static func decode(
        _ bytes: [UInt8], file: String, part: PartID, fileID: UInt64, groupRows: [Int]
    ) throws -> DeletedRows {
        var reader = try BinaryReader.verified(bytes, file: file)
        guard Array(try reader.take(8)) == magic, try reader.get(UInt32.self) == formatVersion,
            try reader.get(UInt64.self) == part.raw, try reader.get(UInt64.self) == fileID,
            Int(try reader.get(UInt32.self)) == groupRows.count
        else { throw reader.corrupted("it is not the list of deleted rows that the superblock names") }
        let deleted = DeletedRows(groupRows: groupRows, fileID: fileID)
        for (group, rows) in groupRows.enumerated() {
            let count = Int(try reader.get(UInt32.self))
            guard count <= rows else { throw reader.corrupted("more deleted rows than rows") }
            try read(&reader, deleted, group, count, rows)
        }
        guard reader.isAtEnd else { throw reader.corrupted("bytes behind the end") }
        return deleted
    }

    private static func read(
        _ reader: inout BinaryReader, _ deleted: DeletedRows, _ group: Int, _ count: Int, _ rows: Int
    ) throws {
        if count == 0 { return }
        if count * 16 < rows {
            for _ in 0..<count {
                let row = Int(try reader.get(UInt16.self))
                guard row < rows, deleted.insert(group: group, row: row) else {
                    throw reader.corrupted("position of a deleted row")
                }
            }
            return
        }
        let bits = Array(try reader.take((rows + 7) / 8))
        for row in 0..<rows where bits[row >> 3] >> UInt8(row & 7) & 1 != 0 {
            _ = deleted.insert(group: group, row: row)
        }
        guard deleted.groupCounts[group] == count else { throw reader.corrupted("count of deleted rows") }
    }
}
