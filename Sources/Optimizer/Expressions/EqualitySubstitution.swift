import QueryPlan
import SQLTypes

/// Where a column may stand for another that is equal to it. SQL's equality is not sameness: `'x' = 'x '`, `1 = 1.00`,
/// `0.0 = -0.0`, and two forms of an instant may differ in their zones. Only for types whose equal values are the same
/// value may any expression take the other column; otherwise what it asks must itself go by equality and order.
enum EqualitySubstitution {
    /// The condition with `replacement` for `id`; nil where it could say something else of it.
    static func replaced(
        _ condition: BoundExpression, _ id: ColumnID, _ type: SQLType, by replacement: (id: ColumnID, type: SQLType)
    ) -> BoundExpression? {
        let isSame = type == replacement.type && type.family.equalIsSame
        guard !condition.isVolatile, isSame || asksByOrder(condition, id) else { return nil }
        return condition.replacingColumns { $0 == id ? .column(replacement.id, replacement.type) : nil }
    }

    /// Comparisons of the bare column with constants, and what is made of such.
    private static func asksByOrder(_ condition: BoundExpression, _ id: ColumnID) -> Bool {
        switch condition {
        case .column(let column, _): return column != id
        case .constant, .parameter: return true
        case .comparison(_, let left, let right):
            return isBare(left, id) && isFree(right, id) || isBare(right, id) && isFree(left, id)
                || isFree(left, id) && isFree(right, id)
        case .and(let parts), .or(let parts): return parts.allSatisfy { asksByOrder($0, id) }
        case .not(let inner): return asksByOrder(inner, id)
        case .isNull(let inner): return isBare(inner, id) || isFree(inner, id)
        case .inList(let value, let members):
            return (isBare(value, id) || isFree(value, id)) && members.allSatisfy { isFree($0, id) }
        case .call, .cast, .caseWhen: return isFree(condition, id)
        case .subquery: return false
        }
    }

    private static func isBare(_ expression: BoundExpression, _ id: ColumnID) -> Bool { expression.asColumn == id }
    private static func isFree(_ expression: BoundExpression, _ id: ColumnID) -> Bool {
        !expression.columns.contains(id)
    }
}
