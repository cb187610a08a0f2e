import QueryPlan
import SQLSyntax
import SQLTypes

extension ExpressionBinder {
    func bindScalarSubquery(_ node: ScalarSubquery) throws -> BoundExpression {
        let bound = try SubqueryBinder(self).query(node.query)
        guard bound.outputs.count == 1 else {
            throw SQLError(.syntaxError, "subquery must return only one column", at: node.position)
        }
        return .subquery(
            BoundSubquery(
                kind: .scalar, plan: bound.plan, outputs: bound.outputs, outerColumns: bound.outerColumns,
                type: bound.outputs[0].type))
    }

    func bindExists(_ node: ExistsExpression) throws -> BoundExpression {
        let bound = try SubqueryBinder(self).query(node.query)
        return .subquery(
            BoundSubquery(
                kind: .exists, plan: bound.plan, outputs: bound.outputs, outerColumns: bound.outerColumns,
                type: .boolean))
    }

    func bindInQuery(_ node: InQueryExpression) throws -> BoundExpression {
        let bound = try SubqueryBinder(self).quantified(.any(.equal), node.value, node.query, at: node.position)
        return node.negated ? .not(bound) : bound
    }

    func bindQuantified(_ node: QuantifiedExpression) throws -> BoundExpression {
        guard case .query(let query) = node.operand else { return try CatalogForms(self).quantified(node) }
        guard let symbol = ComparisonOperator(node.symbol) else {
            throw unsupported("\(node.symbol.rawValue) \(node.quantifier.rawValue) (subquery)", node.position)
        }
        let quantifier: SubqueryBinder.Quantifier = node.quantifier == .any ? .any(symbol) : .all(symbol)
        return try SubqueryBinder(self).quantified(quantifier, node.value, query, at: node.position)
    }
}

/// Subqueries inside expressions: bound in a scope that sees this one.
struct SubqueryBinder {
    enum Quantifier {
        case any(ComparisonOperator)
        case all(ComparisonOperator)

        /// Not equality, but which side is less.
        var isOrder: Bool {
            switch self {
            case .any(let symbol), .all(let symbol):
                switch symbol {
                case .less, .lessOrEqual, .greater, .greaterOrEqual: true
                case .equal, .notEqual, .distinctFrom, .notDistinctFrom: false
                }
            }
        }
    }

    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    func query(_ query: Query) throws -> BoundQuery {
        if binder.clause == .defaultValue {
            throw SQLError(.featureNotSupported, "cannot use subquery in DEFAULT expression", at: query.position)
        }
        let known = binder.scope.openBinder
        binder.scope.openBinder = binder
        defer { binder.scope.openBinder = known }
        return try binder.queries.bind(query, parent: binder.scope, commonTables: binder.scope.commonTables)
    }

    /// `value op ANY/ALL (query)`: both sides are brought to the same types.
    func quantified(
        _ quantifier: Quantifier, _ value: Expression, _ query: Query, at position: SourcePosition
    ) throws -> BoundExpression {
        var operands: [BoundExpression]
        if case .row(let row) = value {
            operands = try row.elements.map { try binder.bind($0) }
        } else {
            operands = [try binder.bind(value)]
        }
        var bound = try self.query(query)
        guard bound.outputs.count == operands.count else {
            let few = bound.outputs.count < operands.count
            throw SQLError(.syntaxError, "subquery has too \(few ? "few" : "many") columns", at: position)
        }
        var types: [SQLType] = []
        var insensitive: Set<Int> = []
        for (index, output) in bound.outputs.enumerated() {
            let column = BoundExpression.column(output.id, output.type)
            guard operands[index].type.family.isComparable, output.type.family.isComparable else {
                throw OperatorError.noOperator("=", operands[index].type, output.type, at: position)
            }
            let compared = try binder.comparison.unified(operands[index], column, at: position)
            guard let (operand, other) = compared else {
                throw OperatorError.noOperator("=", operands[index].type, output.type, at: position)
            }
            if other.type == .semistructured, quantifier.isOrder {
                throw SQLError(
                    .featureNotSupported, "quantified comparisons of SUPER by order are not supported",
                    hint: "Cast both sides to an ordinary type.", at: position)
            }
            operands[index] = operand
            types.append(other.type)
            if Collations(binder.session).isInsensitive(operand, other) { insensitive.insert(index) }
        }
        bound = try binder.queries.coerced(bound, to: types, .implicit, at: position)
        if !insensitive.isEmpty { folded(&operands, &bound, at: insensitive) }
        if operands.count > 1, let rows = try comparedRows(quantifier, operands, bound, at: position) { return rows }
        let kind: BoundSubquery.Kind
        switch quantifier {
        case .any(let symbol): kind = .any(symbol, operands)
        case .all(let symbol): kind = .all(symbol, operands)
        }
        return .subquery(
            BoundSubquery(
                kind: kind, plan: bound.plan, outputs: bound.outputs, outerColumns: bound.outerColumns,
                type: .boolean))
    }

    /// Texts that ignore the case are compared by their lower case on both sides.
    private func folded(_ operands: inout [BoundExpression], _ query: inout BoundQuery, at places: Set<Int>) {
        let collations = Collations(binder.session)
        var columns: [ProjectedColumn] = []
        for (index, output) in query.outputs.enumerated() {
            let column = BoundExpression.column(output.id, output.type)
            guard places.contains(index) else {
                if !columns.contains(where: { $0.id == output.id }) {
                    columns.append(ProjectedColumn(id: output.id, expression: column))
                }
                continue
            }
            operands[index] = collations.folded(operands[index])
            let key = collations.folded(column)
            query.outputs[index].id = binder.session.makeColumn()
            query.outputs[index].type = key.type
            columns.append(ProjectedColumn(id: query.outputs[index].id, expression: key))
        }
        query.plan = .project(columns, query.plan)
    }

    /// Rows by anything but equality are no conjunction of comparisons by element: each row of the query says whether
    /// its comparison holds, and the quantifier asks those answers. nil where elements will do.
    private func comparedRows(
        _ quantifier: Quantifier, _ operands: [BoundExpression], _ query: BoundQuery, at position: SourcePosition
    ) throws -> BoundExpression? {
        let symbol: ComparisonOperator
        switch quantifier {
        case .any(.equal), .all(.notEqual): return nil
        case .any(let other), .all(let other): symbol = other
        }
        let elements = query.outputs.map { BoundExpression.column($0.id, $0.type) }
        let comparison = try RowComparison(binder).compare(symbol, operands, elements, at: position)
        let answer = OutputColumn(id: binder.session.makeColumn(), name: "answer", type: .boolean)
        var outer = query.outerColumns
        for operand in operands {
            operand.forEachOuterColumn { id, type in
                if !outer.contains(where: { $0.id == id }) { outer.append(OutputColumn(id: id, name: "", type: type)) }
            }
        }
        let holds = BoundExpression.constant(.boolean(true), .boolean)
        let kind: BoundSubquery.Kind
        switch quantifier {
        case .any: kind = .any(.equal, [holds])
        case .all: kind = .all(.equal, [holds])
        }
        return .subquery(
            BoundSubquery(
                kind: kind, plan: .project([ProjectedColumn(id: answer.id, expression: comparison)], query.plan),
                outputs: [answer], outerColumns: outer, type: .boolean))
    }
}

extension BoundExpression {
    /// The columns that the expression reads where it stands, subqueries' outer ones included.
    func forEachOuterColumn(_ body: (ColumnID, SQLType) -> Void) {
        switch self {
        case .column(let id, let type): body(id, type)
        case .subquery(let subquery): for column in subquery.outerColumns { body(column.id, column.type) }
        default: break
        }
        _ = mapChildren { child in
            child.forEachOuterColumn(body)
            return child
        }
    }
}
