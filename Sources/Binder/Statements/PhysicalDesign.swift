import Catalog
import SQLSyntax
import SQLTypes

/// DISTSTYLE, DISTKEY, SORTKEY and ENCODE AUTO of CREATE TABLE and CREATE TABLE AS.
struct PhysicalDesign {
    static let maximumSortColumns = 400
    static let maximumInterleavedColumns = 8

    let attributes: TableAttributes

    init(_ attributes: TableAttributes) { self.attributes = attributes }

    func apply(to table: inout TableDefinition, draft: TableDraft) throws {
        if let parent = draft.likeParent {
            table.distribution = parent.distribution
            table.sortKey = parent.sortKey
        }
        try applyDistribution(&table, draft)
        try applySortKey(&table, draft)
        try Self.checkKeys(of: table, at: attributes.position)
        if draft.hasEncoding && attributes.encodeAuto {
            throw SQLError(
                .invalidTableDefinition, "ENCODE AUTO cannot be combined with column encodings",
                at: attributes.position)
        }
        table.encodeAuto = !draft.hasEncoding
    }

    private static func checkKeys(of table: TableDefinition, at position: SourcePosition) throws {
        var keys = table.sortKey.columns
        if case .key(let column) = table.distribution { keys.append(column) }
        for key in keys { try checkKey(table.columns[key], at: position) }
    }

    private static func checkKey(_ column: Catalog.ColumnDefinition, at position: SourcePosition) throws {
        if column.type.family.canBeKey { return }
        throw SQLError(
            .invalidTableDefinition,
            "column \"\(column.name)\" of type \(column.type.nameWithoutModifiers) cannot be a distribution or "
                + "sort key",
            at: position)
    }

    private func applyDistribution(_ table: inout TableDefinition, _ draft: TableDraft) throws {
        var key = draft.distributionColumn?.index
        let position = draft.distributionColumn?.position ?? attributes.position
        if let name = attributes.distributionKey {
            if key != nil {
                throw SQLError(.invalidTableDefinition, "only one DISTKEY column is allowed", at: name.position)
            }
            key = try Self.column(name, of: table)
        }
        switch attributes.distributionStyle {
        case .key?:
            guard let key else {
                throw SQLError(
                    .invalidTableDefinition, "DISTSTYLE KEY requires a DISTKEY column", at: attributes.position)
            }
            table.distribution = .key(key)
        case let style?:
            if key != nil {
                throw SQLError(
                    .invalidTableDefinition,
                    "DISTSTYLE \(style.rawValue) cannot be combined with a DISTKEY column", at: position)
            }
            table.distribution = style == .all ? .all : style == .even ? .even : .auto
        case nil:
            if let key { table.distribution = .key(key) }
        }
    }

    private func applySortKey(_ table: inout TableDefinition, _ draft: TableDraft) throws {
        if !draft.sortColumns.isEmpty {
            if attributes.sortKey != nil {
                throw SQLError(
                    .invalidTableDefinition, "SORTKEY cannot be specified for both columns and the table",
                    at: draft.sortPosition)
            }
            table.sortKey = .compound(draft.sortColumns)
        }
        if let clause = attributes.sortKey {
            table.sortKey = try Self.sortKey(clause, of: table)
        } else if draft.sortColumns.isEmpty && draft.likeParent == nil {
            table.sortKey = .auto
        }
    }

    static func sortKey(_ clause: SortKeyClause, of table: TableDefinition) throws -> SortKey {
        switch clause {
        case .auto: return .auto
        case .none: return .none
        case .compound(let names):
            return .compound(try columns(names, of: table, maximum: maximumSortColumns))
        case .interleaved(let names):
            return .interleaved(try columns(names, of: table, maximum: maximumInterleavedColumns))
        }
    }

    private static func columns(_ names: [Identifier], of table: TableDefinition, maximum: Int) throws -> [Int] {
        var result: [Int] = []
        for name in names {
            let index = try column(name, of: table)
            if result.contains(index) {
                throw SQLError(
                    .invalidTableDefinition, "sort key column \"\(name)\" specified more than once",
                    at: name.position)
            }
            result.append(index)
        }
        guard result.count <= maximum else {
            throw SQLError(
                .invalidTableDefinition, "a sort key can have at most \(maximum) columns",
                at: names.first?.position ?? .unknown)
        }
        return result
    }

    /// By name; CREATE TABLE AS also counts columns.
    static func column(_ name: Identifier, of table: TableDefinition) throws -> Int {
        if let index = table.columnIndex(name.text) {
            try checkKey(table.columns[index], at: name.position)
            return index
        }
        if let ordinal = Int(name.text), ordinal >= 1, ordinal <= table.columns.count { return ordinal - 1 }
        throw SQLError(
            .undefinedColumn, "column \"\(name)\" named in key does not exist", at: name.position)
    }
}
