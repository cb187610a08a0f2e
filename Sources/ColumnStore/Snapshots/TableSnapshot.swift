import Catalog
import Platform
import SQLTypes

/// Immutable view of one table at one commit. Cheap to make and to keep: what readers need beyond row counts is worked
/// out when the first one asks. Parts stay readable for as long as some snapshot names them.
package final class TableSnapshot: Sendable {
    /// A table at one moment, for whoever wants to know later whether it is still the same without keeping its files.
    package final class State: Sendable {}
    package let state = State()
    package let definition: TableDefinition
    /// Where the rows are in fact: AUTO resolved to `all` or `even`.
    package let effectiveDistribution: DistributionStyle
    package let rowCount: Int
    /// Rows per slice.
    package let sliceRows: [Int64]
    /// Rows marked as deleted, still in the parts or in the log.
    package let deletedRowCount: Int
    let stable: StableParts
    /// Rows that are in the log and in no part yet.
    let deltas: [DeltaView]
    /// Next values of IDENTITY columns, by column id.
    let identity: [Int32: Int64]
    private let prepared = Lock<Prepared?>(nil)
    private let unified = Lock<[Int: UnifiedDictionary?]>([:])
    private let known = Lock<TableStatistics?>(nil)
    /// The statistics together with the newest analysis that somebody asked for.
    private let analyzed = Lock<(source: AnalysisRegistry.Analyzed, statistics: TableStatistics)?>(nil)

    private struct Prepared {
        var deltaParts: [Part]
        var parts: [Part]
        var slices: [[Part]]
    }

    init(stable: StableParts, deltas: [DeltaView], identity: [Int32: Int64], autoAllRows: Int) {
        definition = stable.definition
        self.stable = stable
        self.deltas = deltas
        self.identity = identity
        var rows = stable.sliceRows
        for delta in deltas { rows[delta.rows.slice] += Int64(delta.liveCount) }
        sliceRows = rows
        rowCount = Int(rows.reduce(0, +))
        deletedRowCount = stable.rowCount + deltas.reduce(0) { $0 + $1.count } - rowCount
        effectiveDistribution = TableSnapshot.effective(stable, deltas, rowCount, autoAllRows)
    }

    /// What the rows' placement still guarantees under this definition.
    private static func effective(
        _ stable: StableParts, _ deltas: [DeltaView], _ rows: Int, _ autoAllRows: Int
    ) -> DistributionStyle {
        let definition = stable.definition
        func isOnFirstSlice() -> Bool {
            deltas.allSatisfy { $0.rows.slice == 0 } && stable.slices.dropFirst().allSatisfy(\.isEmpty)
        }
        switch definition.distribution {
        case .even: return .even
        case .all: return isOnFirstSlice() ? .all : .even
        case .auto: return rows <= 2 * autoAllRows && isOnFirstSlice() ? .all : .even
        case .key(let column):
            let placement = PartPlacement.key(definition.columns[column].id)
            let isPlaced = stable.isPlacedByKey && deltas.allSatisfy { $0.rows.placement == placement }
            return isPlaced ? definition.distribution : .even
        }
    }

    // MARK: Rows

    /// Encodes what is only in the log yet: what ``parts`` and ``slices`` do at their first call.
    package func prepare() throws { _ = try preparation() }

    private func preparation() throws -> Prepared {
        try prepared.withLock { known in
            if let known { return known }
            var deltaParts: [Part] = []
            var slices = stable.slices
            if !deltas.isEmpty {
                let coded = stable.codedColumns
                for delta in deltas {
                    // Ids, not places: the rows may be older than the definition.
                    let forced = delta.rows.columns.indices.filter { index in
                        let id = delta.rows.columns[index].id
                        return coded.contains { definition.columns[$0].id == id }
                    }
                    let parts = try delta.parts(definition, stable.defaults, forcing: Set(forced))
                    deltaParts += parts
                    slices[delta.rows.slice] += parts
                }
            }
            let made = Prepared(deltaParts: deltaParts, parts: stable.parts + deltaParts, slices: slices)
            known = made
            return made
        }
    }

    /// Parts in commit order, those in memory last. Fails where there is no memory to encode rows of the log.
    package var parts: [Part] { get throws { deltas.isEmpty ? stable.parts : try preparation().parts } }
    /// Parts per slice. DISTSTYLE ALL: the first node's copy, in slice 0. Fails like ``parts``.
    package var slices: [[Part]] { get throws { deltas.isEmpty ? stable.slices : try preparation().slices } }
    /// For display: without memory to encode rows of the log they are left out.
    private var knownParts: [Part] { (try? parts) ?? stable.parts }
    /// Bytes on disk, and of rows in the log those in memory.
    package var byteCount: Int { knownParts.reduce(0) { $0 + $1.byteCount } }
    /// How the newest rows of a column are encoded; nil for a table without rows.
    package func encodingName(_ column: Int) -> String? { knownParts.last?.encodingName(column) }
    /// Files with few rows.
    package var smallFileCount: Int { stable.smallCount }
    /// Rows of them are in the log only.
    package var logRowCount: Int { deltas.reduce(0) { $0 + $1.liveCount } }

    // MARK: Statistics

    /// Merged over all parts.
    package var statistics: TableStatistics {
        known.withLock { known in
            if let known { return known }
            // Without memory to look at the rows in the log nothing is known but their number, for now.
            guard let made = try? merge() else { return unknownStatistics }
            known = made
            return made
        }
    }

    /// The statistics with what ANALYZE knows beyond.
    package func statistics(with source: AnalysisRegistry.Analyzed?) -> TableStatistics {
        guard let source else { return statistics }
        return analyzed.withLock { known in
            if let known, known.source === source { return known.statistics }
            let made = statistics.adding(source.analysis, ids: definition.columns.map(\.id))
            known = (source, made)
            return made
        }
    }

    private func merge() throws -> TableStatistics {
        let deltaParts = deltas.isEmpty ? [] : try preparation().deltaParts
        let rows = stable.rowCount + deltaParts.reduce(0) { $0 + $1.rowCount }
        let summaries = stable.summaries
        let columns = definition.columns.indices.map { column in
            var total = summaries[column]
            if !deltaParts.isEmpty { total.add(ColumnSummary(of: deltaParts, column: column)) }
            return TableSnapshot.statistics(definition.columns[column].type, total, rows: rows, live: rowCount)
        }
        return TableStatistics(rowCount: Int64(rowCount), columns: columns, sliceRows: sliceRows)
    }

    private var unknownStatistics: TableStatistics {
        let columns = definition.columns.map { _ in
            ColumnStatistics(
                nullCount: Int64(max(rowCount - 1, 1)), distinctCount: Double(rowCount), hasTrailingBlanks: true)
        }
        return TableStatistics(rowCount: Int64(rowCount), columns: columns, sliceRows: sliceRows)
    }

    /// Deleted rows still count for bounds and NULLs, which may then be wider than what is left, never narrower.
    private static func statistics(
        _ type: SQLType, _ total: ColumnSummary, rows: Int, live: Int
    ) -> ColumnStatistics {
        let values = Double(rows - total.nullCount)
        var distinct = min(total.sketch.estimate.rounded(), values)
        if values > 0 { distinct = max(distinct, 1) }
        if case .integer(let low) = total.minimum, case .integer(let high) = total.maximum {
            distinct = min(distinct, Double(high &- low) + 1)
        }
        let isString = ColumnFamily(type) == .string
        let width = isString ? (values > 0 ? Double(total.stringBytes) / values : 0) : Double(type.physical.byteWidth)
        return ColumnStatistics(
            nullCount: Int64(min(total.nullCount, live)), minimum: total.minimum, maximum: total.maximum,
            distinctCount: min(distinct, Double(live)), averageWidth: width,
            averageRunLength: total.runCount > 0 ? Double(rows) / Double(total.runCount) : 1,
            hasTrailingBlanks: total.hasTrailingBlanks)
    }

    /// One ordered dictionary for all parts of a string column; nil when some part is not dictionary coded or the
    /// merged dictionary would exceed ``StorageLimits/dictionaryEntries``. Built at the first call, then cached.
    package func unifiedDictionary(column: Int) -> UnifiedDictionary? {
        guard ColumnFamily(definition.columns[column].type) == .string else { return nil }
        if deltas.isEmpty { return stable.unifiedDictionary(column: column) }
        let base = stable.unifiedDictionary(column: column)
        if !stable.parts.isEmpty && base == nil { return nil }
        guard let prepared = try? preparation() else { return nil }
        return unified.withLock { cached in
            if let known = cached[column] { return known }
            let made =
                UnifiedDictionary(base: base, more: prepared.deltaParts, column: column)
                ?? UnifiedDictionary(parts: prepared.parts, column: column)
            cached[column] = .some(made)
            return made
        }
    }
}
