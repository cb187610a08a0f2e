import QueryPlan
import SQLTypes

extension Pipeline {
    /// How digits are dropped. Nearest: halves away from zero.
    enum Rounding { case nearest, zero, up, down }

    /// ROUND, TRUNC, CEILING and FLOOR of a decimal, and casts to fewer digits: the value without its last `dropped`
    /// digits, followed by `appended` zeros. nil where that does not fit into 64 bits.
    ///
    /// - Parameter type: of the result, which is checked against its range.
    func rounded(
        _ value: Register, dropping dropped: Int, appending appended: Int, _ rounding: Rounding, _ type: SQLType
    ) -> Register? {
        guard type.physical.isInteger, value.constant != .null, dropped > 0, dropped <= 18, appended >= 0,
            appended <= dropped
        else { return nil }
        guard let power = PowersOfTen.power(dropped), let factor = PowersOfTen.power(appended) else { return nil }
        let division = ConstantDivision(
            by: Int64(truncatingIfNeeded: power), times: Int64(truncatingIfNeeded: factor), rounding)
        guard division.takes(value) else { return nil }
        let (lower, upper) = (division.apply(value.lower), division.apply(value.upper))
        let allowed = type.valueBounds
        let isProved = lower >= allowed.lower && upper <= allowed.upper
        let form = PhysicalType.narrowest(min(lower, -1), upper)
        let output = makeRegister(
            type, form, lower: isProved ? lower : min(max(lower, allowed.lower), allowed.upper),
            upper: isProved ? upper : max(min(upper, allowed.upper), allowed.lower), nullable: value.nullable)
        emit(DivideByConstant(value, output, division))
        if !isProved { emit(RangeCheck(output, type, guardRegister)) }
        return output
    }

    /// A call of ROUND, TRUNC, CEILING or FLOOR; nil where the general kernel has to do it.
    func rounded(_ function: ScalarFunction, _ arguments: [Register], _ type: SQLType) -> Register? {
        let value = arguments[0]
        guard value.type.isDecimal, type.isDecimal else { return nil }
        let scale = value.type.scale
        if function == .ceiling || function == .floor {
            if scale == 0 { return relabeled(value, type) }
            let rounding = function == .ceiling ? Rounding.up : .down
            return rounded(value, dropping: scale, appending: 0, rounding, type)
        }
        guard arguments.count == 2, case .integer(let digits)? = arguments[1].constant, type.scale == scale else {
            return nil
        }
        if digits >= Int128(scale) { return relabeled(value, type) }
        guard digits >= -18 else { return nil }
        let dropped = scale - Int(digits)
        return rounded(value, dropping: dropped, appending: dropped, function == .round ? .nearest : .zero, type)
    }
}
