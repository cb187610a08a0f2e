import QueryPlan
import SQLSyntax
import SQLTypes

/// Brings both sides of a comparison to one type. Constants bend to the other side wherever that is exact, so that
/// columns are compared as they are stored and zone maps apply.
struct ComparisonBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    private var coercion: Coercion { Coercion(session) }

    /// - Parameter operands: where the two sides stand, for errors about literals.
    func compare(
        _ symbol: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition,
        operands: (SourcePosition, SourcePosition)? = nil
    ) throws -> BoundExpression {
        if let adapted = DateComparison.compare(symbol, left, right) { return adapted }
        guard left.type.family.isComparable, right.type.family.isComparable,
            let sides = try unified(left, right, at: position, operands: operands)
        else {
            throw OperatorError.noOperator(symbol.rawValue, left.type, right.type, at: position)
        }
        if sides.0.type == .semistructured, sides.1.type == .semistructured {
            return SuperComparison.compare(symbol, sides.0, sides.1)
        }
        let keys = Collations(session).keys(sides.0, sides.1)
        return .comparison(symbol, keys.0, keys.1)
    }

    /// nil when the types have no comparison.
    func unified(
        _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition,
        operands: (SourcePosition, SourcePosition)? = nil
    ) throws -> (BoundExpression, BoundExpression)? {
        let (first, second) = (left.type, right.type)
        if first == second && first != .unknown { return (left, right) }
        if first == .unknown && second == .unknown {
            return (try coercion.resolved(left), try coercion.resolved(right))
        }
        if first == .unknown {
            return try leveled(try adapt(left, to: second, at: operands?.0 ?? position), right, at: position)
        }
        if second == .unknown {
            return try leveled(left, try adapt(right, to: first, at: operands?.1 ?? position), at: position)
        }
        if first.isString && second.isString { return (left, right) }
        if first.isInterval && second.isInterval {
            return try IntervalKind(session).compared(left, right, at: position)
        }
        if first.isNumeric && second.isNumeric { return try numeric(left, right, at: position) }
        guard let type = try commonType(first, second) else { return nil }
        return (
            try coercion.converted(left, to: type, at: position),
            try coercion.converted(right, to: type, at: position)
        )
    }

    private func commonType(_ left: SQLType, _ right: SQLType) throws -> SQLType? {
        if let type = CommonType.ofResults(left, right) { return type }
        switch (left, right) {
        case (.boolean, let other) where other.isInteger, (let other, .boolean) where other.isInteger: return .boolean
        case (let text, let other) where text.isString, (let other, let text) where text.isString:
            // Redshift's rule: text meets DECIMAL as a number, everything else as text.
            switch other {
            case .decimal(_, let scale): return .decimal(precision: SQLType.maximumPrecision, scale: scale)
            case .boolean: return .boolean
            case .interval, .yearMonthInterval, .dayTimeInterval: return nil
            default: return .varchar(max(text.textLength, other.textLength))
            }
        default: return nil
        }
    }

    /// An untyped literal or parameter beside a value of `type`.
    private func adapt(
        _ literal: BoundExpression, to type: SQLType, at position: SourcePosition
    ) throws -> BoundExpression {
        switch type {
        case .char, .varchar: return try coercion.resolved(literal)
        case .decimal(let precision, let scale):
            // All digits of the literal count: '0.055' is not 0.06, and 20 digits beside DECIMAL(18, 0) are more.
            guard let own = coercion.shape(ofLiteral: literal),
                own.scale > scale || own.precision - own.scale > precision - scale
            else { break }
            let wide = SQLType.decimal(precision: SQLType.maximumPrecision, scale: max(own.scale, scale))
            return try coercion.cast(literal, to: wide, .implicit, at: position)
        default: break
        }
        return try coercion.cast(literal, to: type, .implicit, at: position)
    }

    /// Decimals of one scale: a literal may have more digits than what it is compared with.
    private func leveled(
        _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> (BoundExpression, BoundExpression) {
        guard left.type.isDecimal, right.type.isDecimal, left.type.scale != right.type.scale else {
            return (left, right)
        }
        return try numeric(left, right, at: position)
    }

    // MARK: Numbers

    private func numeric(
        _ left: BoundExpression, _ right: BoundExpression, at position: SourcePosition
    ) throws -> (BoundExpression, BoundExpression) {
        let (first, second) = (left.type, right.type)
        if first.isInteger && second.isInteger { return (left, right) }
        if first.isFloat || second.isFloat {
            if first.isFloat && second.isFloat { return (left, right) }
            return (
                try coercion.cast(left, to: .double, .implicit, at: position),
                try coercion.cast(right, to: .double, .implicit, at: position)
            )
        }
        if first.scale == second.scale {
            return (try decimal(left, at: position), try decimal(right, at: position))
        }
        if let constant = exact(right, beside: first) { return (left, constant) }
        if let constant = exact(left, beside: second) { return (constant, right) }
        let scale = max(first.scale, second.scale)
        return (try widened(left, to: scale, at: position), try widened(right, to: scale, at: position))
    }

    /// Integers beside decimals of scale 0.
    private func decimal(_ side: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        guard side.type.isInteger, let shape = DecimalRules.shape(of: side.type) else { return side }
        return try coercion.cast(side, to: shape.type, .implicit, at: position)
    }

    /// A constant in the other side's scale, if no digit is lost.
    private func exact(_ side: BoundExpression, beside type: SQLType) -> BoundExpression? {
        guard case .constant(.integer(let value), let own) = side else { return nil }
        let shift = type.scale - own.scale
        var scaled = value
        if shift > 0 {
            guard let power = PowersOfTen.power(shift) else { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: power)
            if overflow { return nil }
            scaled = product
        } else if shift < 0 {
            guard let power = PowersOfTen.power(-shift), value % power == 0 else { return nil }
            scaled = value / power
        }
        if type.isInteger {
            guard let narrow = Int64(exactly: scaled) else { return nil }
            return ExpressionBinder.integer(narrow)
        }
        guard DecimalArithmetic.fits(scaled, precision: SQLType.maximumPrecision) else { return nil }
        var precision = max(String(scaled.magnitude).utf8.count, type.scale)
        if !DecimalArithmetic.fits(scaled, precision: precision) { precision += 1 }
        return .constant(.integer(scaled), .decimal(precision: precision, scale: type.scale))
    }

    private func widened(
        _ side: BoundExpression, to scale: Int, at position: SourcePosition
    ) throws -> BoundExpression {
        guard let shape = DecimalRules.shape(of: side.type) else { return side }
        let precision = shape.precision - shape.scale + scale
        guard precision <= SQLType.maximumPrecision else {
            // The value may have no such form, which the comparison gets along with: it must not be folded here.
            return .cast(side, .decimal(precision: SQLType.maximumPrecision, scale: scale), .implicit)
        }
        return try coercion.cast(side, to: .decimal(precision: precision, scale: scale), .implicit, at: position)
    }
}

/// DATE against TIMESTAMP: a constant becomes a date where that is exact, so that the DATE column needs no cast.
enum DateComparison {
    /// nil when the comparison is another one.
    static func compare(
        _ symbol: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
    ) -> BoundExpression? {
        if left.type == .date, case .constant(.integer(let value), .timestamp) = right {
            return compare(symbol, left, Int64(truncatingIfNeeded: value))
        }
        if right.type == .date, case .constant(.integer(let value), .timestamp) = left {
            return compare(symbol.mirrored, right, Int64(truncatingIfNeeded: value))
        }
        return nil
    }

    private static func compare(
        _ symbol: ComparisonOperator, _ date: BoundExpression, _ moment: Int64
    ) -> BoundExpression? {
        let day = Calendar.day(ofTimestamp: moment)
        let constant = BoundExpression.constant(.integer(Int128(day)), .date)
        if day * Calendar.microsecondsPerDay == moment { return .comparison(symbol, date, constant) }
        // Inside of a day: days up to it lie before, later ones after.
        switch symbol {
        case .less, .lessOrEqual: return .comparison(.lessOrEqual, date, constant)
        case .greater, .greaterOrEqual: return .comparison(.greater, date, constant)
        default: return nil
        }
    }
}

/// Errors about operators and functions that do not exist for some types.
enum OperatorError {
    static let hint =
        "No operator matches the given name and argument type(s). You may need to add explicit type casts."

    static func noOperator(
        _ symbol: String, _ left: SQLType, _ right: SQLType, at position: SourcePosition
    ) -> SQLError {
        SQLError(
            .undefinedFunction,
            "operator does not exist: \(left.nameWithoutModifiers) \(symbol) \(right.nameWithoutModifiers)",
            hint: hint, at: position)
    }

    static func noOperator(_ symbol: String, _ operand: SQLType, at position: SourcePosition) -> SQLError {
        SQLError(
            .undefinedFunction, "operator does not exist: \(symbol) \(operand.nameWithoutModifiers)", hint: hint,
            at: position)
    }

    static func noFunction(_ name: String, _ arguments: [SQLType], at position: SourcePosition) -> SQLError {
        let types = arguments.map(\.nameWithoutModifiers).joined(separator: ", ")
        return SQLError(
            .undefinedFunction, "function \(name)(\(types)) does not exist",
            hint: "No function matches the given name and argument types. You may need to add explicit type casts.",
            at: position)
    }
}
