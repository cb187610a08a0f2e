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
        guard value.isInteger, value.physical != .int128, type.physical.isInteger, value.constant != .null,
            dropped > 0, dropped <= 18, appended >= 0, appended <= dropped
        else { return nil }
        let division = PowerDivision(dropping: dropped, appending: appended, rounding)
        let limit = Int128(Int64.max) - Int128(division.divisor)
        guard value.lower >= -limit, value.upper <= limit else { return nil }
        let (lower, upper) = (division.apply(value.lower), division.apply(value.upper))
        let allowed = type.valueBounds
        let isProved = lower >= allowed.lower && upper <= allowed.upper
        let form = PhysicalType.narrowest(min(lower, -1), upper)
        let output = makeRegister(
            type, form, lower: isProved ? lower : min(max(lower, allowed.lower), allowed.upper),
            upper: isProved ? upper : max(min(upper, allowed.upper), allowed.lower), nullable: value.nullable)
        emit(DivideByPower(value, output, division))
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

/// Division of 64-bit integers by a power of ten through a multiplication, see T. Granlund and P. Montgomery, "Division
/// by Invariant Integers using Multiplication" (1994). With l bits in the divisor d, floor(2^(63 + l) / d) + 1 is exact
/// for magnitudes below 2^63, and floor(2^(31 + l) / d) + 1 for those below 2^31.
struct PowerDivision {
    let divisor: Int64
    /// What the quotient is multiplied by.
    let factor: Int64
    /// Added to the magnitude of values from zero on, and below.
    let addedAbove: UInt64, addedBelow: UInt64
    fileprivate let multiplier: UInt64
    fileprivate let shift: UInt64
    fileprivate let smallMultiplier: UInt64

    init(dropping dropped: Int, appending appended: Int, _ rounding: Pipeline.Rounding) {
        let power = PowersOfTen.power(dropped) ?? 1
        divisor = Int64(truncatingIfNeeded: power)
        factor = Int64(truncatingIfNeeded: PowersOfTen.power(appended) ?? 1)
        let bits = 64 - UInt64(truncatingIfNeeded: power).leadingZeroBitCount
        multiplier = UInt64(truncatingIfNeeded: (UInt128(1) << UInt128(63 + bits)) / UInt128(power) + 1)
        smallMultiplier = UInt64(truncatingIfNeeded: (UInt128(1) << UInt128(31 + bits)) / UInt128(power) + 1)
        shift = UInt64(bits - 1)
        let (half, rest) = (UInt64(power / 2), UInt64(power - 1))
        (addedAbove, addedBelow) =
            switch rounding {
            case .nearest: (half, half)
            case .zero: (0, 0)
            case .up: (rest, 0)
            case .down: (0, rest)
            }
    }

    /// For bounds: what the loops compute.
    func apply(_ value: Int128) -> Int128 {
        let magnitude = Int128(value.magnitude) + Int128(value < 0 ? addedBelow : addedAbove)
        let quotient = magnitude / Int128(divisor)
        return (value < 0 ? -quotient : quotient) * Int128(factor)
    }

    /// Whether values between the bounds, with what is added, are below 2^31 and the divisor as well.
    fileprivate func isSmall(_ lower: Int128, _ upper: Int128) -> Bool {
        let limit = Int128(Int32.max) - Int128(divisor)
        return limit > 0 && lower >= -limit && upper <= limit
    }
}

/// See ``Pipeline/rounded(_:dropping:appending:_:_:)``.
private final class DivideByPower: Step {
    private let input: Register, output: Register
    private let division: PowerDivision
    private let isSmall: Bool
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ output: Register, _ division: PowerDivision) {
        self.input = input
        self.output = output
        self.division = division
        isSmall = division.isSmall(input.lower, input.upper)
        super.init(inputs: [input.index], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        switch input.physical {
        case .uint8: from(batch, UInt8.self)
        case .uint16: from(batch, UInt16.self)
        case .int32: from(batch, Int32.self)
        default: from(batch, Int64.self)
        }
        batch.combineValidity(output.index, inputs)
    }

    @inline(__always) private func from<S: FixedWidthInteger>(_ batch: Batch, _: S.Type) {
        let x = batch.values(input.index, S.self)
        if output.physical == .int32 {
            let o = batch.output(output.index, Int32.self)
            if isSmall { divideSmall(x, o, batch.count, division) } else { divide(x, o, batch.count, division) }
        } else {
            let o = batch.output(output.index, Int64.self)
            if isSmall { divideSmall(x, o, batch.count, division) } else { divide(x, o, batch.count, division) }
        }
    }
}

@inline(__always)
private func divide<S: FixedWidthInteger, D: FixedWidthInteger>(
    _ x: UnsafePointer<S>, _ o: UnsafeMutablePointer<D>, _ n: Int, _ division: PowerDivision
) {
    let (above, below, factor) = (division.addedAbove, division.addedBelow, division.factor)
    let (multiplier, shift) = (division.multiplier, division.shift)
    for i in 0..<n {
        let value = Int64(truncatingIfNeeded: x[i])
        let sign = value &>> 63
        let added = UInt64(bitPattern: sign) & below | ~UInt64(bitPattern: sign) & above
        let magnitude = UInt64(bitPattern: (value ^ sign) &- sign) &+ added
        let quotient = Int64(bitPattern: magnitude.multipliedFullWidth(by: multiplier).high &>> shift)
        o[i] = D(truncatingIfNeeded: ((quotient ^ sign) &- sign) &* factor)
    }
}

/// Magnitudes of 31 bits: the product has 64, which vector instructions can do.
@inline(__always)
private func divideSmall<S: FixedWidthInteger, D: FixedWidthInteger>(
    _ x: UnsafePointer<S>, _ o: UnsafeMutablePointer<D>, _ n: Int, _ division: PowerDivision
) {
    let above = UInt32(truncatingIfNeeded: division.addedAbove), below = UInt32(truncatingIfNeeded: division.addedBelow)
    let factor = Int32(truncatingIfNeeded: division.factor)
    let multiplier = UInt64(UInt32(truncatingIfNeeded: division.smallMultiplier)), shift = division.shift &+ 32
    for i in 0..<n {
        let value = Int32(truncatingIfNeeded: x[i])
        let sign = value &>> 31
        let added = UInt32(bitPattern: sign) & below | ~UInt32(bitPattern: sign) & above
        let magnitude = UInt32(bitPattern: (value ^ sign) &- sign) &+ added
        let quotient = Int32(truncatingIfNeeded: (UInt64(magnitude) &* multiplier) &>> shift)
        o[i] = D(truncatingIfNeeded: ((quotient ^ sign) &- sign) &* factor)
    }
}
