import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// INSERT: a query of all the table's columns in table order, cast as an assignment does.
struct InsertBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: InsertStatement) throws -> BoundInsert {
        let table = try session.requireTable(node.table, for: "insert into")
        let targets = try TargetColumns(session).resolve(node.columns, of: table, skipsIdentity: true)
        let source: BoundQuery
        switch node.source {
        case .defaultValues:
            let defaults = try defaultRow(table)
            source = values([try complete([], [], table, defaults, at: node.position)], table)
        case .query(let query):
            if case .values(let list) = query.body, query.with == nil, query.orderBy.isEmpty, query.limit == nil {
                source = try bindValues(list, node, table, targets)
            } else {
                source = try bindQuery(query, node, table, targets)
            }
        }
        let generated = table.columns.indices.filter { index in
            guard let identity = table.columns[index].identity else { return false }
            return identity.byDefault || !targets.contains(index)
        }
        return BoundInsert(table: table, source: source.logical, identityColumns: generated)
    }

    func defaultRow(_ table: TableDefinition) throws -> [BoundExpression] {
        try table.columns.map { try DefaultBinder(session).value(of: $0) }
    }

    private func values(_ rows: [[BoundExpression]], _ table: TableDefinition) -> BoundQuery {
        let outputs = table.columns.map {
            OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
        }
        return BoundQuery(plan: .values(LogicalValues(columns: outputs, rows: rows)), outputs: outputs)
    }

    // MARK: VALUES

    private func bindValues(
        _ list: ValuesBody, _ node: InsertStatement, _ table: TableDefinition, _ targets: [Int]
    ) throws -> BoundQuery {
        let scope = Scope(parent: nil, commonTables: nil)
        let binder = ExpressionBinder(session, scope, clause: .values)
        let defaults = try defaultRow(table)
        var rows: [[BoundExpression]] = []
        rows.reserveCapacity(list.rows.count)
        for row in list.rows {
            guard row.count == list.rows[0].count else {
                throw SQLError(
                    .syntaxError, "VALUES lists must all be the same length", at: row.last?.position ?? list.position)
            }
            try checkCount(row.count, node, targets, at: row.last?.position ?? list.position)
            var bound: [BoundExpression] = []
            bound.reserveCapacity(row.count)
            for (entry, index) in zip(row, targets) {
                bound.append(try value(entry, table.columns[index], defaults[index], binder))
            }
            rows.append(try complete(bound, targets, table, defaults, at: node.position))
        }
        return values(rows, table)
    }

    func value(
        _ entry: Expression, _ column: Catalog.ColumnDefinition, _ standard: BoundExpression,
        _ binder: ExpressionBinder
    ) throws -> BoundExpression {
        if case .defaultKeyword = entry { return standard }
        if let identity = column.identity, !identity.byDefault {
            throw SQLError(.featureNotSupported, "cannot set an identity column to a value", at: entry.position)
        }
        return try Assignment(session).cast(try binder.bind(entry), to: column, at: entry.position)
    }

    private func checkCount(
        _ count: Int, _ node: InsertStatement, _ targets: [Int], at position: SourcePosition
    ) throws {
        if count > targets.count {
            throw SQLError(.syntaxError, "INSERT has more expressions than target columns", at: position)
        }
        if count < targets.count && !node.columns.isEmpty {
            throw SQLError(.syntaxError, "INSERT has more target columns than expressions", at: position)
        }
    }

    /// The whole row: given values in their places, defaults elsewhere.
    func complete(
        _ given: [BoundExpression], _ targets: [Int], _ table: TableDefinition, _ defaults: [BoundExpression],
        at position: SourcePosition
    ) throws -> [BoundExpression] {
        var row = defaults
        for (value, index) in zip(given, targets) { row[index] = value }
        for (index, column) in table.columns.enumerated() where column.notNull && column.identity == nil {
            if case .constant(.null, _) = row[index] {
                throw SQLError(
                    .notNullViolation, "Cannot insert a NULL value into column \(column.name)", at: position)
            }
        }
        return row
    }

    // MARK: Queries

    private func bindQuery(
        _ query: Query, _ node: InsertStatement, _ table: TableDefinition, _ targets: [Int]
    ) throws -> BoundQuery {
        let bound = try QueryBinder(session: session).bind(
            query, parent: nil, commonTables: nil, keepsUnknown: true)
        try checkCount(bound.outputs.count, node, targets, at: query.position)
        let defaults = try defaultRow(table)
        let used = Array(targets.prefix(bound.outputs.count))
        for (index, output) in zip(used, bound.outputs) {
            try Assignment(session).check(output.type, table.columns[index], at: query.position)
            if let identity = table.columns[index].identity, !identity.byDefault {
                throw SQLError(.featureNotSupported, "cannot set an identity column to a value", at: node.position)
            }
        }
        let typed = try QueryBinder(session: session).coerced(
            bound, to: used.map { table.columns[$0].type }, .assignment, at: query.position)
        let given = typed.outputs.map { BoundExpression.column($0.id, $0.type) }
        let row = try complete(given, used, table, defaults, at: node.position)
        let outputs = table.columns.map {
            OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
        }
        let columns = zip(outputs, row).map { ProjectedColumn(id: $0.id, expression: $1) }
        return BoundQuery(plan: .project(columns, typed.plan), outputs: outputs)
    }
}

/// The columns that an INSERT or COPY names, or all that can be given.
struct TargetColumns {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func resolve(_ names: [Identifier], of table: TableDefinition, skipsIdentity: Bool) throws -> [Int] {
        guard !names.isEmpty else {
            let all = Array(table.columns.indices)
            func isGenerated(_ index: Int) -> Bool { table.columns[index].identity?.byDefault == false }
            return skipsIdentity && all.contains(where: isGenerated) ? all.filter { !isGenerated($0) } : all
        }
        var result: [Int] = []
        for name in names {
            let index = try table.requireColumn(name)
            if result.contains(index) {
                throw SQLError(
                    .duplicateColumn, "column \"\(name)\" specified more than once", at: name.position)
            }
            result.append(index)
        }
        return result
    }
}

/// Values on their way into columns.
struct Assignment {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func check(_ type: SQLType, _ column: Catalog.ColumnDefinition, at position: SourcePosition) throws {
        if type == .unknown || type == column.type { return }
        if CastRules.canCast(from: type, to: column.type, context: .assignment) { return }
        throw SQLError(
            .datatypeMismatch,
            "column \"\(column.name)\" is of type \(column.type.nameWithoutModifiers) but expression is of type "
                + type.nameWithoutModifiers,
            hint: "You will need to rewrite or cast the expression.", at: position)
    }

    func cast(
        _ value: BoundExpression, to column: Catalog.ColumnDefinition, at position: SourcePosition
    ) throws -> BoundExpression {
        try check(value.type, column, at: position)
        return try Coercion(session).cast(value, to: column.type, .assignment, at: position)
    }
}
