import Catalog
import SQLTypes

/// The whole warehouse at one commit, seen from one of its databases. Immutable and cheap to take.
package final class StoreSnapshot: StatisticsProvider, Sendable {
    package let version: UInt64
    package let catalog: CatalogSnapshot
    let tables: TableMap
    /// What ANALYZE knows, the newest state: estimates are not part of a commit.
    let analyses: AnalysisRegistry?
    /// Of a view from another database: what it is a view of.
    private let whole: StoreSnapshot?

    init(
        version: UInt64, catalog: CatalogSnapshot, tables: TableMap, analyses: AnalysisRegistry?,
        whole: StoreSnapshot? = nil
    ) {
        self.whole = whole
        self.analyses = analyses
        self.version = version
        self.catalog = catalog
        self.tables = tables
    }

    /// The state as the store has it: views of one state have the same.
    package var state: StoreSnapshot { whole ?? self }

    /// The same state seen from another database; nil when there is none of that id.
    package func within(_ database: ObjectID) -> StoreSnapshot? {
        if catalog.databaseID == database { return catalog.databases[database] == nil ? nil : self }
        if state.catalog.databaseID == database { return state }
        guard let seen = catalog.within(database) else { return nil }
        return StoreSnapshot(version: version, catalog: seen, tables: tables, analyses: analyses, whole: state)
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
