import QueryPlan
import SQLSyntax
import SQLTypes

/// `t PIVOT (sum(x) FOR c IN (1 AS one, 2))`: groups by the columns that neither the aggregates nor FOR name, and has a
/// column for each value and aggregate.
struct PivotBinder {
    let from: FromBinder

    private var session: BindingSession { from.session }

    func bind(_ pivot: PivotTable) throws -> FromItem {
        let source = try from.bind(pivot.source)
        let scope = Scope(parent: from.scope.parent, commonTables: from.scope.commonTables)
        scope.setColumns(source.relations, source.visible)
        let binder = ExpressionBinder(session, scope, clause: .aggregateArgument)
        let column = try binder.bind(pivot.column)
        guard column.asColumn != nil else {
            throw SQLError(.syntaxError, "PIVOT needs a column behind FOR", at: pivot.column.position)
        }
        let calls = try pivot.aggregates.map { try aggregate($0, scope) }
        var used = ReferencedColumns()
        used.add(column)
        for aggregate in calls { used.add(aggregate.call) }
        let kept = source.visible.map(\.column).filter { !used.found.contains($0.id) }
        var outputs = kept.map { OutputColumn(id: $0.id, name: $0.name, type: $0.type) }
        var aggregates: [LogicalAggregate.Aggregate] = []
        var made: [ProjectedColumn] = []
        for value in pivot.values {
            let (condition, name) = try matching(value, column, binder)
            for (aggregate, written) in zip(calls, pivot.aggregates) {
                let id = session.makeColumn()
                aggregates.append(LogicalAggregate.Aggregate(id: id, call: Self.only(where: condition, aggregate.call)))
                let label = try label(name, written, among: calls.count)
                let value = aggregate.shown(from: id)
                let output = OutputColumn(
                    id: value.asColumn ?? session.makeColumn(), name: label, type: value.type)
                outputs.append(output)
                if value.asColumn == nil { made.append(ProjectedColumn(id: output.id, expression: value)) }
            }
        }
        from.scope.inheritOuterColumns(of: scope)
        try session.budget.take(bytes: outputs.count * BinderLimits.columnBytes)
        let rows = try Collations(session).rows(kept.map { ($0.id, $0.type) })
        for index in outputs.indices { outputs[index].id = rows.replaced[outputs[index].id] ?? outputs[index].id }
        var plan = LogicalPlan.aggregate(
            LogicalAggregate(groups: rows.groups, aggregates: aggregates + rows.aggregates, input: source.plan))
        if !made.isEmpty {
            let columns = outputs.map { output in
                made.first { $0.id == output.id }
                    ?? ProjectedColumn(id: output.id, expression: .column(output.id, output.type))
            }
            plan = .project(columns, plan)
        }
        return try from.item(
            BoundQuery(plan: plan, outputs: outputs), alias: pivot.alias, name: "", schema: nil, pivot.position)
    }

    private func aggregate(_ written: PivotTable.Value, _ scope: Scope) throws -> Aggregate {
        let computed = ComputedColumns()
        let binder = ExpressionBinder(session, scope, clause: .selectList, computed: computed)
        guard case .function(let call) = written.expression, call.over == nil,
            FunctionTable.aggregate(named: call.name.name) != nil
        else {
            throw SQLError(.syntaxError, "PIVOT needs an aggregate function", at: written.expression.position)
        }
        let shown = try binder.bind(written.expression)
        guard computed.aggregates.count == 1, let found = computed.aggregates.first else {
            throw SQLError(.syntaxError, "PIVOT needs an aggregate function", at: written.expression.position)
        }
        let bound = found.call
        guard !bound.distinct, bound.orderBy.isEmpty else {
            throw SQLError(
                .featureNotSupported, "DISTINCT and WITHIN GROUP are not supported in PIVOT", at: call.position)
        }
        return Aggregate(call: bound, id: found.id, shown: shown)
    }

    /// An aggregate, and what shows its value: more than its column where that stands in another form.
    private struct Aggregate {
        var call: AggregateCall
        var id: ColumnID
        var shown: BoundExpression

        func shown(from column: ColumnID) -> BoundExpression {
            shown.replacing { $0 == id ? .column(column, call.type) : nil }
        }
    }

    /// The condition of a value's rows, and what its columns are called.
    private func matching(
        _ value: PivotTable.Value, _ column: BoundExpression, _ binder: ExpressionBinder
    ) throws -> (condition: BoundExpression, name: String) {
        let bound = try binder.bind(value.expression)
        guard let constant = bound.asConstant else {
            throw SQLError(.syntaxError, "PIVOT needs constants behind IN", at: value.expression.position)
        }
        let name = value.alias?.text ?? constant.text(type: bound.type)?.lowercased() ?? "null"
        if constant.isNull { return (.isNull(column), name) }
        let position = value.expression.position
        return (try ComparisonBinder(session).compare(.equal, column, bound, at: position), name)
    }

    /// Behind the value's name comes the aggregate's, where it has one or where it is not the only one.
    private func label(_ name: String, _ written: PivotTable.Value, among count: Int) throws -> String {
        if let alias = written.alias { return "\(name)_\(alias.text)" }
        return count == 1 ? name : "\(name)_\(ColumnLabel.of(written.expression))"
    }

    /// The aggregate over the rows of the condition: its value is NULL, which aggregates pass over, in all others.
    private static func only(where condition: BoundExpression, _ call: AggregateCall) -> AggregateCall {
        var copy = call
        let isCount = call.function == .countRows
        if isCount { copy.function = .count }
        let value = isCount ? ExpressionBinder.integer(1) : call.arguments[0]
        let chosen = BoundExpression.caseWhen(
            [BoundExpression.CaseBranch(condition: condition, result: value)], otherwise: .constant(.null, value.type),
            value.type)
        copy.arguments = [chosen] + call.arguments.dropFirst()
        return copy
    }
}
