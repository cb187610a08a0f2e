import QueryPlan
import SQLSyntax
import SQLTypes

/// VALUES as a query. INSERT has a way of its own that knows the target's types.
extension QueryBinder {
    func bindValues(_ values: ValuesBody, parent: Scope?, commonTables: CommonTableScope?) throws -> BoundQuery {
        let scope = Scope(parent: parent, commonTables: commonTables)
        let binder = ExpressionBinder(session, scope, clause: .values)
        let width = values.rows.first?.count ?? 0
        var rows: [[BoundExpression]] = []
        for row in values.rows {
            guard row.count == width else {
                throw SQLError(.syntaxError, "VALUES lists must all be the same length", at: values.position)
            }
            rows.append(try row.map { try binder.bind($0) })
        }
        var columns: [OutputColumn] = []
        for index in 0..<width {
            let type = try commonType(of: rows, index, at: values.position)
            columns.append(OutputColumn(id: session.makeColumn(), name: "column\(index + 1)", type: type))
        }
        let collations = Collations(session)
        for (index, column) in columns.enumerated() where column.type.isString {
            collations.note(column.id, like: rows.map { $0[index] })
        }
        let coercion = Coercion(session)
        let typed = try rows.map { row in
            try zip(row, columns).map { try coercion.cast($0, to: $1.type, .implicit, at: values.position) }
        }
        return BoundQuery(
            plan: .values(LogicalValues(columns: columns, rows: typed)), outputs: columns,
            outerColumns: scope.outerColumns)
    }

    private func commonType(of rows: [[BoundExpression]], _ index: Int, at position: SourcePosition) throws -> SQLType {
        var type = SQLType.unknown
        for row in rows {
            guard let common = CommonType.ofResults(type, row[index].type) else {
                throw SQLError(
                    .datatypeMismatch,
                    "VALUES types \(type.nameWithoutModifiers) and \(row[index].type.nameWithoutModifiers) "
                        + "cannot be matched", at: position)
            }
            type = common
        }
        return type == .unknown ? .text : type
    }
}
