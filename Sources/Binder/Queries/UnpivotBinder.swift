import QueryPlan
import SQLSyntax
import SQLTypes

/// `t UNPIVOT (v FOR n IN (a AS 'x', b))`: a row for each listed column, with the column's value and its name; the
/// other columns are repeated.
struct UnpivotBinder {
    let from: FromBinder

    private var session: BindingSession { from.session }

    func bind(_ unpivot: UnpivotTable) throws -> FromItem {
        let source = try from.bind(unpivot.source)
        let scope = Scope(parent: from.scope.parent, commonTables: from.scope.commonTables)
        scope.setColumns(source.relations, source.visible)
        let binder = ExpressionBinder(session, scope, clause: .values)
        let columns = try unpivot.columns.map { try binder.bind(.name(ObjectName($0.name))) }
        guard let type = CommonType.of(columns) else {
            throw SQLError(.datatypeMismatch, "UNPIVOT columns have no common type", at: unpivot.position)
        }
        let labels = try unpivot.columns.map { try label($0, binder) }
        guard let labelType = CommonType.of(labels) else {
            throw SQLError(.datatypeMismatch, "UNPIVOT names have no common type", at: unpivot.position)
        }
        let coercion = Coercion(session)
        let place = OutputColumn(id: session.makeColumn(), name: "", type: .integer)
        let value = try choice(
            columns.map { try coercion.cast($0, to: type, .implicit, at: unpivot.position) }, by: place, type)
        let name = try choice(
            labels.map { try coercion.cast($0, to: labelType, .implicit, at: unpivot.position) }, by: place, labelType)
        let used = Set(columns.compactMap(\.asColumn))
        var outputs = source.visible.map(\.column).filter { !used.contains($0.id) }.map {
            OutputColumn(id: $0.id, name: $0.name, type: $0.type)
        }
        var projected = outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }
        for (expression, title) in [(name, unpivot.labelName), (value, unpivot.valueName)] {
            let id = session.makeColumn()
            projected.append(ProjectedColumn(id: id, expression: expression))
            Collations(session).note(id, like: expression)
            outputs.append(OutputColumn(id: id, name: title.text, type: expression.type))
        }
        var plan = LogicalPlan.project(projected, repeated(source.plan, place, columns.count))
        if !unpivot.includesNulls, let last = outputs.last {
            plan = .filter(.not(.isNull(.column(last.id, last.type))), plan)
        }
        return try from.item(
            BoundQuery(plan: plan, outputs: outputs), alias: unpivot.alias, name: "", schema: nil, unpivot.position)
    }

    /// The rows, once for each number from 1 to the count.
    private func repeated(_ plan: LogicalPlan, _ place: OutputColumn, _ count: Int) -> LogicalPlan {
        let numbers = (0..<count).map { [ExpressionBinder.integer(Int64($0 + 1))] }
        let values = LogicalPlan.values(LogicalValues(columns: [place], rows: numbers))
        return .join(LogicalJoin(kind: .inner, condition: nil, left: plan, right: values))
    }

    private func choice(_ values: [BoundExpression], by place: OutputColumn, _ type: SQLType) -> BoundExpression {
        let branches = values.dropLast().enumerated().map { index, value in
            BoundExpression.CaseBranch(
                condition: .comparison(
                    .equal, .column(place.id, place.type), ExpressionBinder.integer(Int64(index + 1))), result: value)
        }
        let last = values.last ?? .constant(.null, type)
        return branches.isEmpty ? last : .caseWhen(branches, otherwise: last, type)
    }

    private func label(_ column: UnpivotTable.Column, _ binder: ExpressionBinder) throws -> BoundExpression {
        guard let written = column.label else { return .constant(.text(column.name.text), .unknown) }
        // A bare word is the name itself.
        if case .name(let name) = written, name.parts.count == 1 { return .constant(.text(name.name), .unknown) }
        let bound = try binder.bind(written)
        guard bound.asConstant != nil else {
            throw SQLError(.syntaxError, "UNPIVOT needs constants behind AS", at: written.position)
        }
        return bound
    }
}
