import Catalog
import Platform
import SQLTypes

extension Store {
    /// Gives the warehouse other numbers of nodes and slices: all rows are written again into a new warehouse inside of
    /// this one, whose files then move over, and one new superblock puts them in force. Interrupted at any point, the
    /// warehouse has the old shape or the new one, with all rows.
    ///
    /// Nobody else may use the store; when this returns it is closed, and the directory can be opened again.
    ///
    /// - Parameter fill: writes the state's rows with writers of the new store and returns what it is to commit.
    package func resize(
        to shape: ClusterShape, _ fill: (_ new: Store, _ state: StoreSnapshot) throws -> StoreChange
    ) throws {
        guard Superblock.isPlausible(shape) else {
            throw SQLError(.invalidParameterValue, "a warehouse has 1 to 128 nodes with 1 to 256 slices each")
        }
        try checkpoint(above: 0)
        let state = settledSnapshot()
        let work = directory.resizeDirectory
        defer {
            budget.setReclaimer { [weak cache] bytes in cache?.evict(bytes) }
            directory.fileSystem.discardTree(work.root)
        }
        do {
            try directory.fileSystem.removeTree(work.root)
            try directory.fileSystem.makeDirectories(work.root)
        } catch {
            throw SQLError(error)
        }
        try work.replaceSuperblock(
            Superblock(
                version: state.version, shape: shape, nextPartID: numbers.reserve(Store.partsOfResize),
                catalog: CatalogSnapshot(),
                parts: [], identity: [:], columnDefaults: [:]))
        let new = try Store.open(
            directory: work.root, fileSystem: directory.fileSystem, budget: budget, options: options)
        do {
            try new.commit(try fill(new, state))
            try new.checkpoint()
        } catch {
            new.close()
            throw error
        }
        new.close()
        guard let superblock = try work.readSuperblock() else {
            throw SQLError(.internalError, "the resized warehouse has no superblock")
        }
        try takeOver(superblock, from: work, of: state)
        close()
    }

    /// Numbers for the new warehouse's parts: files that an attempt leaves have no name that others will want.
    private static let partsOfResize: UInt64 = 1 << 32
    private var budget: MemoryBudget { cache.budget }

    private func takeOver(
        _ superblock: Superblock, from work: WarehouseDirectory, of old: StoreSnapshot
    ) throws {
        do {
            try SavedSnapshots.link(superblock, from: work, to: directory)
        } catch {
            throw SQLError(error)
        }
        try commits.exclusively { state in
            if let refusal = state.refusal { throw refusal }
            guard state.pending.version == old.version else {
                throw SQLError(.objectInUse, "the warehouse has changed while it was resized")
            }
            var superblock = superblock
            superblock.version = state.pending.version + 1
            do throws(WarehouseDirectory.Replaced) {
                try directory.replaceSuperblock(superblock.encoded())
            } catch {
                switch error {
                case .before(let reason): throw reason
                case .unknown(let reason):
                    state.refusal = .unknownOutcome(of: "resize", reason)
                    throw reason
                }
            }
            state.refusal = SQLError("57P01", "the warehouse has been resized and must be opened again")
        }
    }
}

extension WarehouseDirectory {
    /// Where a resize works; what a crash leaves there goes at the next start.
    var resizeDirectory: WarehouseDirectory {
        WarehouseDirectory(
            root: FilePath.join(root, "resize"), fileSystem: fileSystem, synchronize: synchronize)
    }
}
