import Catalog
import Platform
import SQLTypes

/// Reads everything that a warehouse directory holds and says what is wrong with it. Changes nothing.
public struct WarehouseInspection: Sendable {
    public private(set) var version: UInt64 = 0
    public private(set) var shape = ClusterShape(nodes: 1, slicesPerNode: 1)
    public private(set) var tableCount = 0
    public private(set) var partCount = 0
    public private(set) var blockCount = 0
    public private(set) var rowCount = 0
    public private(set) var deletedRowCount = 0
    public private(set) var byteCount = 0
    /// Damage and contradictions, one a line.
    public private(set) var problems: [String] = []
    /// Files that no commit names; the next start removes them.
    public private(set) var orphans: [String] = []

    /// - Throws: when there is no warehouse, another process has it, or its commit record cannot be read.
    public init(
        directory root: String, fileSystem: any FileSystem = LocalFileSystem(), budget: MemoryBudget
    ) throws {
        let directory = WarehouseDirectory(root: root, fileSystem: fileSystem, synchronize: false)
        guard try directory.readSuperblock() != nil else {
            throw SQLError(.undefinedFile, "there is no warehouse in \"\(root)\"")
        }
        let lock = try Store.takeLock(directory)
        defer { lock.release() }
        guard let superblock = try directory.readSuperblock() else { return }
        version = superblock.version
        shape = superblock.shape
        let cache = BlockCache(budget: budget)
        var tables: [ObjectID: TableDefinition] = [:]
        for case .table(let table) in superblock.catalog.allRelations { tables[table.id] = table }
        tableCount = tables.count
        for entry in superblock.parts {
            do {
                try inspect(entry, tables[entry.table], directory, cache)
            } catch {
                problems.append(SQLError(error).message)
            }
        }
        problems += AnalysisRegistry.problems(directory)
        orphans = directory.orphans(superblock)
    }

    private mutating func inspect(
        _ entry: Superblock.PartEntry, _ table: TableDefinition?, _ directory: WarehouseDirectory, _ cache: BlockCache
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
        let deleted = try directory.readDeleted(entry, file, shape: shape)
        deletedRowCount += deleted?.count ?? 0
        _ = try Part(PartVersion(file: file, deleted: deleted), definition: table, defaults: [:])
        for slot in 0..<footer.groupRows.count * file.columnCount {
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
