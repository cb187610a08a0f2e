import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// DELETE and UPDATE: the rows concerned as a plan over a scan of the target.
extension StatementBinder {
    private struct TargetRows {
        var table: TableDefinition
        var target: LogicalScan
        var source: LogicalPlan
        var scope: Scope
        var common: BoundCommonTables?

        /// The statement's plan with the WITH entries that it uses.
        func around(_ plan: LogicalPlan) -> LogicalPlan { common?.around(plan) ?? plan }
    }

    func bindDelete(_ node: DeleteStatement) throws -> BoundDelete {
        let rows = try targetRows(node.table, node.alias, node.using, node.filter, node.with, for: "delete from")
        var bound = try delete(rows.table, rows.target, rows.source)
        bound.rows.plan = rows.around(bound.rows.plan)
        return bound
    }

    func bindUpdate(_ node: UpdateStatement) throws -> BoundUpdate {
        let rows = try targetRows(node.table, node.alias, node.from, node.filter, node.with, for: "update")
        let assignments = try bind(node.assignments, rows.table, rows.scope)
        var bound = try update(rows.table, rows.target, rows.source, assignments)
        bound.rows.plan = rows.around(bound.rows.plan)
        return bound
    }

    /// A new value, cast to the type of the column with this index.
    struct NewValue {
        var column: Int
        var value: BoundExpression
    }

    /// - Parameters:
    ///   - target: the scan of the table inside of `source`, with its row ids.
    ///   - source: keeps the rows that go.
    func delete(
        _ table: TableDefinition, _ target: LogicalScan, _ source: LogicalPlan
    ) throws -> BoundDelete {
        let id = try rowID(of: target)
        let rows = LogicalQuery(
            plan: .project([ProjectedColumn(id: id, expression: .column(id, .bigint))], source),
            outputs: [OutputColumn(id: id, name: "rowid", type: .bigint)])
        let isOfAllRows = if case .scan = source { true } else { false }
        return BoundDelete(table: table, rows: rows, isOfAllRows: isOfAllRows)
    }

    func update(
        _ table: TableDefinition, _ target: LogicalScan, _ source: LogicalPlan, _ assignments: [NewValue]
    ) throws -> BoundUpdate {
        let id = try rowID(of: target)
        var columns = [ProjectedColumn(id: id, expression: .column(id, .bigint))]
        var outputs = [OutputColumn(id: id, name: "rowid", type: .bigint)]
        for (index, column) in table.columns.enumerated() {
            let made = session.makeColumn()
            let assigned = assignments.first { $0.column == index }?.value
            guard let old = target.columns.first(where: { $0.index == index }) else {
                throw SQLError(.internalError, "a column of the updated table is not read")
            }
            columns.append(ProjectedColumn(id: made, expression: assigned ?? .column(old.id, old.type)))
            outputs.append(OutputColumn(id: made, name: column.name, type: column.type))
        }
        return BoundUpdate(
            table: table, rows: LogicalQuery(plan: .project(columns, source), outputs: outputs),
            assignedColumns: assignments.map(\.column))
    }

    private func rowID(of scan: LogicalScan) throws -> ColumnID {
        guard let id = scan.columns.first(where: \.isRowID)?.id else {
            throw SQLError(.internalError, "a changed table is scanned without row ids")
        }
        return id
    }

    func bind(
        _ list: [ColumnAssignment], _ table: TableDefinition, _ scope: Scope
    ) throws -> [NewValue] {
        var assignments: [NewValue] = []
        let binder = ExpressionBinder(session, scope, clause: .assignment)
        for assignment in list {
            let index = try table.requireColumn(assignment.column)
            let column = table.columns[index]
            if assignments.contains(where: { $0.column == index }) {
                throw SQLError(
                    .syntaxError, "multiple assignments to same column \"\(column.name)\"",
                    at: assignment.column.position)
            }
            if column.identity != nil {
                throw SQLError(
                    .featureNotSupported, "cannot update an identity column", at: assignment.column.position)
            }
            let value: BoundExpression
            if case .defaultKeyword = assignment.value {
                value = try DefaultBinder(session).value(of: column)
            } else {
                value = try Assignment(session).cast(
                    try binder.bind(assignment.value), to: column, at: assignment.value.position)
            }
            assignments.append(NewValue(column: index, value: value))
        }
        return assignments
    }

    /// A scan of the table with its row ids, under its alias.
    func target(
        _ table: TableDefinition, _ alias: Identifier?, _ from: FromBinder, at position: SourcePosition
    ) throws -> (item: FromItem, scan: LogicalScan) {
        var item = try from.scan(table, alias: alias, at: position)
        guard case .scan(var scan) = item.plan else {
            throw SQLError(.wrongObjectType, "\"\(table.name)\" is not a table", at: position)
        }
        session.recordUse(of: table, needed: [], item.plan, name: nil)
        scan.columns.append(ScanColumn(id: session.makeColumn(), index: ScanColumn.rowID, type: .bigint))
        item.plan = .scan(scan)
        return (item, scan)
    }

    private func targetRows(
        _ name: ObjectName, _ alias: Identifier?, _ others: [TableReference], _ filter: Expression?,
        _ with: WithClause?, for action: String
    ) throws -> TargetRows {
        let table = try session.requireTable(name, for: action)
        let common = try with.map { try queries.bindEntries($0, parent: nil, commonTables: nil) }
        let scope = Scope(parent: nil, commonTables: common?.scope)
        let from = FromBinder(queries: queries, scope: scope)
        var (item, target) = try self.target(table, alias, from, at: name.position)
        for other in others {
            if let unnested = try from.unnested(other, over: item) {
                item = unnested
                continue
            }
            item = try JoinBinder(from: from).crossJoined(item, try from.bind(other), at: other.position)
        }
        scope.setColumns(item.relations, item.visible)
        var plan = item.plan
        if let filter {
            plan = .filter(try ExpressionBinder(session, scope, clause: .filter).bindCondition(filter), plan)
        }
        return TargetRows(table: table, target: target, source: plan, scope: scope, common: common)
    }
}
