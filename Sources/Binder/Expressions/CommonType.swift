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
        var literals: [[UInt8]] = []
        for expression in expressions {
            if expression.type == .unknown {
                if case .constant(.string(let bytes), _) = expression { literals.append(bytes) }
                continue
            }
            guard let common = ofResults(result, expression.type) else { return nil }
            result = common
        }
        let longest = literals.map(\.count).max() ?? 0
        switch result {
        case .unknown: return longest > 0 ? .varchar(longest) : .text
        case .char(let length):
            let size = max(longest, length)
            let isPlain = literals.allSatisfy { $0.allSatisfy { $0 < 0x80 } }
            return isPlain && size <= SQLType.maximumCharLength
                ? .char(size) : .varchar(min(size, SQLType.maximumVarcharLength))
        case .varchar(let length): return .varchar(min(max(longest, length), SQLType.maximumVarcharLength))
        case .decimal: return literals.reduce(result, wide)
        default: return result
        }
    }

    /// The decimal with room for a quoted number's digits.
    private static func wide(_ type: SQLType, _ literal: [UInt8]) -> SQLType {
        let own = literal.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { DecimalText.shape($0, buffer.count) }
        }
        guard let own, let shape = DecimalRules.shape(of: type),
            own.scale > shape.scale || own.precision - own.scale > shape.precision - shape.scale
        else { return type }
        return DecimalRules.union(shape, own).type
    }
}
