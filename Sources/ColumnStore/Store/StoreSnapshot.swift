import Catalog
import SQLTypes

/// The whole warehouse at one commit. Immutable and cheap to take.
package final class StoreSnapshot: StatisticsProvider, Sendable {
    package let version: UInt64
    package let catalog: CatalogSnapshot
    let tables: TableMap
    /// What ANALYZE knows, the newest state: estimates are not part of a commit.
    let analyses: AnalysisRegistry?

    init(
        version: UInt64, catalog: CatalogSnapshot, tables: TableMap, analyses: AnalysisRegistry?
    ) {
        self.analyses = analyses
        self.version = version
        self.catalog = catalog
        self.tables = tables
    }

    /// Every table of the catalog has a snapshot, an empty one without rows.
    package func table(_ id: ObjectID) -> TableSnapshot? { tables[id] }

    /// The next value of an IDENTITY column; nil before the first one was given out.
    package func nextIdentity(_ key: IdentityKey) -> Int64? { tables[key.table]?.identity[key.column] }

    /// nil for a table without rows.
    package func statistics(of table: ObjectID) -> TableStatistics? {
        guard let snapshot = tables[table], snapshot.rowCount > 0 else { return nil }
        return snapshot.statistics(with: analyses?.analyzed(table))
    }
}
