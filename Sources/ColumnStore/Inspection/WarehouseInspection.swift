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
    /// Rows that are in the log only.
    public private(set) var logRowCount = 0
    public private(set) var log = LogReport()
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
        shape = superblock.shape
        let replay = readLog(superblock, directory)
        version = replay.version
        let cache = BlockCache(budget: budget)
        var tables: [ObjectID: TableDefinition] = [:]
        for case .table(let table) in replay.catalog.allRelations { tables[table.id] = table }
        tableCount = tables.count
        for (id, found) in replay.tables.sorted(by: { $0.key < $1.key }) {
            for entry in found.parts {
                do {
                    try inspect(entry, found, tables[id], directory, cache)
                } catch {
                    problems.append(SQLError(error).message)
                }
            }
            logRowCount += found.deltas.reduce(0) { $0 + $1.liveCount }
        }
        problems += AnalysisRegistry.problems(directory)
        orphans = directory.orphans(replay.tables.values.flatMap(\.parts), shape)
    }

    /// What can be read of it, where it is damaged.
    private mutating func readLog(_ superblock: Superblock, _ directory: WarehouseDirectory) -> LogReplay {
        var replay = LogReplay(superblock)
        var scan = LogScan(directory, checkpoint: superblock.version)
        do {
            try scan.read { try replay.apply(commit: $0, $1, file: $2) }
        } catch {
            problems.append(SQLError(error).message)
        }
        log = scan.report
        return replay
    }

    private mutating func inspect(
        _ entry: Superblock.PartEntry, _ found: LogReplay.Table, _ table: TableDefinition?,
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
            guard let status = try? directory.fileSystem.status(copy) else { continue }
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
