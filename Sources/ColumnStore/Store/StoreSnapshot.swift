import Catalog
import SQLTypes

/// The whole warehouse at one commit. Immutable and cheap to take.
public final class StoreSnapshot: StatisticsProvider, Sendable {
    public let version: UInt64
    public let catalog: CatalogSnapshot
    /// Next values of IDENTITY columns.
    public let identity: [IdentityKey: Int64]
    /// Values that rows older than a column have in it.
    public let columnDefaults: [IdentityKey: Datum]
    let tables: [ObjectID: TableSnapshot]
    /// What ANALYZE knows, the newest state: estimates are not part of a commit.
    let analyses: AnalysisRegistry?

    init(
        version: UInt64, catalog: CatalogSnapshot, identity: [IdentityKey: Int64],
        columnDefaults: [IdentityKey: Datum], tables: [ObjectID: TableSnapshot],
        analyses: AnalysisRegistry? = nil
    ) {
        self.analyses = analyses
        self.version = version
        self.catalog = catalog
        self.identity = identity
        self.columnDefaults = columnDefaults
        self.tables = tables
    }

    /// Every table of the catalog has a snapshot, an empty one without rows.
    public func table(_ id: ObjectID) -> TableSnapshot? { tables[id] }

    /// nil for a table without rows.
    public func statistics(of table: ObjectID) -> TableStatistics? {
        guard let snapshot = tables[table], snapshot.rowCount > 0 else { return nil }
        return snapshot.statistics(with: analyses?.analyzed(table))
    }
}
