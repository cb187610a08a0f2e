import Binder
import Catalog
import ColumnStore
import Optimizer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

/// A statement's way: from what has come to what is to be done, by a kept plan or by parser, binder and optimizer.
extension StatementExecution {
    func plan(_ input: StatementInput, _ snapshot: StoreSnapshot) throws -> PlannedStatement {
        switch input {
        case .text(let text, let template):
            return try plan(text, template, snapshot)
        case .parsed(let parsed, _):
            return try plan(parsed.statement, snapshot).planned
        case .prepared(let prepared, let parsed, let values):
            if let kept = try keptPlan(prepared, parsed, values, snapshot) { return kept }
            parameters = values
            defer { parameters = [] }
            return try plan(parsed.statement, snapshot).planned
        case .program(let program, _):
            hasBeenParsed = true
            return PlannedStatement(program, access: ReadAccess(), scanned: [])
        }
    }

    func plan(
        _ statement: Statement, _ snapshot: StoreSnapshot
    ) throws -> (planned: PlannedStatement, isReusable: Bool) {
        hasBeenParsed = true
        let ids = ColumnIDSource()
        let binding = try bind(statement, snapshot, ids)
        let planned = PlannedStatement(
            try program(binding.statement, Planner(self, snapshot, ids)),
            access: ReadAccess(binding.access, binding.statement), scanned: binding.scanned)
        return (planned, binding.isReusable)
    }

    /// A name that is only known to states newer than the block's own has an error of its own.
    private func bind(_ statement: Statement, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) throws -> Binding {
        do {
            return try binder(snapshot).bind(statement, ids: ids)
        } catch let error as SQLError where error.state == .undefinedTable && transaction.base != nil {
            let newest = try session.located(store.snapshot())
            guard newest.version > snapshot.version else { throw error }
            do {
                _ = try binder(newest).bind(statement)
            } catch is SQLError {
                throw error
            }
            throw SQLError("XX000", "1018", detail: "Relation does not exist.")
        }
    }

    /// Makes the plans of one statement.
    struct Planner {
        private let execution: StatementExecution
        private let snapshot: StoreSnapshot
        private let ids: ColumnIDSource

        init(_ execution: StatementExecution, _ snapshot: StoreSnapshot, _ ids: ColumnIDSource) {
            self.execution = execution
            self.snapshot = snapshot
            self.ids = ids
        }

        func plan(_ query: LogicalQuery) throws -> PhysicalQuery {
            let plan = try execution.optimizer(snapshot).optimize(query, ids: ids)
            execution.notePredicates(plan, snapshot)
            return plan
        }
    }

    /// What each statement does. There is no `default`: a new statement does not compile before it has a program.
    private func program(_ statement: BoundStatement, _ planner: Planner) throws -> any StatementProgram {
        switch statement {
        case .query(let query): QueryProgram(plan: try planner.plan(query))
        case .explain(let explain): try self.explain(explain, planner)
        case .insert(let insert): try self.insert(insert, planner)
        case .delete(let delete): try self.delete(delete, planner)
        case .update(let update): try self.update(update, planner)
        case .merge(let merge): try self.merge(merge, planner)
        case .copyOut(let copy): CopyOutProgram(plan: try planner.plan(copy.query), options: copy.options)
        case .unload(let unload): UnloadProgram(unload: unload, plan: try planner.plan(unload.query))
        case .createTableAs(let node): try createTableAs(node, planner)
        case .declareCursor(let cursor):
            DeclareCursorProgram(name: cursor.statement.name.text, plan: try planner.plan(cursor.query))
        case .copy(let copy): copy
        case .copyJob(let statement): CopyJobProgram(statement)
        case .truncate(let node): node
        case .createTable(let node): node
        case .alterTable(let node): node
        case .createView(let node): node
        case .createMaterializedView(let node):
            CreateMaterializedViewProgram(view: node, plan: try planner.plan(node.source))
        case .refreshMaterializedView(let node):
            RefreshMaterializedViewProgram(node: node, plan: try planner.plan(node.source))
        case .createFunction(let node): node
        case .createProcedure(let node): node
        case .call(let node): node
        case .alterObject(let node): node
        case .drop(let node): node
        case .createSchema(let node): node
        case .alterSchema(let node): node
        case .createDatabase(let node): node
        case .alterDatabase(let node): node
        case .dropDatabase(let node): node
        case .use(let node): node
        case .comment(let node): node
        case .grant(let node): node
        case .account(let node): node
        case .analyze(let node): node
        case .vacuum(let node): node
        case .lock(let node): node
        case .transaction(let node): node
        case .set(let node): node
        case .reset(let node): node
        case .show(let node): node
        case .prepare(let node): node
        case .execute(let node): node
        case .deallocate(let node): node
        case .fetch(let node): node
        case .closeCursor(let node): node
        case .alterSystem(let node): node
        case .cancel(let node): node
        case .snapshot(let node): node
        case .resize(let node): node
        }
    }

    private func insert(_ insert: BoundInsert, _ planner: Planner) throws -> InsertProgram {
        let constants = insert.source.constantRows
        return InsertProgram(
            table: insert.table,
            source: try constants.map { .constants($0.rows) } ?? .plan(planner.plan(insert.source)),
            identityColumns: insert.identityColumns)
    }

    private func delete(_ delete: BoundDelete, _ planner: Planner) throws -> DeleteProgram {
        DeleteProgram(table: delete.table, plan: delete.isOfAllRows ? nil : try planner.plan(delete.rows))
    }

    private func update(_ update: BoundUpdate, _ planner: Planner) throws -> UpdateProgram {
        UpdateProgram(
            table: update.table, plan: try planner.plan(update.rows), assignedColumns: update.assignedColumns)
    }

    private func merge(_ merge: BoundMerge, _ planner: Planner) throws -> MergeProgram {
        let matched: MergeProgram.Matched? =
            switch merge.matched {
            case .update(let update): .update(try self.update(update, planner))
            case .delete(let delete): .delete(try self.delete(delete, planner))
            case nil: nil
            }
        return MergeProgram(
            table: merge.table, matched: matched, insertion: try merge.insertion.map { try insert($0, planner) },
            isStrict: merge.isStrict)
    }

    private func createTableAs(_ node: BoundCreateTableAs, _ planner: Planner) throws -> CreateTableAsProgram {
        CreateTableAsProgram(
            definition: node.definition, plan: try planner.plan(node.source), ifNotExists: node.ifNotExists)
    }

    /// With the plan also of what would run without one.
    private func explain(_ explain: BoundExplain, _ planner: Planner) throws -> ExplainProgram {
        let inner: any StatementProgram
        let plan: PhysicalQuery
        if case .query(let query) = explain.statement {
            plan = try planner.plan(query)
            inner = QueryProgram(plan: plan)
        } else if case .createTableAs(let node) = explain.statement {
            let program = try createTableAs(node, planner)
            (inner, plan) = (program, program.plan)
        } else if case .insert(let insert) = explain.statement {
            plan = try planner.plan(insert.source)
            inner = InsertProgram(table: insert.table, source: .plan(plan), identityColumns: insert.identityColumns)
        } else if case .delete(let delete) = explain.statement {
            plan = try planner.plan(delete.rows)
            inner = DeleteProgram(table: delete.table, plan: plan)
        } else if case .update(let update) = explain.statement {
            let program = try self.update(update, planner)
            (inner, plan) = (program, program.plan)
        } else {
            throw SQLError(
                .syntaxError, "EXPLAIN needs a SELECT, INSERT, UPDATE, DELETE or CREATE TABLE AS statement")
        }
        return ExplainProgram(options: explain.options, inner: inner, plan: plan)
    }
}
