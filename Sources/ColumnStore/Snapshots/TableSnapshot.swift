import Catalog
import SQLTypes
import Synchronization

/// Immutable view of one table at one commit. Cheap to keep; parts stay readable for as long as some snapshot names
/// them.
public final class TableSnapshot: Sendable {
    public let definition: TableDefinition
    /// Parts per slice. DISTSTYLE ALL: the first node's copy, in slice 0.
    public let slices: [[Part]]
    /// Where the rows are in fact: AUTO resolved to `all` or `even`.
    public let effectiveDistribution: DistributionStyle
    /// Merged over all parts.
    public let statistics: TableStatistics
    /// Parts in commit order.
    public let parts: [Part]
    private let unified: Mutex<[Int: UnifiedDictionary?]>
    /// The statistics together with the newest analysis that somebody asked for.
    private let analyzed = Mutex<(source: AnalysisRegistry.Analyzed, statistics: TableStatistics)?>(nil)

    init(
        definition: TableDefinition, files: [PartVersion], sliceCount: Int, autoAllRows: Int, defaults: [Int32: Datum],
        unified known: [Int: UnifiedDictionary?] = [:]
    ) throws {
        self.definition = definition
        unified = Mutex(known)
        let parts = try files.map { try Part($0, definition: definition, defaults: defaults) }
        var slices = [[Part]](repeating: [], count: sliceCount)
        for part in parts {
            guard part.slice < sliceCount else {
                throw PartReader.damaged(part.file.path, column: nil, "slice out of range")
            }
            slices[part.slice].append(part)
        }
        self.slices = slices
        self.parts = parts
        effectiveDistribution = TableSnapshot.effective(definition, parts, sliceCount, autoAllRows)
        statistics = TableSnapshot.merge(definition, parts, slices)
    }

    public var rowCount: Int { Int(statistics.rowCount) }
    /// Rows marked as deleted, still in the parts.
    public var deletedRowCount: Int { parts.reduce(0) { $0 + $1.deletedRowCount } }
    var knownDictionaries: [Int: UnifiedDictionary?] { unified.withLock { $0 } }
    /// Bytes on disk.
    public var byteCount: Int { parts.reduce(0) { $0 + $1.byteCount } }

    /// The statistics with what ANALYZE knows beyond.
    public func statistics(with source: AnalysisRegistry.Analyzed?) -> TableStatistics {
        guard let source else { return statistics }
        return analyzed.withLock { known in
            if let known, known.source === source { return known.statistics }
            let made = statistics.adding(source.analysis, ids: definition.columns.map(\.id))
            known = (source, made)
            return made
        }
    }

    /// One ordered dictionary for all parts of a string column; nil when some part is not dictionary coded or the
    /// merged dictionary would exceed ``StorageLimits/dictionaryEntries``. Built at the first call, then cached.
    public func unifiedDictionary(column: Int) -> UnifiedDictionary? {
        guard ColumnFamily(definition.columns[column].type) == .string else { return nil }
        return unified.withLock { cached in
            if let known = cached[column] { return known }
            let made = UnifiedDictionary(parts: parts, column: column)
            cached[column] = .some(made)
            return made
        }
    }

    /// What the parts' placement still guarantees under this definition.
    private static func effective(
        _ definition: TableDefinition, _ parts: [Part], _ sliceCount: Int, _ autoAllRows: Int
    ) -> DistributionStyle {
        let rows = parts.reduce(0) { $0 + $1.liveRowCount }
        switch definition.distribution {
        case .even: return .even
        case .all: return parts.allSatisfy { $0.slice == 0 } ? .all : .even
        case .auto:
            return rows <= 2 * autoAllRows && parts.allSatisfy { $0.slice == 0 } ? .all : .even
        case .key(let column):
            let id = definition.columns[column].id
            return parts.allSatisfy { $0.file.footer.placement == .key(id) } ? definition.distribution : .even
        }
    }

    private static func merge(
        _ definition: TableDefinition, _ parts: [Part], _ slices: [[Part]]
    ) -> TableStatistics {
        let rows = parts.reduce(0) { $0 + $1.rowCount }
        let live = parts.reduce(0) { $0 + $1.liveRowCount }
        let columns = definition.columns.indices.map { column in
            columnStatistics(definition.columns[column].type, column, parts, rows, live)
        }
        return TableStatistics(
            rowCount: Int64(live), columns: columns,
            sliceRows: slices.map { $0.reduce(0) { $0 + Int64($1.liveRowCount) } })
    }

    /// Deleted rows still count for bounds and NULLs, which may then be wider than what is left, never narrower.
    private static func columnStatistics(
        _ type: SQLType, _ column: Int, _ parts: [Part], _ rows: Int, _ live: Int
    ) -> ColumnStatistics {
        var total = ColumnSummary()
        for part in parts {
            if let summary = part.summary(column: column) {
                total.add(summary)
                continue
            }
            let value = part.constantValue(column: column)
            var constant = ColumnSummary()
            constant.runCount = 1
            if value.isNull { constant.nullCount = part.rowCount }
            if case .string(let bytes) = value { constant.stringBytes = bytes.count * part.rowCount }
            constant.minimum = value
            constant.maximum = value
            total.add(constant)
        }
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
}
