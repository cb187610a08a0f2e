import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// ALTER TABLE target APPEND FROM source: what the two tables must have in common, and where each target column comes
/// from.
struct AppendBinder {
    let session: BindingSession
    let target: TableDefinition
    let source: TableDefinition
    let position: SourcePosition

    func bind(ignoreExtra: Bool, fillTarget: Bool) throws -> BoundAppend {
        try checkTables()
        var columns: [BoundAppend.Column] = []
        for column in target.columns {
            guard let index = source.columnIndex(column.name) else {
                columns.append(.fill(try fill(column, fillTarget)))
                continue
            }
            try check(column, source.columns[index])
            columns.append(.source(index))
        }
        let extra = source.columns.first { target.columnIndex($0.name) == nil }
        if let extra, !ignoreExtra {
            throw refuse(
                "source table has column \"\(extra.name)\" that the target table does not have",
                hint: "Use IGNOREEXTRA to leave it out.")
        }
        return BoundAppend(source: source, columns: columns)
    }

    private func refuse(_ reason: String, hint: String? = nil) -> SQLError {
        SQLError(
            .objectNotInState, "ALTER TABLE APPEND from \"\(source.name)\" to \"\(target.name)\": \(reason)",
            hint: hint, at: position)
    }

    private func checkTables() throws {
        if source.id == target.id { throw refuse("source and target are the same table") }
        if source.isTemporary || target.isTemporary { throw refuse("both tables must be permanent") }
        if let column = source.columns.first(where: { $0.identity.map { !$0.byDefault } ?? false }) {
            throw refuse("source column \"\(column.name)\" is an IDENTITY column")
        }
        guard distribution(source) == distribution(target) else { throw refuse("the distribution styles differ") }
        guard sortKey(source) == sortKey(target) else { throw refuse("the sort keys differ") }
    }

    /// By names: columns may stand in another order.
    private func distribution(_ table: TableDefinition) -> String {
        switch table.distribution {
        case .auto: "auto"
        case .even: "even"
        case .all: "all"
        case .key(let column): "key " + table.columns[column].name
        }
    }

    private func sortKey(_ table: TableDefinition) -> [String] {
        let names = table.sortKey.columns.map { table.columns[$0].name }
        switch table.sortKey {
        case .none: return ["none"]
        case .auto: return ["auto"]
        case .compound: return ["compound"] + names
        case .interleaved: return ["interleaved"] + names
        }
    }

    private func check(_ mine: Catalog.ColumnDefinition, _ theirs: Catalog.ColumnDefinition) throws {
        if mine.type != theirs.type { throw refuse("column \"\(mine.name)\" has another type in the source table") }
        if mine.encoding != theirs.encoding {
            throw refuse("column \"\(mine.name)\" has another encoding in the source table")
        }
        if mine.collation != theirs.collation {
            throw refuse("column \"\(mine.name)\" has another collation in the source table")
        }
        if mine.notNull != theirs.notNull {
            throw refuse("column \"\(mine.name)\" is NOT NULL in one of the tables only")
        }
    }

    private func fill(_ column: Catalog.ColumnDefinition, _ fillTarget: Bool) throws -> BoundExpression {
        guard fillTarget else {
            throw refuse(
                "target table has column \"\(column.name)\" that the source table does not have",
                hint: "Use FILLTARGET to fill it with its default.")
        }
        if column.identity != nil { throw refuse("column \"\(column.name)\" is an IDENTITY column") }
        if column.notNull && column.defaultExpression == nil {
            throw refuse("column \"\(column.name)\" is NOT NULL and has no default")
        }
        return try DefaultBinder(session).value(of: column)
    }
}
