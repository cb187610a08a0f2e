import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// A view in FROM: its text is bound in a scope of its own, as if it were written there in parentheses.
struct ViewExpansion {
    let queries: QueryBinder

    init(_ queries: QueryBinder) { self.queries = queries }

    private var session: BindingSession { queries.session }

    func expand(_ view: ViewDefinition, at position: SourcePosition) throws -> BoundQuery {
        guard session.openTexts.count < BinderLimits.viewDepth,
            !session.openTexts.contains(where: { $0.id == view.id })
        else {
            throw SQLError(
                .statementTooComplex, "views are nested too deeply or refer to each other: \"\(view.name)\"",
                at: position)
        }
        let text = OpenText(id: view.id, isLateBinding: view.isLateBinding, references: view.references)
        do {
            let query = try session.query(of: view)
            let bound = try session.inText(of: text) {
                try session.access.inName(of: view.owner) {
                    try session.inStoredText(view.query) {
                        try queries.bind(query, parent: nil, commonTables: nil)
                    }
                }
            }
            return recorded(try typed(bound, as: view, at: position), view)
        } catch var error as SQLError {
            // Positions inside the view's text mean nothing in the statement's.
            error.position = position.offset
            if view.isLateBinding, error.state == .undefinedTable {
                error.detail = "The late binding view \"\(view.schema).\(view.name)\" needs it."
            }
            throw error
        }
    }

    /// The view's columns get ids of their own, so that the columns that a statement reads of the view can be told from
    /// those that the view reads.
    private func recorded(_ bound: BoundQuery, _ view: ViewDefinition) -> BoundQuery {
        let outputs = bound.outputs.map { OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type) }
        session.origins.note(outputs, of: .view(view), in: session.catalog.database.name)
        Collations(session).note(outputs, like: bound.outputs)
        let columns = zip(outputs, bound.outputs).map { own, inner in
            ProjectedColumn(id: own.id, expression: .column(inner.id, inner.type))
        }
        session.access.add(.view(view), needed: .select, columns: outputs.map(\.id))
        var result = bound
        result.plan = .project(columns, bound.plan)
        result.outputs = outputs
        return result
    }

    private func typed(_ bound: BoundQuery, as view: ViewDefinition, at position: SourcePosition) throws -> BoundQuery {
        var result = bound
        for (index, name) in view.columnNames.enumerated() where index < result.outputs.count {
            result.outputs[index].name = name
        }
        return result
    }
}
