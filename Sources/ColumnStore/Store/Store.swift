import Catalog
import ColumnVectors
import Platform
import SQLTypes

public struct StoreOptions: Sendable {
    /// False skips fsync: for scratch warehouses and tests.
    public var synchronize = true
    /// Bytes that all lanes of one writer may buffer before parts are written early; nil = a quarter of the budget, at most 1 GB.
    public var writeBufferBytes: Int?
    /// Rows of one part at most.
    public var partRows = 8 << 20
    /// AUTO distribution keeps a table as ALL up to so many rows.
    public var autoAllRows = 100_000
    public init() {}
}

/// A warehouse directory: catalog, parts, block cache. Safe from any thread.
public final class Store: Sendable {
    public let shape: ClusterShape
    init(shape: ClusterShape) { self.shape = shape }

    /// Opens the warehouse in a directory; creates it when there is none.
    ///
    /// - Parameter shape: for creation only; one node with a slice per CPU by default.
    public static func open(
        directory: String, fileSystem: any FileSystem = LocalFileSystem(), shape: ClusterShape? = nil,
        budget: MemoryBudget, options: StoreOptions = StoreOptions()
    ) throws -> Store {
        throw SQLError(.internalError, "not there yet")
    }
    public func snapshot() -> StoreSnapshot {
        StoreSnapshot(version: 0, catalog: CatalogSnapshot(), identity: [:], tables: [:])
    }
    /// Makes the change visible and durable, or throws and changes nothing.
    public func commit(_ change: StoreChange) throws { throw SQLError(.internalError, "not there yet") }
    /// Starts a load. The definition may be newer than the committed one (CREATE TABLE AS, rewrites).
    /// - Parameter replacing: the rows will replace the table's (the change also empties it).
    public func writer(for definition: TableDefinition, replacing: Bool = false) throws -> TableWriter { TableWriter() }
    /// Bytes of blocks in memory.
    public var cachedBytes: Int { 0 }
    /// Drops all unpinned blocks.
    public func dropCache() {}
    /// Gives the lock back. Snapshots must not be used afterwards.
    public func close() {}
}
