import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// ANALYZE and VACUUM: of one table or of all.
extension StatementBinder {
    func bindAnalyze(_ node: AnalyzeStatement) throws -> BoundStatement {
        let tables = try maintained(node.table, for: "analyze")
        var columns: [Int] = []
        if case .list(let names) = node.columns, let table = tables.first {
            columns = try names.map { try table.requireColumn($0) }
        }
        return .analyze(node, tables, columns: columns)
    }

    func bindVacuum(_ node: VacuumStatement) throws -> BoundStatement {
        if node.table == nil && (node.kind == .reindex || node.kind == .recluster) {
            throw SQLError(
                .syntaxError, "VACUUM \(node.kind.rawValue) requires a table name", at: node.position)
        }
        return .vacuum(node, try maintained(node.table, for: "vacuum"))
    }

    private func maintained(_ name: ObjectName?, for action: String) throws -> [TableDefinition] {
        if let name { return [try session.requireTable(name, for: action)] }
        return (session.catalog.allRelations + session.temporary.allRelations).compactMap {
            if case .table(let table) = $0 { table } else { nil }
        }
    }
}
