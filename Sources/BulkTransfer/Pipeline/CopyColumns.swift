import Catalog
import SQLTypes

/// Where the values of each table column come from.
package struct CopyColumns: Sendable {
    /// What a column gets that no field fills.
    package enum Fill: Sendable {
        case constant(Datum)
        case identity(any IdentityGenerator)
    }
    /// Table column index of each field, in field order.
    package var fields: [Int]
    /// By table column index, for all columns that are not in ``fields``.
    package var fills: [Int: Fill]
    package init(fields: [Int], fills: [Int: Fill] = [:]) {
        self.fields = fields
        self.fills = fills
    }

    /// The table columns that the fields fill: the column list, or all columns but identities, which need EXPLICIT_IDS.
    package static func fieldColumns(
        _ table: TableDefinition, columnList: [String], options: CopyOptions
    ) throws -> [Int] {
        if columnList.isEmpty {
            return table.columns.indices.filter { table.columns[$0].identity == nil || options.explicitIDs }
        }
        var fields: [Int] = []
        for name in columnList {
            guard let index = table.columnIndex(name) else {
                throw SQLError(.undefinedColumn, "column \"\(name)\" of relation \"\(table.name)\" does not exist")
            }
            if fields.contains(index) {
                throw SQLError(.duplicateColumn, "column \"\(name)\" specified more than once")
            }
            if let identity = table.columns[index].identity, !identity.byDefault && !options.explicitIDs {
                throw SQLError(
                    .invalidColumnReference, "cannot set an identity column to a value",
                    hint: "COPY with EXPLICIT_IDS loads values into \"\(name)\".")
            }
            fields.append(index)
        }
        return fields
    }

    /// Every table column must have exactly one source.
    func check(_ table: TableDefinition) throws {
        guard !fields.isEmpty, Set(fields).count == fields.count, fields.allSatisfy(table.columns.indices.contains)
        else { throw SQLError(.invalidColumnReference, "COPY needs at least one column of \"\(table.name)\"") }
        for (index, column) in table.columns.enumerated() where !fields.contains(index) {
            guard case .constant(let value)? = fills[index] else {
                if fills[index] != nil { continue }
                throw SQLError(.internalError, "COPY has no value for column \"\(column.name)\"")
            }
            if value.isNull && column.notNull {
                throw SQLError(
                    .notNullViolation, "column \"\(column.name)\" is not null and has no default value",
                    hint: "Add it to the column list and the files, or give it a default.")
            }
        }
    }
}

/// Hands out identity values. Called from all workers of a load at once.
package protocol IdentityGenerator: Sendable {
    /// The first of `count` values, each `step` after the one before.
    func reserve(_ count: Int) throws -> (first: Int64, step: Int64)
}
