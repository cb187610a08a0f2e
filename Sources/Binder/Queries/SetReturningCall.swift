import QueryPlan
import SQLSyntax
import SQLTypes

/// A function of FROM in a SELECT list: `SELECT generate_series(1, 3)`. There is a row for each of its rows; several
/// columns are one record, as its text. As in PostgreSQL rows are made at the very end, behind window functions.
struct SetReturningCall {
    let value: BoundExpression
    private let name: String
    private let arguments: [BoundExpression]
    private let rows: Rows

    private enum Rows {
        /// The same ones for each row of the SELECT.
        case constant(LogicalSystemScan)
        /// The SELECT's row decides.
        case varying(VaryingSeries)
    }

    /// nil when there is no function of this name in FROM, or none with such arguments.
    static func bind(
        _ call: FunctionCall, _ arguments: [BoundExpression], _ binder: ExpressionBinder
    ) throws -> BoundExpression? {
        let session = binder.session
        let signatures = session.systemRelations.tableFunctionSignatures(call.name.name)
        let known = TableFunctionArgument(session)
        guard [nil, "pg_catalog"].contains(call.name.schema), !call.isStar, call.over == nil,
            let typed = try known.typed(arguments, for: signatures, at: call.position)
        else { return nil }
        guard binder.clause == .selectList, let computed = binder.computed else {
            throw SQLError(
                .featureNotSupported, "set-returning function \(call.name) is only allowed in the SELECT list and FROM",
                at: call.position)
        }
        session.noteDependence()
        if let present = computed.series {
            guard present.name == call.name.name, present.arguments == typed else {
                throw binder.unsupported("more than one set-returning function in the SELECT list", call.position)
            }
            return present.value
        }
        let made: SetReturningCall
        if let constants = try known.values(typed) {
            guard let function = try session.systemRelations.tableFunction(call.name.name, constants) else {
                return nil
            }
            let columns = function.columns.map {
                OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
            }
            made = SetReturningCall(
                value: try record(columns, binder, at: call.position), name: call.name.name, arguments: typed,
                rows: .constant(function.scan(alias: call.name.name, columns: columns)))
        } else if call.name.name == "generate_series" {
            let series = try VaryingSeries(typed, binder, at: call.position)
            made = SetReturningCall(
                value: series.value, name: call.name.name, arguments: typed, rows: .varying(series))
        } else {
            throw binder.unsupported("\(call.name) of values that are no constants", call.position)
        }
        computed.series = made
        return made.value
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

    /// - Parameter above: what is computed from the rows of the plan; it reads those that are made here instead.
    func plan(over input: LogicalPlan, above: inout [BoundExpression]) throws -> LogicalPlan {
        switch rows {
        case .constant(let scan):
            .join(LogicalJoin(kind: .inner, condition: nil, left: input, right: .systemScan(scan)))
        case .varying(let series): try series.plan(over: input, above: &above)
        }
    }
}
