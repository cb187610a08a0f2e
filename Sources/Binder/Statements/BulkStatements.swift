import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// COPY.
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
}
