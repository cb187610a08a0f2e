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
        guard session.expandingViews.count < BinderLimits.viewDepth, !session.expandingViews.contains(view.id) else {
            throw SQLError(
                .statementTooComplex, "views are nested too deeply or refer to each other: \"\(view.name)\"",
                at: position)
        }
        session.expandingViews.append(view.id)
        defer { session.expandingViews.removeLast() }
        do {
            let query = try Parser.parseQuery(view.query)
            let bound = try queries.bind(query, parent: nil, commonTables: nil)
            return try typed(bound, as: view, at: position)
        } catch var error as SQLError {
            // Positions inside the view's text mean nothing in the statement's.
            error.position = position.offset
            if view.isLateBinding, error.state == .undefinedTable {
                error.detail = "The late binding view \"\(view.schema).\(view.name)\" needs it."
            }
            throw error
        }
    }

    private func typed(_ bound: BoundQuery, as view: ViewDefinition, at position: SourcePosition) throws -> BoundQuery {
        var result = bound
        for (index, name) in view.columnNames.enumerated() where index < result.outputs.count {
            result.outputs[index].name = name
        }
        return result
    }
}
