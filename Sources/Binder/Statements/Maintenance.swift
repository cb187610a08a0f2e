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
        return .analyze(BoundAnalyze(statement: node, tables: tables, columns: columns))
    }

    func bindVacuum(_ node: VacuumStatement) throws -> BoundStatement {
        if node.table == nil && (node.kind == .reindex || node.kind == .recluster) {
            throw SQLError(
                .syntaxError, "VACUUM \(node.kind.rawValue) requires a table name", at: node.position)
        }
        let tables = try maintained(node.table, for: "vacuum")
        try checkVacuum(node, tables)
        return .vacuum(BoundVacuum(statement: node, tables: tables))
    }

    private func checkVacuum(_ node: VacuumStatement, _ tables: [TableDefinition]) throws {
        let form = "VACUUM \(node.kind.rawValue)"
        if node.thresholdPercent != nil {
            if node.table == nil {
                throw SQLError(.syntaxError, "VACUUM TO n PERCENT requires a table name", at: node.position)
            }
            if node.kind == .reindex || node.kind == .recluster {
                throw SQLError(.syntaxError, "\(form) does not take TO n PERCENT", at: node.position)
            }
        }
        if node.boost && (node.table == nil || node.kind == .reindex) {
            let reason = node.table == nil ? "VACUUM BOOST requires a table name" : "\(form) does not take BOOST"
            throw SQLError(.syntaxError, reason, at: node.position)
        }
        guard node.kind == .recluster, let table = tables.first else { return }
        if case .interleaved = table.sortKey {
            throw SQLError(
                .featureNotSupported, "VACUUM RECLUSTER is not supported for interleaved sort keys", at: node.position)
        }
        if table.distribution == .all {
            throw SQLError(
                .featureNotSupported, "VACUUM RECLUSTER is not supported for tables with DISTSTYLE ALL",
                at: node.position)
        }
    }

    private func maintained(_ name: ObjectName?, for action: String) throws -> [TableDefinition] {
        if let name { return [try session.requireTable(name, for: action, mayBeView: true)] }
        return (session.catalog.allRelations + session.temporary.allRelations).compactMap {
            if case .table(let table) = $0 { table } else { nil }
        }
    }
}
