/// Precision and scale of DECIMAL results, by Redshift's rules for computations with numeric values.
public enum DecimalRules {
    public struct Shape: Hashable, Sendable {
        public var precision: Int
        public var scale: Int
        public init(precision: Int, scale: Int) {
            self.precision = precision
            self.scale = scale
        }
        public var type: SQLType { .decimal(precision: precision, scale: scale) }
        var integerDigits: Int { precision - scale }
    }

    private static let maximum = SQLType.maximumPrecision
    /// Division keeps at least so many digits after the point.
    private static let minimumDivisionScale = 4

    /// The shape of a numeric operand in decimal arithmetic; nil for types that do not take part.
    public static func shape(of type: SQLType) -> Shape? {
        switch type {
        case .smallint: Shape(precision: 5, scale: 0)
        case .integer: Shape(precision: 10, scale: 0)
        case .bigint: Shape(precision: 19, scale: 0)
        case .decimal(let precision, let scale): Shape(precision: precision, scale: scale)
        default: nil
        }
    }

    /// `+` and `-`.
    public static func addition(_ left: Shape, _ right: Shape) -> Shape {
        let scale = max(left.scale, right.scale)
        let precision = max(left.integerDigits, right.integerDigits) + 1 + scale
        return Shape(precision: min(precision, maximum), scale: min(scale, maximum))
    }

    public static func multiplication(_ left: Shape, _ right: Shape) -> Shape {
        Shape(
            precision: min(left.precision + right.precision + 1, maximum),
            scale: min(left.scale + right.scale, maximum))
    }

    public static func division(_ left: Shape, _ right: Shape) -> Shape {
        let scale = max(minimumDivisionScale, left.scale + right.precision - right.scale + 1)
        let precision = left.precision - left.scale + right.scale + scale
        if precision <= maximum { return Shape(precision: precision, scale: scale) }
        return Shape(precision: maximum, scale: max(maximum + scale - precision, minimumDivisionScale))
    }

    /// `%` and MOD: never larger than the divisor, never finer than the finer operand.
    public static func remainder(_ left: Shape, _ right: Shape) -> Shape {
        let scale = max(left.scale, right.scale)
        let precision = max(min(left.integerDigits, right.integerDigits), 0) + scale
        return Shape(precision: min(max(precision, 1), maximum), scale: scale)
    }

    /// Set operations, CASE, COALESCE, DECODE.
    public static func union(_ left: Shape, _ right: Shape) -> Shape {
        if left == right { return left }
        let scale = max(left.scale, right.scale)
        let wide = max(left.precision, right.precision) > 19
        let precision = min(max(left.integerDigits, right.integerDigits) + scale, wide ? maximum : 19)
        return Shape(precision: max(precision, scale, 1), scale: scale)
    }
}
