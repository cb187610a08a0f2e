import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

package struct StoreOptions: Sendable {
    /// False skips fsync: for scratch warehouses and tests.
    package var synchronize = true
    /// Bytes that all lanes of one writer may buffer before parts are written early; nil = a quarter of the budget, at
    /// most 4 GB.
    package var writeBufferBytes: Int?
    /// Rows of one part at most.
    package var partRows = 8 << 20
    /// AUTO distribution keeps a table as ALL up to so many rows.
    package var autoAllRows = 100_000
    /// Rows of one load up to which they go to the log instead of a file; 0 = never.
    package var logRows = 8_192
    /// Bytes of the log after which a checkpoint writes what it holds to files.
    package var checkpointBytes = 64 << 20
    /// Bytes after which the log goes on in another file.
    package var segmentBytes = 16 << 20
    /// Bytes by which the log's file grows beyond what is written.
    package var logRoomBytes = 256 << 10
    package init() {}
}

/// A warehouse directory: catalog, parts, log, block cache. Safe from any thread.
///
/// Readers take a ``StoreSnapshot`` and never wait. A commit is one record in the log; a checkpoint writes the rows in
/// the log to parts, and catalog and names of all parts to the superblock.
package final class Store: Sendable {
    package let shape: ClusterShape
    package let options: StoreOptions
    /// What opening has found in the log.
    package let recovery: LogReport
    let directory: WarehouseDirectory
    let cache: BlockCache
    let buildDesk: BuildDesk
    /// What ANALYZE knows of the tables.
    package let analyses: AnalysisRegistry
    let numbers: PartNumbers
    let folders: TableFolders
    let commits: GroupCommit
    let namedDeleted: NamedDeletedFiles
    /// The log is not looked at again for a checkpoint before it is so long: one has failed.
    let checkpointDue: Atomic<Int>
    let doneCheckpoints = Atomic<Int>(0)
    let failedCheckpoints = Atomic<Int>(0)
    private let nextObjectID: Atomic<Int64>
    private let current: Current
    private let lock: Lock<(any FileLock)?>

    /// The newest durable state.
    private final class Current: Sendable {
        let snapshot: Lock<StoreSnapshot>
        init(_ snapshot: StoreSnapshot) { self.snapshot = Lock(snapshot) }
    }

    init(
        _ opened: StoreOpening, _ directory: WarehouseDirectory, _ cache: BlockCache, _ lock: any FileLock,
        _ options: StoreOptions
    ) {
        analyses = opened.analyses
        shape = opened.superblock.shape
        recovery = opened.report
        self.options = options
        self.directory = directory
        self.cache = cache
        buildDesk = BuildDesk(cache.budget)
        numbers = opened.numbers
        nextObjectID = Atomic(opened.snapshot.catalog.nextObjectID)
        let (folders, namedDeleted) = (opened.folders, NamedDeletedFiles(opened.namedDeleted))
        self.folders = folders
        self.namedDeleted = namedDeleted
        checkpointDue = Atomic(options.checkpointBytes)
        self.lock = Lock(lock)
        let current = Current(opened.snapshot)
        self.current = current
        let writer = LogWriter(
            directory, segmentBytes: options.segmentBytes, roomBytes: options.logRoomBytes, next: opened.nextSegment,
            bytes: opened.report.bytes)
        let analyses = opened.analyses
        commits = GroupCommit(opened.snapshot, writer) { snapshot, commits in
            for commit in commits { folders.add(commit.defined) }
            current.snapshot.withLock { $0 = snapshot }
            for commit in commits {
                folders.drop(commit.dropped)
                analyses.note(commit.change, from: commit.base, to: commit.snapshot, dropped: commit.dropped)
                for parts in commit.change.added { parts.markCommitted() }
                for file in commit.retired { file.retire(deletedRows: namedDeleted.path(of: file.footer.id)) }
            }
        }
    }

    /// Opens the warehouse in a directory; creates it when there is none.
    ///
    /// - Parameter shape: for creation only; one node with a slice per CPU by default.
    package static func open(
        directory root: String, fileSystem: any FileSystem = LocalFileSystem(), shape: ClusterShape? = nil,
        budget: MemoryBudget, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        let directory = WarehouseDirectory(root: root, fileSystem: fileSystem, synchronize: options.synchronize)
        _ = try directory.readSuperblock()  // Refuses foreign directories before a lock file is put there.
        let lock = try takeLock(directory)
        do {
            let superblock = try directory.readSuperblock() ?? create(directory, shape)
            let cache = BlockCache(budget: budget)
            let opened = try StoreOpening(superblock, directory, cache, options)
            budget.setReclaimer { [weak cache] bytes in cache?.evict(bytes) }
            return Store(opened, directory, cache, lock, options)
        } catch {
            lock.release()
            throw SQLError(error)
        }
    }

    static func takeLock(_ directory: WarehouseDirectory) throws -> any FileLock {
        do {
            try directory.makeRoot()
            return try directory.fileSystem.lock(directory.lockPath)
        } catch let error as PlatformError where error.kind == .alreadyLocked {
            let holder = error.holder.map { "process \($0)" } ?? "another process"
            throw SQLError(
                .objectInUse, "warehouse \"\(directory.root)\" is in use by \(holder)",
                hint: "Stop the other process, or open another warehouse directory.")
        } catch {
            throw SQLError(error)
        }
    }

    private static func create(_ directory: WarehouseDirectory, _ shape: ClusterShape?) throws -> Superblock {
        let shape = shape ?? ClusterShape(nodes: 1, slicesPerNode: min(HostEnvironment.allowedCPUs().count, 256))
        guard Superblock.isPlausible(shape) else {
            throw SQLError(.invalidParameterValue, "a warehouse has 1 to 128 nodes with 1 to 256 slices each")
        }
        let superblock = Superblock(
            version: 1, shape: shape, nextPartID: 1, catalog: CatalogSnapshot(), parts: [], identity: [:],
            columnDefaults: [:])
        try directory.replaceSuperblock(superblock)
        return superblock
    }

    // MARK: States

    /// The newest commit.
    package func snapshot() -> StoreSnapshot { current.snapshot.withLock { $0 } }

    func show(_ snapshot: StoreSnapshot) { current.snapshot.withLock { $0 = snapshot } }

    /// The newest state in the order of commits, of which the last ones may not be durable and visible yet. What
    /// numbers are given out after looks here.
    package func pendingSnapshot() -> StoreSnapshot { commits.pending }

    /// The newest commit, once all that have a place in the order are visible. A writer that must not miss what was
    /// done before it got its lock starts from here.
    package func settledSnapshot() -> StoreSnapshot {
        commits.settle()
        return snapshot()
    }

    /// Makes the change durable and visible, or throws and changes nothing.
    ///
    /// - Parameter whenOrdered: called when the commit has its place in the order, before the disk has it. Locks that
    ///   only keep other writers from working on an old state may be given back then.
    /// - Returns: the first version with the change.
    @discardableResult
    package func commit(_ change: StoreChange, whenOrdered: () -> Void = {}) throws -> UInt64 {
        var version: UInt64 = 0
        let batch = try commits.order { old in
            if let base = change.baseVersion, base != old.version {
                throw SQLError("40001", "could not serialize access due to concurrent update")
            }
            let applied = try ChangeApplication(change, to: old, numbers: numbers, isCommit: true)
            let new = try applied.snapshot(
                version: old.version + 1, sliceCount: shape.slices, autoAllRows: options.autoAllRows)
            let payload = applied.payload.finished(nextPartID: numbers.upcoming)
            guard payload.count <= LogPayload.largest else {
                throw SQLError(
                    .limitExceeded, "a commit would need a log record of \(payload.count) bytes",
                    hint: "Use COPY, or fewer rows in one transaction.")
            }
            version = new.version
            return GroupCommit.Ordered(
                base: old, snapshot: new, payload: payload, change: change, retired: applied.retired,
                defined: applied.defined, dropped: applied.dropped)
        }
        whenOrdered()
        try commits.wait(for: batch)
        checkpointIfDue()
        return version
    }

    /// What a change would leave on top of a state, without storing it: a transaction's own view.
    package func overlay(_ change: StoreChange, on base: StoreSnapshot) throws -> StoreSnapshot {
        var change = change
        change.base = nil
        return try ChangeApplication(change, to: base.state, numbers: numbers, isCommit: false).snapshot(
            version: base.version, sliceCount: shape.slices, autoAllRows: options.autoAllRows)
    }

    /// The first of some object ids that nobody else gets: transactions that run at once make objects of their own.
    package func reserveObjectIDs(_ count: Int64) -> Int64 { nextObjectID.add(count, ordering: .relaxed).oldValue }

    /// Starts a load. The definition may be newer than the committed one (CREATE TABLE AS, rewrites).
    ///
    /// - Parameters:
    ///   - replacing: the rows will replace the table's (the change also empties it).
    ///   - view: the state that the rows will be added to; the newest commit by default.
    ///   - usesLog: few rows go to the log; otherwise to a file always.
    ///   - narrows: integers are held in 16 or 32 bits until they are written, for as long as they fit.
    package func writer(
        for definition: TableDefinition, replacing: Bool = false, view: StoreSnapshot? = nil, usesLog: Bool = true,
        narrows: Bool = true
    ) throws -> TableWriter {
        let present = replacing ? nil : (view ?? snapshot()).table(definition.id)
        return TableWriter(
            store: self, definition: definition, present: present, usesLog: usesLog, narrows: narrows)
    }

    /// Bytes of blocks in memory.
    package var cachedBytes: Int { cache.bytes }
    /// Bytes of the log.
    package var logBytes: Int { commits.logBytes }

    /// Drops all unpinned blocks.
    package func dropCache() {
        cache.evict(.max)
    }

    /// Writes a checkpoint and gives the lock back; nothing can be committed afterwards. Where the checkpoint fails,
    /// the log stays, and the next start reads it.
    package func close() {
        try? checkpoint()
        analyses.save(snapshot())
        commits.exclusively { state in
            if state.refusal == nil { state.refusal = SQLError("57P01", "the warehouse is closed") }
        }
        lock.withLock { lock in
            lock?.release()
            lock = nil
        }
    }
}
