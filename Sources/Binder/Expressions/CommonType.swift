import QueryPlan
import SQLTypes

/// The type in which values of different types meet in one result: CASE, COALESCE, IN, set operations, VALUES.
enum CommonType {
    /// nil when the types are of different categories.
    static func ofResults(_ left: SQLType, _ right: SQLType) -> SQLType? {
        CastRules.commonType(left, right)
    }

    static func widerInteger(_ left: SQLType, _ right: SQLType) -> SQLType {
        rank(left) >= rank(right) ? left : right
    }

    private static func rank(_ type: SQLType) -> Int {
        switch type {
        case .smallint: 0
        case .integer: 1
        default: 2
        }
    }

    /// Of several expressions; untyped string literals among strings count with their lengths. nil: no common type.
    static func of(_ expressions: [BoundExpression]) -> SQLType? {
        var result = SQLType.unknown
        var longest = 0
        for expression in expressions {
            if expression.type == .unknown {
                if case .constant(.string(let bytes), _) = expression { longest = max(longest, bytes.count) }
                continue
            }
            guard let common = ofResults(result, expression.type) else { return nil }
            result = common
        }
        switch result {
        case .unknown: return longest > 0 ? .varchar(longest) : .text
        case .char(let length), .varchar(let length):
            if longest <= length { return result }
            if case .char = result, longest <= SQLType.maximumCharLength { return .char(longest) }
            return .varchar(min(longest, SQLType.maximumVarcharLength))
        default: return result
        }
    }
}
