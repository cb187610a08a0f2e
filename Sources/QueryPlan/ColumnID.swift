import SQLTypes

/// A column of a query: unique within one statement, whichever operators it passes through. Plans never use positions,
/// so passes can reorder, merge and prune operators without renumbering.
package struct ColumnID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package let raw: Int32
    package init(_ raw: Int32) { self.raw = raw }
    package static func < (a: ColumnID, b: ColumnID) -> Bool { a.raw < b.raw }
    package var description: String { "#\(raw)" }
}

/// Hands out the column ids of one statement, and keeps what is known of them apart from the plan. Confined to the
/// thread that plans it.
package final class ColumnIDSource {
    private var next: Int32 = 0
    /// Innermost first.
    package private(set) var namedSubqueries: [NamedSubquery] = []
    /// Of lists that DISTINCT stands before, and of UNIONs.
    package private(set) var distinctColumns: Set<ColumnID> = []
    package init() {}
    package func make() -> ColumnID {
        defer { next += 1 }
        return ColumnID(next)
    }
    /// Never hands out this id or a smaller one again.
    package func reserve(through id: ColumnID) { next = max(next, id.raw &+ 1) }

    package func note(distinct columns: some Sequence<ColumnID>) { distinctColumns.formUnion(columns) }

    /// Those without a name are numbered.
    package func note(_ table: NamedSubquery) {
        if table.operators.isEmpty { return }
        var table = table
        if table.alias.isEmpty {
            table.alias = "derived_table\(namedSubqueries.count { $0.alias.hasPrefix("derived_table") } + 1)"
        }
        namedSubqueries.append(table)
    }
}

/// A column that leaves an operator or a query.
package struct OutputColumn: Hashable, Sendable {
    package var id: ColumnID
    package var name: String
    package var type: SQLType
    /// Known of the outputs of whole statements.
    package var details = ColumnDetails()
    package init(id: ColumnID, name: String, type: SQLType) {
        self.id = id
        self.name = name
        self.type = type
    }
}
