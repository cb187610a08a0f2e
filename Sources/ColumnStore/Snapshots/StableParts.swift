import Catalog
import Platform
import SQLTypes

/// The parts of a table that are files, as one definition sees them. Commits that only add rows to the log share it.
final class StableParts: Sendable {
    let definition: TableDefinition
    let defaults: [Int32: Datum]
    let versions: [PartVersion]
    /// In commit order.
    let parts: [Part]
    let slices: [[Part]]
    /// Rows of each slice that are left.
    let sliceRows: [Int64]
    let rowCount: Int
    /// Files with few rows: worth merging when there are many.
    let smallCount: Int
    /// All were dealt by the distribution key that the definition has.
    let isPlacedByKey: Bool
    private let summed = Lock<[ColumnSummary]?>(nil)
    private let unified = Lock<[Int: UnifiedDictionary?]>([:])

    static let smallRows = 16_384

    /// - Parameter old: what the parts were before; those that did not change are kept.
    init(
        _ versions: [PartVersion], _ definition: TableDefinition, _ defaults: [Int32: Datum], sliceCount: Int,
        old: StableParts?
    ) throws {
        self.definition = definition
        self.defaults = defaults
        self.versions = versions
        let known = old.flatMap { $0.definition == definition && $0.defaults == defaults ? $0 : nil }
        var parts: [Part] = []
        parts.reserveCapacity(versions.count)
        for (index, version) in versions.enumerated() {
            if let known, known.parts.indices.contains(index), known.versions[index].isSame(as: version) {
                parts.append(known.parts[index])
            } else {
                parts.append(try Part(version, definition: definition, defaults: defaults))
            }
        }
        var slices = [[Part]](repeating: [], count: sliceCount)
        for part in parts {
            guard part.slice < sliceCount else {
                throw PartReader.damaged(part.file.path, column: nil, "slice out of range")
            }
            slices[part.slice].append(part)
        }
        self.parts = parts
        self.slices = slices
        sliceRows = slices.map { $0.reduce(0) { $0 + Int64($1.liveRowCount) } }
        rowCount = parts.reduce(0) { $0 + $1.rowCount }
        if case .key(let column) = definition.distribution {
            let placement = PartPlacement.key(definition.columns[column].id)
            isPlacedByKey = versions.allSatisfy { $0.file.footer.placement == placement }
        } else {
            isPlacedByKey = false
        }
        smallCount = parts.count { $0.rowCount < StableParts.smallRows }
        // The same files have the same dictionaries, whatever was deleted from them.
        if let old, old.definition == definition, old.versions.count == versions.count,
            zip(old.versions, versions).allSatisfy({ $0.file === $1.file })
        {
            let dictionaries = old.unified.withLock { $0 }
            unified.withLock { $0 = dictionaries }
            if old.defaults == defaults {
                let summaries = old.summed.withLock { $0 }
                summed.withLock { $0 = summaries }
            }
        }
    }

    /// What the parts say of each column, added up once.
    var summaries: [ColumnSummary] {
        summed.withLock { known in
            if let known { return known }
            let made = definition.columns.indices.map { ColumnSummary(of: parts, column: $0) }
            known = made
            return made
        }
    }

    /// The dictionary of all files; nil when some file has none.
    func unifiedDictionary(column: Int) -> UnifiedDictionary? {
        unified.withLock { cached in
            if let known = cached[column] { return known }
            let made = UnifiedDictionary(parts: parts, column: column)
            cached[column] = .some(made)
            return made
        }
    }

    /// Rows of these columns that come later are best coded too.
    var codedColumns: Set<Int> {
        if parts.isEmpty { return [] }
        return Set(
            definition.columns.indices.filter { column in
                ColumnFamily(definition.columns[column].type) == .string
                    && parts.allSatisfy { $0.dictionary(column: column) != nil }
            })
    }
}

extension ColumnSummary {
    init(of parts: [Part], column: Int) {
        self.init()
        for part in parts {
            if let summary = part.summary(column: column) {
                add(summary)
                continue
            }
            let value = part.constantValue(column: column)
            var constant = ColumnSummary()
            constant.runCount = 1
            if value.isNull { constant.nullCount = part.rowCount }
            if case .string(let bytes) = value { constant.stringBytes = bytes.count * part.rowCount }
            constant.minimum = value
            constant.maximum = value
            add(constant)
        }
    }
}
