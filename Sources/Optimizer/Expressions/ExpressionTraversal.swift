import QueryPlan
import SQLTypes

extension BoundExpression {
    /// Calls `body` for every column that the expression reads, with those that its subqueries read from outside.
    func forEachColumn(_ body: (ColumnID) -> Void) {
        forEachColumn(body) { subquery in
            subquery.forEachOperand { $0.forEachColumn(body) }
            subquery.plan.freeColumns.forEach(body)
        }
    }

    var columns: ColumnSet {
        var result = ColumnSet()
        forEachColumn { result.insert($0) }
        return result
    }

    /// The column itself when the expression is nothing else.
    var isTrue: Bool { asConstant == .integer(1) }
    var isFalse: Bool { asConstant == .integer(0) }
    var isNullConstant: Bool { asConstant == .null }
    static let trueConstant = BoundExpression.constant(.integer(1), .boolean)
    static let falseConstant = BoundExpression.constant(.integer(0), .boolean)

    var hasSubquery: Bool {
        if case .subquery = self { return true }
        return anyChild { $0.hasSubquery }
    }

    /// True when two evaluations may differ, so that the expression must be neither moved nor repeated.
    var isVolatile: Bool {
        if case .call(.random, _, _) = self { return true }
        return anyChild { $0.isVolatile }
    }

    /// Whether one of the direct children satisfies `test`. Does not enter subquery plans.
    func anyChild(_ test: (BoundExpression) -> Bool) -> Bool {
        switch self {
        case .column, .constant, .parameter: false
        case .call(_, let arguments, _): arguments.contains(where: test)
        case .cast(let value, _, _), .not(let value), .isNull(let value): test(value)
        case .comparison(_, let left, let right): test(left) || test(right)
        case .and(let items), .or(let items): items.contains(where: test)
        case .caseWhen(let branches, let otherwise, _):
            branches.contains { test($0.condition) || test($0.result) } || test(otherwise)
        case .inList(let value, let items): test(value) || items.contains(where: test)
        case .subquery(let subquery): subquery.operands.contains(where: test)
        }
    }

    /// The same node over transformed children. Subqueries keep their plan, only operands are transformed.
    func mapChildren(_ transform: (BoundExpression) throws -> BoundExpression) rethrows -> BoundExpression {
        switch self {
        case .column, .constant, .parameter: return self
        case .call(let function, let arguments, let type): return .call(function, try arguments.map(transform), type)
        case .cast(let value, let type, let behavior): return .cast(try transform(value), type, behavior)
        case .comparison(let op, let left, let right): return .comparison(op, try transform(left), try transform(right))
        case .and(let items): return .and(try items.map(transform))
        case .or(let items): return .or(try items.map(transform))
        case .not(let value): return .not(try transform(value))
        case .isNull(let value): return .isNull(try transform(value))
        case .caseWhen(let branches, let otherwise, let type):
            let mapped = try branches.map {
                CaseBranch(condition: try transform($0.condition), result: try transform($0.result))
            }
            return .caseWhen(mapped, otherwise: try transform(otherwise), type)
        case .inList(let value, let items): return .inList(try transform(value), try items.map(transform))
        case .subquery(var subquery):
            switch subquery.kind {
            case .scalar, .exists: break
            case .any(let op, let operands): subquery.kind = .any(op, try operands.map(transform))
            case .all(let op, let operands): subquery.kind = .all(op, try operands.map(transform))
            }
            return .subquery(subquery)
        }
    }

    /// Replaces columns; nil from `replacement` keeps one. Enters the plans of subqueries.
    func replacingColumns(_ replacement: (ColumnID) -> BoundExpression?) -> BoundExpression {
        switch self {
        case .column(let id, _): return replacement(id) ?? self
        case .constant, .parameter: return self
        case .subquery:
            guard case .subquery(var subquery) = mapChildren({ $0.replacingColumns(replacement) }) else { return self }
            subquery.plan = subquery.plan.mapExpressionsDeep { $0.replacingColumns(replacement) }
            return .subquery(subquery)
        default: return mapChildren { $0.replacingColumns(replacement) }
        }
    }

    func replacingColumns(_ map: [ColumnID: BoundExpression]) -> BoundExpression {
        map.isEmpty ? self : replacingColumns { map[$0] }
    }

    /// The operands of top-level ANDs.
    var conjuncts: [BoundExpression] {
        var result: [BoundExpression] = []
        appendConjuncts(to: &result)
        return result
    }

    func appendConjuncts(to list: inout [BoundExpression]) {
        if case .and(let items) = self {
            for item in items { item.appendConjuncts(to: &list) }
        } else if !isTrue {
            list.append(self)
        }
    }

    static func conjunction(_ items: [BoundExpression]) -> BoundExpression? {
        items.isEmpty ? nil : items.count == 1 ? items[0] : .and(items)
    }
}

extension BoundSubquery {
    var operands: [BoundExpression] {
        switch kind {
        case .scalar, .exists: []
        case .any(_, let operands), .all(_, let operands): operands
        }
    }
    func forEachOperand(_ body: (BoundExpression) -> Void) { for operand in operands { body(operand) } }
}
