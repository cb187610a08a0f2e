import SQLTypes

/// Division of 64-bit integers by a constant, which is no power of two, through a multiplication, see T. Granlund and
/// P. Montgomery, "Division by Invariant Integers using Multiplication" (1994). With l bits in the divisor d,
/// floor(2^(63 + l) / d) + 1 is exact for magnitudes below 2^63, and floor(2^(31 + l) / d) + 1 for those below 2^31.
struct ConstantDivision {
    let divisor: Int64
    /// What the quotient is multiplied by.
    let factor: Int64
    /// Added to the magnitude of values from zero on, and below.
    let addedAbove: UInt64, addedBelow: UInt64
    fileprivate let multiplier: UInt64
    fileprivate let shift: UInt64
    fileprivate let smallMultiplier: UInt64

    init(by divisor: Int64, times factor: Int64 = 1, _ rounding: Pipeline.Rounding) {
        self.divisor = divisor
        self.factor = factor
        let power = UInt64(divisor.magnitude)
        let bits = 64 - power.leadingZeroBitCount
        multiplier = UInt64(truncatingIfNeeded: (UInt128(1) << UInt128(63 + bits)) / UInt128(power) + 1)
        smallMultiplier = UInt64(truncatingIfNeeded: (UInt128(1) << UInt128(31 + bits)) / UInt128(power) + 1)
        shift = UInt64(bits - 1)
        let (half, rest) = (power / 2, power - 1)
        (addedAbove, addedBelow) =
            switch rounding {
            case .nearest: (half, half)
            case .zero: (0, 0)
            case .up: (rest, 0)
            case .down: (0, rest)
            }
    }

    /// Whether nothing overflows on the way.
    func takes(_ value: Register) -> Bool {
        let limit = Int128(Int64.max) - Int128(divisor)
        return value.isInteger && value.physical != .int128 && value.lower >= -limit && value.upper <= limit
    }

    @inline(__always)
    func divide(_ value: Int64) -> Int64 {
        let sign = value &>> 63
        let added = UInt64(bitPattern: sign) & addedBelow | ~UInt64(bitPattern: sign) & addedAbove
        let magnitude = UInt64(bitPattern: (value ^ sign) &- sign) &+ added
        let quotient = Int64(bitPattern: magnitude.multipliedFullWidth(by: multiplier).high &>> shift)
        return ((quotient ^ sign) &- sign) &* factor
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

/// Quotients, each multiplied by the division's factor.
final class DivideByConstant: Step {
    private let input: Register, output: Register
    private let division: ConstantDivision
    private let isSmall: Bool
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ output: Register, _ division: ConstantDivision) {
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
        case .int64: from(batch, Int64.self)
        case .int128, .float64, .string: throw unexpectedForm(input)
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
    _ x: UnsafePointer<S>, _ o: UnsafeMutablePointer<D>, _ n: Int, _ division: ConstantDivision
) {
    for i in 0..<n { o[i] = D(truncatingIfNeeded: division.divide(Int64(truncatingIfNeeded: x[i]))) }
}

/// Magnitudes of 31 bits: the product has 64, which vector instructions can do.
@inline(__always)
private func divideSmall<S: FixedWidthInteger, D: FixedWidthInteger>(
    _ x: UnsafePointer<S>, _ o: UnsafeMutablePointer<D>, _ n: Int, _ division: ConstantDivision
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
