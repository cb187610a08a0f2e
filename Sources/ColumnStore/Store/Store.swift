import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

public struct StoreOptions: Sendable {
    /// False skips fsync: for scratch warehouses and tests.
    public var synchronize = true
    /// Bytes that all lanes of one writer may buffer before parts are written early; nil = a quarter of the budget, at
    /// most 4 GB.
    public var writeBufferBytes: Int?
    /// Rows of one part at most.
    public var partRows = 8 << 20
    /// AUTO distribution keeps a table as ALL up to so many rows.
    public var autoAllRows = 100_000
    public init() {}
}

/// A warehouse directory: catalog, parts, block cache. Safe from any thread.
///
/// Readers take a ``StoreSnapshot`` and never wait. Commits are serialised; one writes the new parts' names and the
/// whole catalog in one record.
public final class Store: Sendable {
    public let shape: ClusterShape
    public let options: StoreOptions
    let directory: WarehouseDirectory
    let cache: BlockCache
    /// What ANALYZE knows of the tables.
    public let analyses: AnalysisRegistry
    /// Directories whose own names are durable.
    let durableFolders = Mutex<Set<String>>([])
    private let nextPartID: Atomic<UInt64>
    private let nextObjectID: Atomic<Int64>
    private let current: Mutex<StoreSnapshot>
    private let commitState: Mutex<CommitState>

    private struct CommitState {
        var lock: (any FileLock)?
        /// Set when a commit's outcome on disk is unknown: nothing more may be written then.
        var refusal: SQLError?
    }

    private init(
        _ superblock: Superblock, _ snapshot: StoreSnapshot, _ directory: WarehouseDirectory, _ cache: BlockCache,
        _ lock: any FileLock, _ options: StoreOptions
    ) {
        analyses = snapshot.analyses ?? AnalysisRegistry(directory)
        shape = superblock.shape
        self.options = options
        self.directory = directory
        self.cache = cache
        nextPartID = Atomic(superblock.nextPartID)
        nextObjectID = Atomic(superblock.catalog.nextObjectID)
        current = Mutex(snapshot)
        commitState = Mutex(CommitState(lock: lock))
    }

    /// Opens the warehouse in a directory; creates it when there is none.
    ///
    /// - Parameter shape: for creation only; one node with a slice per CPU by default.
    public static func open(
        directory root: String, fileSystem: any FileSystem = LocalFileSystem(), shape: ClusterShape? = nil,
        budget: MemoryBudget, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        let directory = WarehouseDirectory(root: root, fileSystem: fileSystem, synchronize: options.synchronize)
        _ = try directory.readSuperblock()  // Refuses foreign directories before a lock file is put there.
        let lock = try takeLock(directory)
        do {
            let superblock = try directory.readSuperblock() ?? create(directory, shape)
            let cache = BlockCache(budget: budget)
            let snapshot = try load(superblock, directory, cache, options)
            directory.removeOrphans(superblock)
            budget.setReclaimer { [weak cache] bytes in cache?.evict(bytes) }
            return Store(superblock, snapshot, directory, cache, lock, options)
        } catch {
            lock.release()
            throw SQLError(error)
        }
    }

    static func takeLock(_ directory: WarehouseDirectory) throws -> any FileLock {
        do {
            try directory.fileSystem.makeDirectories(directory.root)
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
        do {
            try directory.replaceSuperblock(superblock.encoded())
        } catch {
            switch error {
            case .before(let reason), .unknown(let reason): throw reason
            }
        }
        return superblock
    }

    /// Opens all parts that the superblock names.
    private static func load(
        _ superblock: Superblock, _ directory: WarehouseDirectory, _ cache: BlockCache, _ options: StoreOptions
    ) throws -> StoreSnapshot {
        var files: [ObjectID: [PartVersion]] = [:]
        for entry in superblock.parts {
            let path = directory.partPath(entry.id, table: entry.table, slice: entry.slice, shape: superblock.shape)
            let copies =
                entry.slice == 0
                ? directory.copyPaths(entry.id, table: entry.table, shape: superblock.shape) : []
            let file = try PartReader.open(path, copies: copies, fileSystem: directory.fileSystem, cache: cache)
            let footer = file.footer
            guard footer.id == entry.id, footer.table == entry.table, footer.slice == entry.slice,
                file.byteCount == entry.byteCount
            else { throw PartReader.damaged(path, column: nil, "it is not the part that the superblock names") }
            let deleted = try directory.readDeleted(entry, file, shape: superblock.shape)
            files[entry.table, default: []].append(PartVersion(file: file, deleted: deleted))
        }
        var builder = SnapshotBuilder(
            catalog: superblock.catalog, columnDefaults: superblock.columnDefaults, shape: superblock.shape,
            options: options)
        try builder.build(files: files, reusing: nil)
        let analyses = AnalysisRegistry(directory)
        analyses.load(builder.tables)
        return StoreSnapshot(
            version: superblock.version, catalog: superblock.catalog, identity: superblock.identity,
            columnDefaults: superblock.columnDefaults, tables: builder.tables, analyses: analyses)
    }

    /// The newest commit.
    public func snapshot() -> StoreSnapshot { current.withLock { $0 } }

    /// Makes the change visible and durable, or throws and changes nothing.
    public func commit(_ change: StoreChange) throws {
        try commitState.withLock { state in
            if let refusal = state.refusal { throw refusal }
            let old = snapshot()
            if let base = change.baseVersion, base != old.version {
                throw SQLError("40001", "could not serialize access due to concurrent update")
            }
            let applied = try ChangeApplication(change, to: old, makeFileID: { self.makePartID().raw })
            let new = try snapshot(applied, change, version: old.version + 1)
            do {
                for item in applied.written { try directory.write(item.rows, of: item.part, shape: shape) }
            } catch {
                directory.removeDeleted(new, keeping: old, shape: shape)
                throw error
            }
            let bytes = superblock(new).encoded()
            do throws(WarehouseDirectory.Replaced) {
                try directory.replaceSuperblock(bytes)
            } catch {
                switch error {
                case .before(let reason):
                    directory.removeDeleted(new, keeping: old, shape: shape)
                    throw reason
                case .unknown(let reason):
                    for parts in change.added { parts.markCommitted() }
                    state.refusal = SQLError(
                        .ioError, "the warehouse must be opened again: the outcome of a commit is unknown",
                        detail: reason.message)
                    throw reason
                }
            }
            for parts in change.added { parts.markCommitted() }
            current.withLock { $0 = new }
            analyses.note(change, from: old, to: new)
            for file in applied.retired { file.retire() }
            directory.removeDeleted(old, keeping: new, shape: shape)
        }
    }

    /// What a change would leave on top of a state, without storing it: a transaction's own view.
    public func overlay(_ change: StoreChange, on base: StoreSnapshot) throws -> StoreSnapshot {
        try snapshot(ChangeApplication(change, to: base, makeFileID: nil), change, version: base.version)
    }

    private func snapshot(
        _ applied: ChangeApplication, _ change: StoreChange, version: UInt64
    ) throws -> StoreSnapshot {
        let old = applied.old
        let identity = old.identity.merging(change.identity) { $1 }
        let defaults = old.columnDefaults.merging(change.columnDefaults) { $1 }
        var builder = SnapshotBuilder(
            catalog: applied.catalog, columnDefaults: defaults, shape: shape, options: options)
        try builder.build(files: applied.files, reusing: change.columnDefaults.isEmpty ? old : nil)
        return StoreSnapshot(
            version: version, catalog: applied.catalog,
            identity: identity.filter { builder.tables[$0.key.table] != nil },
            columnDefaults: defaults.filter { builder.tables[$0.key.table] != nil }, tables: builder.tables,
            analyses: analyses)
    }

    private func superblock(_ snapshot: StoreSnapshot) -> Superblock {
        var parts: [Superblock.PartEntry] = []
        for (table, snapshot) in snapshot.tables.sorted(by: { $0.key < $1.key }) {
            for part in snapshot.parts {
                parts.append(
                    .init(
                        id: part.id, table: table, slice: part.slice, byteCount: part.byteCount,
                        deletedFile: part.deleted?.fileID ?? 0))
            }
        }
        return Superblock(
            version: snapshot.version, shape: shape, nextPartID: nextPartID.load(ordering: .relaxed),
            catalog: snapshot.catalog, parts: parts, identity: snapshot.identity,
            columnDefaults: snapshot.columnDefaults)
    }

    /// The first of some object ids that nobody else gets: transactions that run at once make objects of their own.
    public func reserveObjectIDs(_ count: Int64) -> Int64 { nextObjectID.add(count, ordering: .relaxed).oldValue }

    func makePartID() -> PartID { PartID(nextPartID.add(1, ordering: .relaxed).oldValue) }

    /// Starts a load. The definition may be newer than the committed one (CREATE TABLE AS, rewrites).
    ///
    /// - Parameter replacing: the rows will replace the table's (the change also empties it).
    /// - Parameter view: the state that the rows will be added to; the newest commit by default.
    public func writer(
        for definition: TableDefinition, replacing: Bool = false, view: StoreSnapshot? = nil
    ) throws -> TableWriter {
        let present = replacing ? nil : (view ?? snapshot()).table(definition.id)
        return TableWriter(store: self, definition: definition, present: present)
    }

    /// Bytes of blocks in memory.
    public var cachedBytes: Int { cache.bytes }

    /// Drops all unpinned blocks.
    public func dropCache() {
        cache.evict(.max)
    }

    /// Gives the lock back; nothing can be committed afterwards.
    public func close() {
        analyses.save(snapshot())
        commitState.withLock { state in
            state.lock?.release()
            state.lock = nil
            if state.refusal == nil { state.refusal = SQLError("57P01", "the warehouse is closed") }
        }
    }
}
