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
        let entries = try bindEntries(with, parent: parent, commonTables: commonTables)
        var result = try body(entries.scope)
        result.plan = entries.around(result.plan)
        for column in entries.outerColumns where !result.outerColumns.contains(column) {
            result.outerColumns.append(column)
        }
        return result
    }

    /// The entries in order: each sees those before it.
    func bindEntries(
        _ with: WithClause, parent: Scope?, commonTables: CommonTableScope?
    ) throws -> BoundCommonTables {
        var result = BoundCommonTables(scope: commonTables)
        var names: Set<String> = []
        for entry in with.tables {
            guard names.insert(entry.name.text).inserted else {
                throw SQLError(
                    .duplicateAlias, "WITH query name \"\(entry.name)\" specified more than once",
                    at: entry.name.position)
            }
            if with.isRecursive && QueryReferences.names(entry.name.text, in: entry.query) {
                result.add(try RecursiveTable(self, parent, result.scope).bind(entry), [])
                continue
            }
            let bound = try bindEntry(entry, parent: parent, commonTables: result.scope)
            result.add(
                CommonTable(id: try session.makeCommonTableID(), name: entry.name.text, definition: bound.logical),
                bound.outerColumns)
        }
        return result
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

/// The entries of a WITH, bound.
struct BoundCommonTables {
    /// With all of them, for the query that they serve.
    private(set) var scope: CommonTableScope?
    private var tables: [(table: CommonTable, outerColumns: [OutputColumn])] = []

    init(scope: CommonTableScope?) { self.scope = scope }

    mutating func add(_ table: CommonTable, _ outerColumns: [OutputColumn]) {
        tables.append((table, outerColumns))
        scope = CommonTableScope(table, next: scope)
    }

    /// Columns of enclosing queries that the used ones take.
    var outerColumns: [OutputColumn] { tables.reversed().filter { $0.table.uses > 0 }.flatMap(\.outerColumns) }

    /// The plan of the query that they serve, with the used ones around it.
    func around(_ plan: LogicalPlan) -> LogicalPlan {
        tables.reversed().filter { $0.table.uses > 0 }.reduce(plan) { body, entry in
            .with(
                LogicalWith(
                    id: entry.table.id, name: entry.table.name, definition: entry.table.definition.plan,
                    definitionColumns: entry.table.definition.outputs, recursion: entry.table.recursion, body: body))
        }
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
