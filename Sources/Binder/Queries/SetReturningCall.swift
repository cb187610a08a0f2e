import QueryPlan
import SQLSyntax
import SQLTypes

/// A function of FROM in a SELECT list: `SELECT generate_series(1, 3)`. There is a row for each of its rows; several
/// columns are one record, as its text.
struct SetReturningCall {
    let value: BoundExpression
    private let scan: LogicalSystemScan

    /// nil when there is no function of this name in FROM.
    static func bind(
        _ call: FunctionCall, _ arguments: [BoundExpression], _ binder: ExpressionBinder
    ) throws -> BoundExpression? {
        guard [nil, "pg_catalog"].contains(call.name.schema), !call.isStar, call.over == nil,
            let written = try constants(arguments, binder),
            let made = try binder.session.systemRelations.tableFunction(call.name.name, written)
        else { return nil }
        guard binder.clause == .selectList, let computed = binder.computed else {
            throw SQLError(
                .featureNotSupported, "set-returning function \(call.name) is only allowed in the SELECT list and FROM",
                at: call.position)
        }
        binder.session.noteDependence()
        if let present = computed.series {
            guard present.scan.relation == made.name, present.scan.arguments == made.arguments else {
                throw binder.unsupported("more than one set-returning function in the SELECT list", call.position)
            }
            return present.value
        }
        let columns = made.columns.map {
            OutputColumn(id: binder.session.makeColumn(), name: $0.name, type: $0.type)
        }
        let scan = made.scan(alias: call.name.name, columns: columns)
        let series = SetReturningCall(value: try record(columns, binder, at: call.position), scan: scan)
        computed.series = series
        return series.value
    }

    /// nil when an argument's value is known only when the statement runs.
    private static func constants(_ arguments: [BoundExpression], _ binder: ExpressionBinder) throws -> [Datum]? {
        var values: [Datum] = []
        for argument in arguments {
            guard let value = try TableFunctionArgument(binder.session).value(argument) else { return nil }
            values.append(value)
        }
        return values
    }

    /// One column is itself, several are `(a,b)`.
    private static func record(
        _ columns: [OutputColumn], _ binder: ExpressionBinder, at position: SourcePosition
    ) throws -> BoundExpression {
        if columns.count == 1 { return .column(columns[0].id, columns[0].type) }
        let type = SQLType.varchar(SQLType.maximumVarcharLength)
        func constant(_ text: String) -> BoundExpression { .constant(.text(text), .varchar(1)) }
        var parts = [constant("(")]
        for (index, column) in columns.enumerated() {
            if index > 0 { parts.append(constant(",")) }
            let text = try binder.coercion.cast(
                .column(column.id, column.type), to: .varchar(max(column.type.textLength, 1)), .explicit, at: position)
            parts.append(.call(.coalesce, [text, constant("")], text.type))
        }
        parts.append(constant(")"))
        return parts.dropFirst().reduce(parts[0]) { .call(.concatenate, [$0, $1], type) }
    }

    func plan(over input: LogicalPlan) -> LogicalPlan {
        .join(LogicalJoin(kind: .inner, condition: nil, left: input, right: .systemScan(scan)))
    }
}
