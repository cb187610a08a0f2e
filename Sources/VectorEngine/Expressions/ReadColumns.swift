import QueryPlan
import SQLTypes

extension BoundExpression {
    /// Adds the columns that the expression reads. The plans that the engine makes for itself number some columns below
    /// zero, so that they are nobody else's; a `ColumnSet` holds none of these.
    func collectColumns(into columns: inout Set<ColumnID>) {
        switch self {
        case .column(let id, _): columns.insert(id)
        case .constant, .parameter, .subquery: break
        case .call(_, let arguments, _): for argument in arguments { argument.collectColumns(into: &columns) }
        case .cast(let value, _, _), .not(let value), .isNull(let value): value.collectColumns(into: &columns)
        case .comparison(_, let left, let right):
            left.collectColumns(into: &columns)
            right.collectColumns(into: &columns)
        case .and(let parts), .or(let parts): for part in parts { part.collectColumns(into: &columns) }
        case .caseWhen(let branches, let otherwise, _):
            for branch in branches {
                branch.condition.collectColumns(into: &columns)
                branch.result.collectColumns(into: &columns)
            }
            otherwise.collectColumns(into: &columns)
        case .inList(let value, let members):
            value.collectColumns(into: &columns)
            for member in members { member.collectColumns(into: &columns) }
        }
    }
}
