import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// Rounding, powers, logarithms and trigonometry.
enum MathFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .ceiling: whole(.up)
        case .floor: whole(.down)
        case .sign: sign
        case .round: digits(.nearest)
        case .truncate: digits(.zero)
        case .power: power
        case .squareRoot: squareRoot
        case .cubeRoot: cubeRoot
        case .exponential: exponential
        case .naturalLogarithm: naturalLogarithm
        case .logarithm10: logarithm10
        case .sine: sine
        case .cosine: cosine
        case .tangent: tangent
        case .cotangent: cotangent
        case .arcSine: arcSine
        case .arcCosine: arcCosine
        case .arcTangent: arcTangent
        case .arcTangent2: arcTangent2
        case .degrees: degrees
        case .radians: radians
        case .pi: pi
        case .random: random
        default: nil
        }
    }

    static var overflow: SQLError { SQLError(.numericOutOfRange, "value out of range: overflow") }
    private static var outOfDomain: SQLError { SQLError(.numericOutOfRange, "input is out of range") }

    /// A function of doubles that may not overflow from finite input.
    private static func checked(_ body: @escaping (Double) throws -> Double) -> FunctionKernel {
        .unary(Double.self, Double.self) { try checked($0, body) }
    }

    private static func checked(_ value: Double, _ body: (Double) throws -> Double) throws -> Double {
        let result = try body(value)
        if result.isInfinite && value.isFinite { throw overflow }
        if result.isNaN && !value.isNaN { throw outOfDomain }
        return result
    }

    /// Without a look at each value while all results are finite, which answers for the input as well; else the body
    /// says which error it is, if it is one.
    private static func checked<Function: DoubleFunction>(
        _: Function.Type, _ body: @escaping (Double) throws -> Double
    ) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let input = frame.arguments[0].values(Double.self), output = frame.output(Double.self)
                var isFinite = true
                frame.forEachRow { row in
                    let result = Function.value(input[row])
                    output[row] = result
                    isFinite = isFinite && result.isFinite
                }
                if !isFinite { try frame.forEachRow { output[$0] = try checked(input[$0], body) } }
            }
        }
    }

    static let power = FunctionKernel.binary(Double.self, Double.self, Double.self) { base, exponent in
        if base == 0 && exponent < 0 {
            throw SQLError("2201F", "zero raised to a negative power is undefined")
        }
        if base < 0 && exponent.isFinite && exponent != exponent.rounded() {
            throw SQLError("2201F", "a negative number raised to a non-integer power yields a complex result")
        }
        let result = pow(base, exponent)
        if result.isInfinite && base.isFinite && exponent.isFinite { throw overflow }
        return result
    }
    static let squareRoot = checked(SquareRoot.self) { value in
        if value < 0 { throw SQLError("2201F", "cannot take square root of a negative number") }
        return value.squareRoot()
    }
    static let cubeRoot = checked { cbrt($0) }
    static let exponential = checked(Exponential.self) { exp($0) }
    static let naturalLogarithm = checked(NaturalLogarithm.self) { log(try positive($0)) }
    static let logarithm10 = checked(Logarithm10.self) { log10(try positive($0)) }

    private static func positive(_ value: Double) throws -> Double {
        if value == 0 { throw SQLError("2201E", "cannot take logarithm of zero") }
        if value < 0 { throw SQLError("2201E", "cannot take logarithm of a negative number") }
        return value
    }

    static let sine = checked { sin($0) }
    static let cosine = checked { cos($0) }
    static let tangent = checked { tan($0) }
    static let cotangent = checked { 1 / tan($0) }
    static let arcSine = checked { asin($0) }
    static let arcCosine = checked { acos($0) }
    static let arcTangent = checked { atan($0) }
    static let arcTangent2 = FunctionKernel.binary(Double.self, Double.self, Double.self) { atan2($0, $1) }
    static let degrees = checked { $0 * 180 / Double.pi }
    static let radians = checked { $0 * Double.pi / 180 }

    static let pi = FunctionKernel { _ in
        { frame in
            let output = frame.output(Double.self)
            frame.forEachRow { output[$0] = Double.pi }
        }
    }

    static let random = FunctionKernel(deterministic: false) { site in
        let random = site.context.random
        return { frame in
            // One draw a batch; the rest is stepped.
            var state = random.next()
            let output = frame.output(Double.self)
            frame.forEachRow { row in
                state &+= 0x9E37_79B9_7F4A_7C15
                var value = (state ^ (state &>> 30)) &* 0xBF58_476D_1CE4_E5B9
                value = (value ^ (value &>> 27)) &* 0x94D0_49BB_1331_11EB
                output[row] = Double((value ^ (value &>> 31)) &>> 11) * 0x1p-53
            }
        }
    }

    // MARK: Rounding

    enum Rounding { case nearest, zero, up, down }

    /// CEILING and FLOOR.
    static func whole(_ rounding: Rounding) -> FunctionKernel {
        FunctionKernel { site in
            if site.result.isFloat {
                return try FunctionKernel.unary(Double.self, Double.self) {
                    rounding == .up ? $0.rounded(.up) : $0.rounded(.down)
                }.make(site)
            }
            return decimal(site) { value, scale, _ in
                try roundedWhole(value, scale, rounding)
            }
        }
    }

    private static func roundedWhole(_ value: Int128, _ scale: Int, _ rounding: Rounding) throws -> Int128 {
        guard let power = PowersOfTen.power(scale) else { throw DecimalArithmetic.overflow() }
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: power)
        if rounding == .up && rest > 0 { return quotient + 1 }
        if rounding == .down && rest < 0 { return quotient - 1 }
        return quotient
    }

    /// ROUND and TRUNC with a number of digits, which may be negative.
    static func digits(_ rounding: Rounding) -> FunctionKernel {
        FunctionKernel { site in
            if site.result.isFloat {
                if let digits = site.integer(1), abs(digits) <= 300 {
                    let power = pow(10, Double(digits.magnitude))
                    return try FunctionKernel.unary(Double.self, Double.self) {
                        roundDouble($0, digits, power, rounding)
                    }.make(site)
                }
                return try FunctionKernel.binary(Double.self, Int32.self, Double.self) {
                    roundDouble($0, Int($1), rounding)
                }.make(site)
            }
            let target = site.result.scale
            return decimal(site) { value, scale, digits in
                let kept = min(max(digits, -39), scale)
                let rounded = DecimalArithmetic.rescaled(value, from: scale, to: kept, rounding: rounding == .nearest)
                guard let rounded, let result = DecimalArithmetic.rescaled(rounded, from: kept, to: target) else {
                    throw DecimalArithmetic.overflow()
                }
                return result
            }
        }
    }

    static func roundDouble(_ value: Double, _ digits: Int, _ rounding: Rounding) -> Double {
        if digits > 300 || !value.isFinite { return value }
        if digits < -308 { return 0 }
        return roundDouble(value, digits, pow(10, Double(digits.magnitude)), rounding)
    }

    /// - Parameter power: of ten, with the digits' magnitude.
    @inline(__always)
    private static func roundDouble(_ value: Double, _ digits: Int, _ power: Double, _ rounding: Rounding) -> Double {
        if !value.isFinite { return value }
        let rule: FloatingPointRoundingRule = rounding == .nearest ? .toNearestOrAwayFromZero : .towardZero
        let scaled = digits < 0 ? value / power : value * power
        if !scaled.isFinite { return value }
        // A product that is a whole number but for its last bit is meant as that number.
        let near = scaled.rounded()
        let exact = (scaled - near).magnitude <= scaled.ulp ? near : scaled.rounded(rule)
        return digits < 0 ? exact * power : exact / power
    }

    static let sign = FunctionKernel { site in
        if site.result.isFloat {
            return try FunctionKernel.unary(Double.self, Double.self) { $0 > 0 ? 1 : $0 < 0 ? -1 : $0 }.make(site)
        }
        return decimal(site) { value, _, _ in value > 0 ? 1 : value < 0 ? -1 : 0 }
    }

    /// Maps (unscaled value, its scale, digits argument or 0) to the unscaled result, which is checked against its
    /// type.
    private static func decimal(
        _ site: FunctionSite, _ body: @escaping (Int128, Int, Int) throws -> Int128
    ) -> (FunctionFrame) throws -> Void {
        let (from, result) = (site.arguments[0], site.result)
        let (low, high) = result.valueBounds
        return { frame in
            let input = WideInput(frame, 0, from)
            let output = WideOutput(frame, result)
            let digits = frame.arguments.count > 1 ? frame.arguments[1].values(Int32.self) : nil
            try frame.forEachRow { row in
                let value = try body(input[row], from.scale, digits.map { Int($0[row]) } ?? 0)
                guard value >= low && value <= high else { throw DecimalArithmetic.overflow() }
                output.put(row, value)
            }
        }
    }
}

private protocol DoubleFunction {
    /// NaN or an infinity where the function is not defined.
    static func value(_ value: Double) -> Double
}
private enum SquareRoot: DoubleFunction {
    @inline(__always) static func value(_ value: Double) -> Double { value.squareRoot() }
}
private enum Exponential: DoubleFunction {
    @inline(__always) static func value(_ value: Double) -> Double { exp(value) }
}
private enum NaturalLogarithm: DoubleFunction {
    @inline(__always) static func value(_ value: Double) -> Double { log(value) }
}
private enum Logarithm10: DoubleFunction {
    @inline(__always) static func value(_ value: Double) -> Double { log10(value) }
}
