import Catalog
import Platform
import SQLTypes

/// Reads everything that a warehouse directory holds and says what is wrong with it. Changes nothing.
package struct WarehouseInspection: Sendable {
    package private(set) var version: UInt64 = 0
    package private(set) var shape = ClusterShape(nodes: 1, slicesPerNode: 1)
    package private(set) var tableCount = 0
    package private(set) var parts = PartInspection()
    /// Rows that are in the log only.
    package private(set) var logRowCount = 0
    package private(set) var log = LogReport()
    /// Saved snapshots, and the parts that they name.
    package private(set) var snapshotCount = 0
    package private(set) var snapshotParts = PartInspection()
    /// Damage and contradictions, one a line.
    package private(set) var problems: [String] = []
    /// Files that no commit names; the next start removes them.
    package private(set) var orphans: [String] = []

    /// - Throws: when there is no warehouse, another process has it, or its commit record cannot be read.
    package init(
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
        tableCount = replay.catalog.tablesOfAllDatabases.count
        logRowCount = replay.tables.values.reduce(0) { $0 + $1.deltas.reduce(0) { $0 + $1.liveCount } }
        parts.read(replay, shape, directory, cache)
        problems += parts.problems
        readSnapshots(directory, cache)
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

    /// Each is a warehouse of its own without a log.
    private mutating func readSnapshots(_ directory: WarehouseDirectory, _ cache: BlockCache) {
        let snapshots = SavedSnapshots(directory)
        do {
            for name in try snapshots.names() {
                snapshotCount += 1
                do {
                    let (saved, superblock) = try snapshots.open(name)
                    snapshotParts.read(LogReplay(superblock), superblock.shape, saved, cache)
                } catch {
                    problems.append("snapshot \"\(name)\": \(SQLError(error).message)")
                }
            }
        } catch {
            problems.append(SQLError(error).message)
        }
        problems += snapshotParts.problems
    }
}
