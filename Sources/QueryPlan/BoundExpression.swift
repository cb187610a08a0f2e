import SQLTypes

/// Comparison operators. Strings compare without trailing blanks, NULL makes NULL except for the `DISTINCT` forms.
package enum ComparisonOperator: String, Sendable {
    case equal = "=", notEqual = "<>", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case distinctFrom = "IS DISTINCT FROM", notDistinctFrom = "IS NOT DISTINCT FROM"

    package var mirrored: ComparisonOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual, .distinctFrom, .notDistinctFrom: self
        }
    }
    package var negated: ComparisonOperator {
        switch self {
        case .equal: .notEqual
        case .notEqual: .equal
        case .less: .greaterOrEqual
        case .lessOrEqual: .greater
        case .greater: .lessOrEqual
        case .greaterOrEqual: .less
        case .distinctFrom: .notDistinctFrom
        case .notDistinctFrom: .distinctFrom
        }
    }
}

/// An expression with every name and type resolved; the binder has inserted all casts:
/// - both sides of a comparison, all results of a CASE and all members of an IN list have the same type up to length
/// and
///   integer width (decimals: the same scale);
/// - `call` arguments have exactly the types that the function's signature asks for.
package indirect enum BoundExpression: Hashable, Sendable {
    case column(ColumnID, SQLType)
    case constant(Datum, SQLType)
    /// `$n` of a prepared statement, zero-based.
    case parameter(Int, SQLType)
    case call(ScalarFunction, [BoundExpression], SQLType)
    /// `CAST` when explicit (silently cuts strings), an implicit or assignment cast otherwise; `orNull` for TRY_CAST.
    case cast(BoundExpression, SQLType, CastBehavior)
    case comparison(ComparisonOperator, BoundExpression, BoundExpression)
    case and([BoundExpression])
    case or([BoundExpression])
    case not(BoundExpression)
    case isNull(BoundExpression)
    /// Searched CASE; a simple CASE is bound to comparisons.
    case caseWhen([CaseBranch], otherwise: BoundExpression, SQLType)
    /// `value IN (list)`; NOT IN is `not(inList)`. Members are constants or any expression.
    case inList(BoundExpression, [BoundExpression])
    /// Only between binder and unnesting.
    case subquery(BoundSubquery)

    package struct CaseBranch: Hashable, Sendable {
        package var condition: BoundExpression
        package var result: BoundExpression
        package init(condition: BoundExpression, result: BoundExpression) {
            self.condition = condition
            self.result = result
        }
    }
    package enum CastBehavior: Hashable, Sendable {
        case implicit
        case assignment
        case explicit
        case orNull
    }

    package var asColumn: ColumnID? { if case .column(let id, _) = self { id } else { nil } }
    package var asConstant: Datum? { if case .constant(let value, _) = self { value } else { nil } }

    package var type: SQLType {
        switch self {
        case .column(_, let type), .constant(_, let type), .parameter(_, let type), .call(_, _, let type),
            .cast(_, let type, _), .caseWhen(_, _, let type):
            type
        case .comparison, .and, .or, .not, .isNull, .inList: .boolean
        case .subquery(let subquery): subquery.type
        }
    }
}

/// A subquery inside an expression. Its plan may use columns of enclosing queries (`outerColumns`).
package struct BoundSubquery: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The one value of `plan`'s first output; more than one row is error 21000, no row is NULL.
        case scalar
        case exists
        /// `operands op ANY/ALL (subquery)`, compared with the plan's outputs position by position; IN is `= ANY`.
        case any(ComparisonOperator, [BoundExpression])
        case all(ComparisonOperator, [BoundExpression])
    }
    package var kind: Kind
    package var plan: LogicalPlan
    package var outputs: [OutputColumn]
    /// Columns of enclosing queries that the plan refers to, in order of first use.
    package var outerColumns: [OutputColumn]
    package var type: SQLType
    package init(
        kind: Kind, plan: LogicalPlan, outputs: [OutputColumn], outerColumns: [OutputColumn], type: SQLType
    ) {
        self.kind = kind
        self.plan = plan
        self.outputs = outputs
        self.outerColumns = outerColumns
        self.type = type
    }
}
