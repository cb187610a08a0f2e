import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

extension StatementBinder {
    func bindCreateView(_ node: CreateViewStatement) throws -> BoundStatement {
        let schema = try session.creationSchema(for: node.name)
        let existing = session.catalog.relation(schema: schema, name: node.name.name)
        if let existing {
            guard node.orReplace, case .view = existing else {
                throw SQLError(
                    .duplicateTable, "relation \"\(node.name.name)\" already exists", at: node.name.position)
            }
        }
        var names = node.columns.map(\.text)
        var references: [ObjectReference] = []
        if !node.isLateBinding {
            session.namedObjects = []
            let bound = try queries.bind(node.query, parent: nil, commonTables: nil)
            let outputs = try RelationAlias.renamed(
                bound.outputs, node.columns, relation: node.name.name, at: node.name.position)
            names = outputs.map(\.name)
            references = session.references(used: ReferencedColumns.of(bound.logical))
            try checkNames(names, at: node.query.position)
            if case .view(let old)? = existing { try checkReplacement(old, outputs, at: node.name.position) }
        }
        let definition = ViewDefinition(
            id: ObjectID(0), schema: schema, name: node.name.name, columnNames: names,
            query: StoredText.dated(node.queryText, session.datetime),
            isLateBinding: node.isLateBinding, references: references,
            owner: session.settings.user.id)
        return .createView(BoundCreateView(definition: definition, orReplace: node.orReplace))
    }

    private func checkNames(_ names: [String], at position: SourcePosition) throws {
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw SQLError(.duplicateColumn, "column \"\(name)\" specified more than once", at: position)
        }
    }

    /// OR REPLACE keeps the columns that others may use; new ones may follow.
    private func checkReplacement(
        _ old: ViewDefinition, _ outputs: [OutputColumn], at position: SourcePosition
    ) throws {
        if session.catalog.dependents(of: old.id).isEmpty { return }
        let kept = outputs.prefix(old.columnNames.count).map(\.name)
        guard Array(kept) == old.columnNames else {
            throw SQLError(
                .invalidTableDefinition, "cannot change name or number of columns of view \"\(old.name)\"",
                at: position)
        }
    }
}
