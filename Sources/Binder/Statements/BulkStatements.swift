import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// COPY and UNLOAD.
extension StatementBinder {
    func bindCopy(_ node: CopyStatement) throws -> BoundCopy {
        let table = try session.requireTable(node.table, for: "copy into")
        let explicitIDs = node.options.contains { $0.name == "EXPLICIT_IDS" }
        let columns = try TargetColumns(session).resolve(
            node.columns, of: table, skipsIdentity: !explicitIDs)
        var defaults: [Int: BoundExpression] = [:]
        for (index, column) in table.columns.enumerated() where !columns.contains(index) && column.identity == nil {
            defaults[index] = try DefaultBinder(session).value(of: column)
            if column.notNull && column.defaultExpression == nil {
                throw SQLError(
                    .notNullViolation, "Cannot insert a NULL value into column \(column.name)",
                    detail: "The column is not in the column list and has no default.", at: node.table.position)
            }
        }
        return BoundCopy(
            table: table, columns: columns, defaults: defaults, source: node.source,
            sourcePosition: node.sourcePosition.offset, options: node.options)
    }

    func bindCopyOut(_ node: CopyOutStatement) throws -> BoundCopyOut {
        return BoundCopyOut(
            query: try queries.bind(node.query, parent: nil, commonTables: nil).logical, options: node.options)
    }

    func bindUnload(_ node: UnloadStatement) throws -> BoundUnload {
        do {
            let query = try Parser.parseQuery(node.queryText, budget: session.budget)
            if query.limit != nil {
                throw SQLError(
                    .featureNotSupported, "LIMIT clause is not supported in the outer SELECT of UNLOAD",
                    hint: "Put the query with its LIMIT into a subquery.", at: node.queryPosition)
            }
            let bound = try queries.bind(query, parent: nil, commonTables: nil)
            return BoundUnload(
                query: bound.logical, target: node.target, targetPosition: node.targetPosition.offset,
                options: node.options)
        } catch var error as SQLError {
            // Positions count in the quoted text: point at it as a whole.
            error.position = node.queryPosition.offset
            throw error
        }
    }
}
