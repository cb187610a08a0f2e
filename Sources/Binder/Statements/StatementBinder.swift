import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Binds statements: queries and DML here and in files of their own, definitions in extensions.
struct StatementBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    var queries: QueryBinder { QueryBinder(session: session) }

    func bind(_ statement: Statement) throws -> BoundStatement {
        switch statement {
        case .query(let query): return try bindQuery(query)
        case .insert(let node): return .insert(try InsertBinder(session).bind(node))
        case .delete(let node): return .delete(try bindDelete(node))
        case .update(let node): return .update(try bindUpdate(node))
        case .merge(let node): return .merge(try MergeBinder(self).bind(node))
        case .truncate(let node):
            return .truncate(try session.requireTable(node.table, for: "truncate"))
        case .copy(let node): return .copy(try bindCopy(node))
        case .copyOut(let node): return .copyOut(try bindCopyOut(node))
        case .unload(let node): return .unload(try bindUnload(node))
        case .explain(let node): return .explain(node, try bind(node.statement))
        case .createTable(let node):
            return .createTable(try CreateTableBinder(session).bind(node), ifNotExists: node.ifNotExists)
        case .createTableAs(let node): return try bindCreateTableAs(node)
        case .alterTable(let node): return try AlterTableBinder(session).bind(node)
        case .createView(let node): return try bindCreateView(node)
        case .createSchema(let node): return try bindCreateSchema(node)
        case .alterSchema(let node): return try bindAlterSchema(node)
        case .alterDatabase(let node): return .alterDatabase(node)
        case .drop(let node):
            if [.user, .group, .role].contains(node.kind) { return .account(.drop(node)) }
            return .drop(try bindDrop(node))
        case .comment(let node): return .comment(try bindComment(node))
        case .analyze(let node): return try bindAnalyze(node)
        case .vacuum(let node): return try bindVacuum(node)
        case .lock(let node): return .lock(try node.tables.map { try session.requireTable($0, for: "lock") })
        default: return try bindAccountStatement(statement)
        }
    }

    private func bindQuery(_ query: Query) throws -> BoundStatement {
        if let (into, plain) = query.withoutInto {
            return try bindSelectInto(into, plain)
        }
        return .query(try queries.bind(query, parent: nil, commonTables: nil).logical)
    }

    private func bindAccountStatement(_ statement: Statement) throws -> BoundStatement {
        switch statement {
        case .grant(let node): return .grant(try GrantBinder(session, node).bind())
        case .grantRole(let node): return .account(.grantRole(node))
        case .createUser(let node): return .account(.createUser(node))
        case .alterUser(let node): return .account(.alterUser(node))
        case .createGroup(let node): return .account(.createGroup(node))
        case .alterGroup(let node): return .account(.alterGroup(node))
        case .createRole(let node): return .account(.createRole(node))
        case .alterRole(let node): return .account(.alterRole(node))
        default: return try bindSessionStatement(statement)
        }
    }

    private func bindSessionStatement(_ statement: Statement) throws -> BoundStatement {
        switch statement {
        case .transaction(let node): return .transaction(node)
        case .set(let node): return .set(node)
        case .reset(let node): return .reset(node)
        case .show(let node): return .show(node)
        case .prepare(let node): return .prepare(node)
        case .execute(let node): return .execute(node)
        case .deallocate(let node): return .deallocate(node)
        case .declareCursor(let node):
            return .declareCursor(node, try queries.bind(node.query, parent: nil, commonTables: nil).logical)
        case .fetch(let node): return .fetch(node)
        case .closeCursor(let node): return .closeCursor(node)
        case .cancel(let node): return .cancel(node)
        case .snapshot(let node): return .snapshot(node)
        case .resize(let node): return .resize(node)
        case .generic(let node):
            throw SQLError(.featureNotSupported, "\(node.commandTag) is not supported", at: node.position)
        default:
            throw SQLError(.featureNotSupported, "\(statement.words) is not supported yet")
        }
    }
}

extension Statement {
    /// The command's name in messages about kinds that nobody executes.
    var words: String {
        switch self {
        case .createMaterializedView: "CREATE MATERIALIZED VIEW"
        case .refreshMaterializedView: "REFRESH MATERIALIZED VIEW"
        case .alterMaterializedView: "ALTER MATERIALIZED VIEW"
        case .createDatabase: "CREATE DATABASE"
        case .call: "CALL"
        case .createRoutine: "CREATE FUNCTION and CREATE PROCEDURE"
        case .createExternalSchema: "CREATE EXTERNAL SCHEMA"
        case .createExternalTable: "CREATE EXTERNAL TABLE"
        case .use: "USE"
        default: "this statement"
        }
    }
}

extension Query {
    /// SELECT ... INTO: the target, and the query without it.
    var withoutInto: (IntoClause, Query)? {
        guard case .select(var select) = body, let into = select.into else { return nil }
        select.into = nil
        var plain = self
        plain.body = .select(select)
        return (into, plain)
    }
}
