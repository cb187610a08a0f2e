import Catalog
import Platform
import SQLTypes

/// What reading all parts of a warehouse, or of a saved snapshot, has found.
package struct PartInspection: Sendable {
    package private(set) var partCount = 0
    package private(set) var blockCount = 0
    package private(set) var rowCount = 0
    package private(set) var deletedRowCount = 0
    package private(set) var byteCount = 0
    /// Damage and contradictions, one a line.
    private(set) var problems: [String] = []

    /// Reads every byte of the parts that a state names.
    mutating func read(
        _ state: LogReplay, _ shape: ClusterShape, _ directory: WarehouseDirectory, _ cache: BlockCache
    ) {
        var tables: [ObjectID: TableDefinition] = [:]
        for table in state.catalog.tablesOfAllDatabases { tables[table.id] = table }
        for (id, found) in state.tables.sorted(by: { $0.key < $1.key }) {
            for entry in found.parts {
                do {
                    try read(entry, found, tables[id], shape, directory, cache)
                } catch {
                    problems.append(SQLError(error).message)
                }
            }
        }
    }

    private mutating func read(
        _ entry: Superblock.PartEntry, _ found: LogReplay.Table, _ table: TableDefinition?, _ shape: ClusterShape,
        _ directory: WarehouseDirectory, _ cache: BlockCache
    ) throws {
        partCount += 1
        let path = directory.partPath(entry.id, table: entry.table, slice: entry.slice, shape: shape)
        guard let table else {
            problems.append("file \"\(path)\" belongs to table \(entry.table), which the catalog does not have")
            return
        }
        let file = try PartReader.open(path, copies: [], fileSystem: directory.fileSystem, cache: cache)
        let footer = file.footer
        if footer.id != entry.id || footer.table != entry.table || footer.slice != entry.slice
            || file.byteCount != entry.byteCount
        {
            problems.append("file \"\(path)\" is not the part that the superblock names")
        }
        rowCount += file.rowCount
        byteCount += file.byteCount
        let deleted = try found.deleted(of: file, stored: directory.readDeleted(entry, file, shape: shape))
        deletedRowCount += deleted?.count ?? 0
        _ = try Part(PartVersion(file: file, deleted: deleted), definition: table, defaults: [:])
        readBlocks(file)
        for copy in entry.slice == 0 ? directory.copyPaths(entry.id, table: entry.table, shape: shape) : [] {
            guard let status = try directory.fileSystem.status(copy) else { continue }
            let other = try PartReader.open(copy, copies: [], fileSystem: directory.fileSystem, cache: cache)
            if status.size != Int64(file.byteCount) || other.footer.id != footer.id {
                problems.append("file \"\(copy)\" is not the part that the superblock names")
            }
            readBlocks(other)
        }
    }

    private mutating func readBlocks(_ file: PartFile) {
        for slot in 0..<file.footer.groupRows.count * file.columnCount {
            do {
                _ = try file.load(slot: slot)
                file.slots.unpin(slot)
                blockCount += 1
            } catch {
                problems.append(SQLError(error).message)
            }
        }
    }
}
