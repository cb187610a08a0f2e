import QueryPlan
import SQLTypes

extension Pipeline {
    /// CAST. Integer, decimal and float widening are vector steps or nothing at all; the rest are kernels.
    func cast(
        _ expression: BoundExpression, to type: SQLType, _ behavior: BoundExpression.CastBehavior
    ) throws -> Register {
        let value = try compile(expression)
        let from = value.type
        if from == type { return value }
        if value.constant == .null { return constant(.null, type) }
        switch (from, type) {
        case (_, .double) where from.isInteger || from.isDecimal: return relabeled(try toDouble(value), type)
        case (.real, .double): return relabeled(value, type)
        case (.boolean, _) where type.isInteger: return relabeled(value, type)
        default: break
        }
        if value.isInteger && (from.isInteger || from.isDecimal) && (type.isInteger || type.isDecimal)
            && behavior != .orNull && type.scale >= from.scale
        {
            return try scaleUp(value, to: type)
        }
        if from.isDecimal && (type.isInteger || type.isDecimal) && behavior != .orNull,
            let rounded = rounded(value, dropping: from.scale - type.scale, appending: 0, .nearest, type)
        {
            return rounded
        }
        if from == .date && type == .timestamp && value.isInteger {
            return try arithmetic(.multiply, value, constant(.integer(86_400_000_000), .bigint), type)
        }
        if from == .timestamp && type == .date, let day = day(of: value) { return day }
        if lengthFits(from, type) { return relabeled(value, type) }
        return try callKernel(CastKernels.kernel(from: from, to: type, behavior: behavior), [value], type)
    }

    private func scaleUp(_ value: Register, to type: SQLType) throws -> Register {
        let scaled = try rescaled(value, by: type.scale - value.type.scale)
        let bounds = type.valueBounds
        let output = relabeled(scaled, type)
        if scaled.lower >= bounds.lower && scaled.upper <= bounds.upper { return output }
        // The check may rewrite rows that do not count, so it must not do so in somebody else's memory.
        let checked = makeRegister(
            type, type.physical.rawValue > scaled.physical.rawValue ? type.physical : scaled.physical,
            lower: Swift.max(bounds.lower, scaled.lower), upper: Swift.min(bounds.upper, scaled.upper),
            nullable: scaled.nullable)
        emit(Widen(output, checked))
        emit(RangeCheck(checked, type, guardRegister))
        return checked
    }

    /// Strings that need no shortening.
    private func lengthFits(_ from: SQLType, _ to: SQLType) -> Bool {
        switch (from, to) {
        case (.char(let a), .varchar(let b)), (.varchar(let a), .varchar(let b)), (.char(let a), .char(let b)): a <= b
        default: false
        }
    }
}
