import QueryPlan
import SQLSyntax
import SQLTypes

/// WITH.
extension QueryBinder {
    /// Binds the entries, then the query that they serve, and puts the used ones around its plan.
    func bindWith(
        _ with: WithClause, parent: Scope?, commonTables: CommonTableScope?,
        _ body: (CommonTableScope?) throws -> BoundQuery
    ) throws -> BoundQuery {
        var scope = commonTables
        var tables: [BoundEntry] = []
        var names: Set<String> = []
        for entry in with.tables {
            guard names.insert(entry.name.text).inserted else {
                throw SQLError(
                    .duplicateAlias, "WITH query name \"\(entry.name)\" specified more than once",
                    at: entry.name.position)
            }
            if with.isRecursive && QueryReferences.names(entry.name.text, in: entry.query) {
                throw SQLError(
                    .featureNotSupported, "recursive common table expressions are not supported yet",
                    at: entry.name.position)
            }
            let bound = try bindEntry(entry, parent: parent, commonTables: scope)
            let table = CommonTable(
                id: try session.makeCommonTableID(), name: entry.name.text, definition: bound.logical)
            tables.append(BoundEntry(table: table, outerColumns: bound.outerColumns))
            scope = CommonTableScope(table, next: scope)
        }
        var result = try body(scope)
        for entry in tables.reversed() where entry.table.uses > 0 {
            result.plan = .with(
                LogicalWith(
                    id: entry.table.id, name: entry.table.name, definition: entry.table.definition.plan,
                    definitionColumns: entry.table.definition.outputs, body: result.plan))
            for column in entry.outerColumns where !result.outerColumns.contains(column) {
                result.outerColumns.append(column)
            }
        }
        return result
    }

    private struct BoundEntry {
        var table: CommonTable
        var outerColumns: [OutputColumn]
    }

    private func bindEntry(
        _ entry: SQLSyntax.CommonTable, parent: Scope?, commonTables: CommonTableScope?
    ) throws -> BoundQuery {
        var bound = try bind(entry.query, parent: parent, commonTables: commonTables)
        bound.outputs = try RelationAlias.renamed(
            bound.outputs, entry.columns, relation: entry.name.text, at: entry.name.position)
        return bound
    }
}

/// Renames a relation's columns by its alias list: `t (a, b)`.
enum RelationAlias {
    static func renamed(
        _ outputs: [OutputColumn], _ names: [Identifier], relation: String, at position: SourcePosition
    ) throws -> [OutputColumn] {
        guard names.count <= outputs.count else {
            throw SQLError(
                .invalidColumnReference,
                "table \"\(relation)\" has \(outputs.count) columns available but \(names.count) columns specified",
                at: position)
        }
        var result = outputs
        for (index, name) in names.enumerated() { result[index].name = name.text }
        return result
    }
}
