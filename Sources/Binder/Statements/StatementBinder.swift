import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Binds statements: queries and DML here and in files of their own, definitions in extensions.
struct StatementBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    var queries: QueryBinder { QueryBinder(session: session) }

    /// One line for each statement that there is. What nobody executes yet is refused by its name.
    func bind(_ statement: Statement) throws -> BoundStatement {
        switch statement {
        case .query(let query): return try bindQuery(query)
        case .insert(let node): return .insert(try InsertBinder(session).bind(node))
        case .delete(let node): return .delete(try bindDelete(node))
        case .update(let node): return .update(try bindUpdate(node))
        case .merge(let node): return .merge(try MergeBinder(self).bind(node))
        case .truncate(let node):
            return .truncate(BoundTruncate(table: try session.requireTable(node.table, for: "truncate")))
        case .copy(let node): return .copy(try bindCopy(node))
        case .copyOut(let node): return .copyOut(try bindCopyOut(node))
        case .copyJob(let node): return .copyJob(try bindCopyJob(node))
        case .unload(let node): return .unload(try bindUnload(node))
        case .explain(let node): return .explain(BoundExplain(options: node, statement: try bind(node.statement)))
        case .createTable(let node):
            let definition = try CreateTableBinder(session).bind(node)
            return .createTable(BoundCreateTable(definition: definition, ifNotExists: node.ifNotExists))
        case .createTableAs(let node): return try bindCreateTableAs(node)
        case .alterTable(let node): return try AlterTableBinder(session).bind(node)
        case .createView(let node): return try bindCreateView(node)
        case .createSchema(let node): return try bindCreateSchema(node)
        case .alterSchema(let node): return try bindAlterSchema(node)
        case .createDatabase(let node): return try bindCreateDatabase(node)
        case .alterDatabase(let node): return try bindAlterDatabase(node)
        case .drop(let node): return try bindDropOfAny(node)
        case .comment(let node): return .comment(try bindComment(node))
        case .analyze(let node): return try bindAnalyze(node)
        case .vacuum(let node): return try bindVacuum(node)
        case .lock(let node):
            return .lock(BoundLock(tables: try node.tables.map { try session.requireTable($0, for: "lock") }))
        case .grant(let node): return .grant(try GrantBinder(session, node).bind())
        case .grantRole(let node): return .account(.grantRole(node))
        case .createUser(let node): return .account(.createUser(node))
        case .alterUser(let node): return .account(.alterUser(node))
        case .createGroup(let node): return .account(.createGroup(node))
        case .alterGroup(let node): return .account(.alterGroup(node))
        case .createRole(let node): return .account(.createRole(node))
        case .alterRole(let node): return .account(.alterRole(node))
        case .declareCursor(let node):
            let query = shown(try queries.bind(node.query, parent: nil, commonTables: nil).logical)
            return .declareCursor(BoundDeclareCursor(statement: node, query: query))
        case .transaction(let node): return .transaction(node)
        case .set(let node): return .set(node)
        case .reset(let node): return .reset(node)
        case .show(let node): return .show(node)
        case .prepare(let node): return .prepare(node)
        case .execute(let node): return .execute(node)
        case .deallocate(let node): return .deallocate(node)
        case .fetch(let node): return .fetch(node)
        case .closeCursor(let node): return .closeCursor(node)
        case .alterSystem(let node): return .alterSystem(node)
        case .cancel(let node): return .cancel(node)
        case .snapshot(let node): return .snapshot(node)
        case .resize(let node): return .resize(node)
        case .createMaterializedView(let node):
            return try bindCreateMaterializedView(node)
        case .refreshMaterializedView(let node):
            return try bindRefreshMaterializedView(node)
        case .alterMaterializedView(let node):
            return try bindAlterMaterializedView(node)
        case .call(let node): return .call(try CallBinder(session).bind(node))
        case .alterProcedure(let node): return try bindAlterProcedure(node)
        case .createRoutine(let node) where node.kind == .procedure:
            return .createProcedure(try CreateProcedureBinder(session).bind(node))
        case .createRoutine(let node): return .createFunction(try CreateFunctionBinder(session).bind(node))
        case .createExternalSchema(let node):
            throw RefusedStatement.error("CREATE EXTERNAL SCHEMA", at: node.position)
        case .createExternalTable(let node): throw RefusedStatement.error("CREATE EXTERNAL TABLE", at: node.position)
        case .use(let node): return try bindUse(node)
        case .generic(let node): throw RefusedStatement.error(node.commandTag, at: node.position)
        }
    }

    private func bindQuery(_ query: Query) throws -> BoundStatement {
        if let (into, plain) = query.withoutInto {
            return try bindSelectInto(into, plain)
        }
        return .query(shown(try queries.bind(query, parent: nil, commonTables: nil).logical))
    }

    /// The query with its columns as the client wants to see their names, and with what it is told of them.
    private func shown(_ query: LogicalQuery) -> LogicalQuery {
        var result = query
        for index in result.outputs.indices {
            result.outputs[index].details = session.origins.details(of: result.outputs[index].id)
        }
        guard session.settings.capitalizesNames else { return result }
        for index in result.outputs.indices { result.outputs[index].name = result.outputs[index].name.uppercased() }
        return result
    }

    private func bindDropOfAny(_ node: DropStatement) throws -> BoundStatement {
        if [.user, .group, .role].contains(node.kind) { return .account(.drop(node)) }
        if node.kind == .database { return try bindDropDatabase(node) }
        return .drop(try bindDrop(node))
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
