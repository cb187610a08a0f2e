/// Operators with two operands. AND and OR are not here: they are n-ary nodes of their own.
package enum BinaryOperator: String, Sendable, Hashable {
    case add = "+", subtract = "-", multiply = "*", divide = "/", modulo = "%", power = "^"
    case concatenate = "||"
    case bitAnd = "&", bitOr = "|", bitXor = "#", shiftLeft = "<<", shiftRight = ">>"
    case equal = "=", notEqual = "<>", less = "<", lessOrEqual = "<=", greater = ">", greaterOrEqual = ">="
    case matches = "~", matchesIgnoringCase = "~*", notMatches = "!~", notMatchesIgnoringCase = "!~*"
    /// The `LIKE` family; binary expressions have it only behind ANY/ALL, `a ~~ b` is a ``LikeExpression``.
    case like = "LIKE", notLike = "NOT LIKE", caseInsensitiveLike = "ILIKE", notCaseInsensitiveLike = "NOT ILIKE"

    var likeKind: (kind: LikeExpression.Kind, negated: Bool)? {
        switch self {
        case .like: (.like, false)
        case .notLike: (.like, true)
        case .caseInsensitiveLike: (.caseInsensitiveLike, false)
        case .notCaseInsensitiveLike: (.caseInsensitiveLike, true)
        default: nil
        }
    }

    package var isComparison: Bool {
        switch self {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }
}

package enum UnaryOperator: String, Sendable, Hashable {
    case plus = "+", minus = "-", bitNot = "~", absolute = "@", squareRoot = "|/", cubeRoot = "||/"
    case not = "NOT"
    /// `PRIOR x` inside CONNECT BY.
    case prior = "PRIOR"
}
