import QueryPlan
import SQLSyntax
import SQLTypes

/// A query whose names and types are resolved.
struct BoundQuery {
    var plan: LogicalPlan
    var outputs: [OutputColumn]
    /// Columns of enclosing queries that it uses.
    var outerColumns: [OutputColumn] = []

    var logical: LogicalQuery { LogicalQuery(plan: plan, outputs: outputs) }

    /// Each output under an id of its own: one value under two names is two columns to whoever groups by them.
    func withDistinctOutputs(_ session: BindingSession) -> BoundQuery {
        var known: Set<ColumnID> = []
        if outputs.allSatisfy({ known.insert($0.id).inserted }) { return self }
        known = []
        var copy = self
        var projected: [ProjectedColumn] = []
        for (index, output) in outputs.enumerated() {
            let isFirst = known.insert(output.id).inserted
            if !isFirst {
                copy.outputs[index].id = session.makeColumn()
                Collations(session).note([copy.outputs[index]], like: [output])
            }
            projected.append(
                ProjectedColumn(id: copy.outputs[index].id, expression: .column(output.id, output.type)))
        }
        copy.plan = .project(projected, plan)
        return copy
    }
}

/// Binds queries: WITH, then the body, then ORDER BY and LIMIT. Bodies and clauses stand in extensions and in
/// ``SelectBinder``.
struct QueryBinder {
    let session: BindingSession

    /// - Parameter keepsUnknown: leave untyped literals of the outputs to the caller, who knows their types (set
    ///   operations, INSERT); otherwise they become VARCHAR.
    func bind(
        _ query: Query, parent: Scope?, commonTables: CommonTableScope?, keepsUnknown: Bool = false
    ) throws -> BoundQuery {
        try session.countOperator()
        return try session.deeper(by: BinderLimits.queryDepth) {
            guard let with = query.with else {
                return try bindWithoutTables(query, parent, commonTables, keepsUnknown)
            }
            return try bindWith(with, parent: parent, commonTables: commonTables) { tables in
                try bindWithoutTables(query, parent, tables, false)
            }
        }
    }

    private func bindWithoutTables(
        _ query: Query, _ parent: Scope?, _ tables: CommonTableScope?, _ keepsUnknown: Bool
    ) throws -> BoundQuery {
        if query.isLocking {
            throw SQLError(.featureNotSupported, "SELECT FOR UPDATE/SHARE is not supported", at: query.position)
        }
        if case .select(let body) = query.body {
            let select = SelectBinder(self, body, parent: parent, commonTables: tables)
            return try select.bind(tail: query, keepsUnknown: keepsUnknown)
        }
        var bound = try bindBody(query.body, parent: parent, commonTables: tables, keepsUnknown: keepsUnknown)
        bound.plan = try sorted(bound, by: query.orderBy, commonTables: tables)
        bound.plan = try limited(bound.plan, limit: query.limit, offset: query.offset, top: nil)
        return bound
    }

    func bindBody(
        _ body: QueryBody, parent: Scope?, commonTables: CommonTableScope?, keepsUnknown: Bool
    ) throws -> BoundQuery {
        switch body {
        case .select(let select):
            let binder = SelectBinder(self, select, parent: parent, commonTables: commonTables)
            let empty = Query(body: body, position: select.position)
            return try binder.bind(tail: empty, keepsUnknown: keepsUnknown)
        case .setOperation(let operation):
            return try bindSetOperation(operation, parent: parent, commonTables: commonTables)
        case .values(let values):
            return try bindValues(values, parent: parent, commonTables: commonTables)
        case .nested(let query):
            return try bind(query, parent: parent, commonTables: commonTables, keepsUnknown: keepsUnknown)
        }
    }

    /// ORDER BY of a set operation or VALUES: over its outputs only.
    private func sorted(
        _ bound: BoundQuery, by items: [OrderItem], commonTables: CommonTableScope?
    ) throws -> LogicalPlan {
        if items.isEmpty { return bound.plan }
        let scope = Scope(parent: nil, commonTables: commonTables)
        let columns = bound.outputs.map { ScopeColumn(name: $0.name, id: $0.id, type: $0.type) }
        scope.setColumns([], columns.map { FromItem.VisibleColumn(column: $0, relation: nil) })
        let keys = try items.map { item in
            let expression: BoundExpression
            if let ordinal = item.expression.ordinal {
                let output = try OrdinalLookup.output(
                    ordinal, of: bound.outputs, clause: "ORDER BY", at: item.expression.position)
                expression = .column(output.id, output.type)
            } else {
                let binder = ExpressionBinder(session, scope, clause: .orderBy)
                expression = try binder.bind(item.expression)
            }
            return item.key(try Collations(session).sortKey(expression))
        }
        return .sort(keys, bound.plan)
    }

    /// Wraps the plan so that its outputs have these types; untyped literals take them without a cast at run time.
    func coerced(
        _ query: BoundQuery, to types: [SQLType], names: [String]? = nil, _ behavior: BoundExpression.CastBehavior,
        at position: SourcePosition
    ) throws -> BoundQuery {
        var result = query
        if zip(query.outputs, types).allSatisfy({ $0.type == $1 }) { return result }
        var expressions: [BoundExpression] = query.outputs.map { .column($0.id, $0.type) }
        var input = query.plan
        if case .project(let columns, let below) = query.plan {
            let byID = Dictionary(columns.map { ($0.id, $0.expression) }, uniquingKeysWith: { first, _ in first })
            expressions = query.outputs.map { byID[$0.id] ?? .column($0.id, $0.type) }
            input = below
        } else if case .values(let values) = query.plan {
            return try coercedValues(query, values, to: types, behavior, at: position)
        }
        var projected: [ProjectedColumn] = []
        var seen: Set<ColumnID> = []
        for (index, expression) in expressions.enumerated() {
            let output = query.outputs[index]
            if output.type == types[index] {
                if seen.insert(output.id).inserted {
                    projected.append(ProjectedColumn(id: output.id, expression: expression))
                }
                continue
            }
            let id = session.makeColumn()
            let cast = try Coercion(session).cast(expression, to: types[index], behavior, at: position)
            projected.append(ProjectedColumn(id: id, expression: cast))
            result.outputs[index] = OutputColumn(id: id, name: output.name, type: types[index])
            Collations(session).note([result.outputs[index]], like: [output])
        }
        result.plan = .project(projected, input)
        return result
    }

    private func coercedValues(
        _ query: BoundQuery, _ values: LogicalValues, to types: [SQLType], _ behavior: BoundExpression.CastBehavior,
        at position: SourcePosition
    ) throws -> BoundQuery {
        let coercion = Coercion(session)
        let rows = try values.rows.map { row in
            try zip(row, types).map { try coercion.cast($0, to: $1, behavior, at: position) }
        }
        let outputs = zip(query.outputs, types).map { OutputColumn(id: $0.id, name: $0.name, type: $1) }
        return BoundQuery(
            plan: .values(LogicalValues(columns: outputs, rows: rows)), outputs: outputs,
            outerColumns: query.outerColumns)
    }
}

extension OrderItem {
    /// NULLs are the largest values unless the item says otherwise.
    func key(_ expression: BoundExpression) -> SortItem {
        SortItem(expression: expression, descending: descending, nullsFirst: nullsFirst ?? descending)
    }
}

extension SQLSyntax.Expression {
    /// A bare integer literal, which in GROUP BY and ORDER BY counts select items.
    var ordinal: Int64? {
        if case .literal(let literal) = self, case .integer(let value) = literal.value { value } else { nil }
    }

    /// A name of one part.
    var bareName: Identifier? {
        if case .name(let name) = self, name.parts.count == 1 { name.last } else { nil }
    }
}

/// `ORDER BY 2`, `GROUP BY 2`.
enum OrdinalLookup {
    static func output<Output>(
        _ ordinal: Int64, of outputs: [Output], clause: String, at position: SourcePosition
    ) throws -> Output {
        guard ordinal >= 1, ordinal <= Int64(outputs.count) else {
            throw SQLError(
                .invalidColumnReference, "\(clause) position \(ordinal) is not in select list", at: position)
        }
        return outputs[Int(ordinal) - 1]
    }
}
