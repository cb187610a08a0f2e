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
    }

    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    func query(_ query: Query) throws -> BoundQuery {
        if binder.clause == .defaultValue {
            throw SQLError(.featureNotSupported, "cannot use subquery in DEFAULT expression", at: query.position)
        }
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
        for (index, output) in bound.outputs.enumerated() {
            let column = BoundExpression.column(output.id, output.type)
            let compared = try binder.comparison.unified(operands[index], column, at: position)
            guard let (operand, other) = compared else {
                throw OperatorError.noOperator("=", operands[index].type, output.type, at: position)
            }
            operands[index] = operand
            types.append(other.type)
        }
        bound = try binder.queries.coerced(bound, to: types, .implicit, at: position)
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
}
