import Catalog
import Platform
import SQLTypes

/// Files of deleted rows on disk: written before the checkpoint that names them, removed after the one that no longer
/// does.
extension WarehouseDirectory {
    func path(ofDeleted rows: DeletedRows, in part: PartFile, shape: ClusterShape) -> String {
        let footer = part.footer
        return deletedPath(footer.id, file: rows.fileID, table: footer.table, slice: footer.slice, shape: shape)
    }

    func write(_ rows: DeletedRows, of part: PartFile, shape: ClusterShape) throws {
        let path = path(ofDeleted: rows, in: part, shape: shape)
        do {
            let folders = try opened([FilePath.parent(path)])
            let file = try fileSystem.open(path, .create)
            try DeletedRowsFile.encode(rows, part: part.footer.id).withUnsafeBytes { try file.append($0) }
            if synchronize { try file.synchronize() }
            for folder in folders { try folder.synchronize() }
        } catch {
            throw SQLError(error)
        }
    }

    func readDeleted(_ entry: Superblock.PartEntry, _ part: PartFile, shape: ClusterShape) throws -> DeletedRows? {
        if entry.deletedFile == 0 { return nil }
        let path = deletedPath(
            entry.id, file: entry.deletedFile, table: entry.table, slice: entry.slice, shape: shape)
        let bytes: [UInt8]
        do { bytes = try fileSystem.readAll(path) } catch { throw SQLError(error) }
        return try DeletedRowsFile.decode(
            bytes, file: path, part: entry.id, fileID: entry.deletedFile, groupRows: part.footer.groupRows)
    }
}
