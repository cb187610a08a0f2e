import QueryPlan
import SQLTypes

/// Rewrites one expression to an equivalent, usually smaller one. All rules hold in three-valued logic.
enum ExpressionSimplifier {
    static func simplify(_ expression: BoundExpression) -> BoundExpression {
        switch expression {
        case .column, .constant, .parameter, .subquery: return expression
        case .not(let inner): return negate(inner)
        case .and(let items): return conjunction(items.map(simplify))
        case .or(let items): return disjunction(items.map(simplify))
        default: break
        }
        let node = expression.mapChildren(simplify)
        switch node {
        case .call(let function, let arguments, let type):
            if let value = ConstantFolding.value(of: function, arguments, type) { return .constant(value, type) }
            return node
        case .cast(let value, let type, _): return ConstantCast.fold(value, to: type) ?? node
        case .comparison(let op, let left, let right): return comparison(op, left, right)
        case .isNull(let value):
            if let constant = value.asConstant { return .constant(.boolean(constant.isNull), .boolean) }
            return node
        case .inList(let value, let items): return inList(value, items)
        case .caseWhen(let branches, let otherwise, let type): return caseWhen(branches, otherwise, type)
        default: return node
        }
    }

    /// The simplified NOT of an expression that is not simplified yet.
    private static func negate(_ inner: BoundExpression) -> BoundExpression {
        switch inner {
        case .not(let value): return simplify(value)
        case .and(let items): return disjunction(items.map(negate))
        case .or(let items): return conjunction(items.map(negate))
        case .comparison(let op, let left, let right):
            return simplify(.comparison(op.negated, left, right))
        default: break
        }
        let simple = simplify(inner)
        switch simple {
        case .not(let value): return value
        case .and, .or: return simple == inner ? .not(simple) : negate(simple)
        case .comparison(let op, let left, let right): return comparison(op.negated, left, right)
        case .constant(let value, _):
            if value.isNull { return .constant(.null, .boolean) }
            return value == .integer(0) ? .trueConstant : .falseConstant
        default: return .not(simple)
        }
    }

    static func conjunction(_ items: [BoundExpression]) -> BoundExpression {
        var list = ExpressionList(capacity: items.count)
        for item in items {
            if case .and(let nested) = item {
                for inner in nested { list.append(inner) }
            } else if item.isFalse {
                return .falseConstant
            } else if !item.isTrue {
                list.append(item)
            }
        }
        return list.items.isEmpty ? .trueConstant : list.items.count == 1 ? list.items[0] : .and(list.items)
    }

    static func disjunction(_ items: [BoundExpression]) -> BoundExpression {
        var list = ExpressionList(capacity: items.count)
        for item in items {
            if case .or(let nested) = item {
                for inner in nested { list.append(inner) }
            } else if item.isTrue {
                return .trueConstant
            } else if !item.isFalse {
                list.append(item)
            }
        }
        if list.items.isEmpty { return .falseConstant }
        if list.items.count == 1 { return list.items[0] }
        let merged = mergedEqualities(list.items)
        return merged.count == 1 ? merged[0] : factored(merged)
    }

    /// `(a AND x) OR (a AND y)` -> `a AND (x OR y)`.
    private static func factored(_ branches: [BoundExpression]) -> BoundExpression {
        var common = branches[0].conjuncts.filter { !$0.isVolatile }
        for branch in branches.dropFirst() where !common.isEmpty {
            let list = ExpressionList(branch.conjuncts)
            common = common.filter { list.contains($0) }
        }
        guard !common.isEmpty else { return .or(branches) }
        let shared = ExpressionList(common)
        var rests: [BoundExpression] = []
        for branch in branches {
            let rest = branch.conjuncts.filter { !shared.contains($0) }
            // A branch without a rest makes the whole OR equal to the common part.
            guard let part = BoundExpression.conjunction(rest) else { return conjunction(common) }
            rests.append(part)
        }
        return conjunction(common + [disjunction(rests)])
    }

    /// `x = 1 OR x = 2 OR x IN (3)` -> `x IN (1, 2, 3)`.
    private static func mergedEqualities(_ branches: [BoundExpression]) -> [BoundExpression] {
        var result: [BoundExpression] = []
        var slots: [(subject: BoundExpression, members: ExpressionList, index: Int)] = []
        var known: [BoundExpression: Int] = [:]
        for branch in branches {
            guard let (subject, members) = equalityMembers(branch) else {
                result.append(branch)
                continue
            }
            let slot: Int
            if let last = slots.indices.last, slots[last].subject == subject {
                slot = last
            } else if let found = known[subject] {
                slot = found
            } else {
                known[subject] = slots.count
                slots.append((subject, ExpressionList(members), result.count))
                result.append(branch)
                continue
            }
            for member in members { slots[slot].members.append(member) }
        }
        for slot in slots where slot.members.items.count > 1 {
            result[slot.index] = .inList(slot.subject, slot.members.items)
        }
        return result
    }

    private static func equalityMembers(_ branch: BoundExpression) -> (BoundExpression, [BoundExpression])? {
        switch branch {
        case .comparison(.equal, let subject, let member):
            guard member.asConstant != nil, subject.asConstant == nil, !subject.isVolatile else { return nil }
            return (subject, [member])
        case .inList(let subject, let members):
            guard members.allSatisfy({ $0.asConstant != nil }), !subject.isVolatile else { return nil }
            return (subject, members)
        default: return nil
        }
    }

    static func comparison(_ op: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression)
        -> BoundExpression
    {
        if case .constant(let a, let first) = left {
            if case .constant(let b, let second) = right, first.scale == second.scale,
                let value = ConstantComparison.compare(op, a, b, trims: !first.family.isBinaryString)
            {
                return .constant(value, .boolean)
            }
            return right.asConstant == nil ? comparison(op.mirrored, right, left) : .comparison(op, left, right)
        }
        if right.isNullConstant {
            switch op {
            case .notDistinctFrom: return .isNull(left)
            case .distinctFrom: return .not(.isNull(left))
            default: return .constant(.null, .boolean)
            }
        }
        return ConstantCast.unwrapped(op, left, right) ?? .comparison(op, left, right)
    }

    private static func inList(_ value: BoundExpression, _ items: [BoundExpression]) -> BoundExpression {
        if items.count == 1 { return comparison(.equal, value, items[0]) }
        if items.count > 64 { return .inList(value, items) }
        let list = ExpressionList(items).items
        return list.count == 1 ? comparison(.equal, value, list[0]) : .inList(value, list)
    }

    private static func caseWhen(
        _ branches: [BoundExpression.CaseBranch], _ otherwise: BoundExpression, _ type: SQLType
    ) -> BoundExpression {
        var kept: [BoundExpression.CaseBranch] = []
        for branch in branches {
            if branch.condition.isFalse || branch.condition.isNullConstant { continue }
            if branch.condition.isTrue {
                return kept.isEmpty ? branch.result : .caseWhen(kept, otherwise: branch.result, type)
            }
            kept.append(branch)
        }
        return kept.isEmpty ? otherwise : .caseWhen(kept, otherwise: otherwise, type)
    }
}
