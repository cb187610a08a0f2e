import QueryPlan

extension ReferencedColumns {
    /// Those that a statement reads: what its user needs SELECT on.
    package static func of(_ statement: BoundStatement) -> ColumnSet {
        var columns = ReferencedColumns()
        columns.add(statement)
        return columns.found
    }

    private mutating func add(_ statement: BoundStatement) {
        switch statement {
        case .query(let query): add(query)
        case .declareCursor(let cursor): add(cursor.query)
        case .createTableAs(let node): add(node.source)
        case .createMaterializedView(let node): add(node.source)
        case .refreshMaterializedView(let node): add(node.source)
        case .copyOut(let copy): add(copy.query)
        case .unload(let unload): add(unload.query)
        case .explain(let explain): add(explain.statement)
        case .insert(let insert): add(insert.source)
        case .delete(let delete): add(delete.rows.plan)
        case .update(let update): add(update)
        case .merge(let merge):
            switch merge.matched {
            case .update(let update): add(update)
            case .delete(let delete): add(delete.rows.plan)
            case nil: break
            }
            if let insertion = merge.insertion { add(insertion.source) }
        case .truncate, .copy, .copyJob, .createTable, .alterTable, .createView, .createFunction, .createProcedure,
            .call,
            .alterObject, .drop,
            .createSchema, .alterSchema,
            .createDatabase, .alterDatabase, .dropDatabase, .use, .comment, .grant, .account, .analyze, .vacuum, .lock,
            .transaction, .set, .reset, .show,
            .prepare, .execute, .deallocate, .fetch, .closeCursor, .alterSystem, .cancel, .snapshot, .resize:
            break
        }
    }

    /// The new rows name all columns of the table; those that stay as they are are not read.
    private mutating func add(_ update: BoundUpdate) {
        guard case .project(let columns, let source) = update.rows.plan else { return add(update.rows) }
        // The first column is the row's id.
        for index in update.assignedColumns where index + 1 < columns.count { add(columns[index + 1].expression) }
        add(source)
    }
}
