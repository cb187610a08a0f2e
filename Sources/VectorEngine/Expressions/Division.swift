import QueryPlan
import SQLTypes

extension Pipeline {
    /// The quotient of two decimals, rounded half away from zero. nil where its digits cannot be had in groups of 64
    /// bits: the general kernel has to do it.
    func quotient(_ a: Register, _ b: Register, _ type: SQLType) -> Register? {
        let shift = type.scale + b.type.scale - a.type.scale
        guard type.isDecimal, a.isInteger, b.isInteger, a.physical != .int128, b.physical != .int128,
            a.constant != .null, b.constant != .null, shift >= 0, let power = PowersOfTen.power(shift)
        else { return nil }
        let least = b.lower > 0 ? b.lower : b.upper < 0 ? -b.upper : 1
        let (dividend, isWide) = magnitude(a).multipliedReportingOverflow(by: power)
        let most = dividend / least + 1
        guard !isWide, let way = DivisionWay(magnitude(a), magnitude(b), shift: shift) else { return nil }
        let allowed = type.valueBounds
        let isPositive = a.lower >= 0 && b.lower >= 0
        let (lower, upper) = (max(isPositive ? 0 : -most, allowed.lower), min(most, allowed.upper))
        let output = makeRegister(
            type, PhysicalType.narrowest(min(-most, -1), most), lower: lower, upper: upper,
            nullable: a.nullable || b.nullable)
        emit(DecimalQuotient(a, b, output, way, guardRegister))
        if most > allowed.upper { emit(RangeCheck(output, type, guardRegister)) }
        return output
    }

    private func magnitude(_ register: Register) -> Int128 { max(register.upper, -register.lower, 0) }
}

/// How a quotient gets its digits. Vector instructions divide doubles only, which are exact below 2^51; more digits
/// than that come one group after the other, each from the rest that the one before has left.
private struct DivisionWay {
    /// What the dividend is multiplied by at first.
    var first: Int64 = 1
    /// What each rest is multiplied by.
    var groups: [Int64] = []
    /// 64-bit divisions instead: no groups.
    var usesIntegers = false
    private static let exact: Int128 = 1 << 51
    private static let mostGroups = 3

    /// nil when 64 bits do not suffice.
    init?(_ dividend: Int128, _ divisor: Int128, shift: Int) {
        var left = shift
        if dividend < DivisionWay.exact && divisor < DivisionWay.exact {
            first = DivisionWay.power(dividend, &left)
            while left > 0 && groups.count < DivisionWay.mostGroups {
                let group = DivisionWay.power(divisor, &left)
                if group == 1 { break }
                groups.append(group)
            }
            if left == 0 { return }
        }
        guard let power = PowersOfTen.power(shift) else { return nil }
        let (scaled, isWide) = dividend.multipliedReportingOverflow(by: power)
        guard !isWide, scaled < 1 << 62, divisor < 1 << 62 else { return nil }
        first = Int64(truncatingIfNeeded: power)
        groups = []
        usesIntegers = true
    }

    /// The power of ten, of at most so many digits, by which a number stays exact; 15 digits for zero.
    private static func power(_ number: Int128, _ digits: inout Int) -> Int64 {
        var result: Int64 = 1
        while digits > 0 && max(number, 1) * Int128(result) * 10 < exact {
            result *= 10
            digits -= 1
        }
        return result
    }
}

/// See ``Pipeline/quotient(_:_:_:)``.
private final class DecimalQuotient: Step {
    private let a: Register, b: Register, output: Register
    private let way: DivisionWay
    private let guardRegister: Int?
    private let mayBeZero: Bool
    override var acceptsMask: Bool { !mayBeZero }

    init(_ a: Register, _ b: Register, _ output: Register, _ way: DivisionWay, _ guardRegister: Int?) {
        self.a = a
        self.b = b
        self.output = output
        self.way = way
        self.guardRegister = guardRegister
        mayBeZero = b.lower <= 0 && b.upper >= 0
        super.init(
            inputs: [a.index, b.index] + (guardRegister.map { [$0] } ?? []), outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        switch a.physical {
        case .uint8: try left(batch, UInt8.self)
        case .uint16: try left(batch, UInt16.self)
        case .int32: try left(batch, Int32.self)
        case .int64: try left(batch, Int64.self)
        case .int128, .float64, .string: throw unexpectedForm(a)
        }
        batch.combineValidity(output.index, [a.index, b.index])
    }

    @inline(__always) private func left<A: FixedWidthInteger>(_ batch: Batch, _: A.Type) throws {
        switch b.physical {
        case .uint8: try right(batch, A.self, UInt8.self)
        case .uint16: try right(batch, A.self, UInt16.self)
        case .int32: try right(batch, A.self, Int32.self)
        case .int64: try right(batch, A.self, Int64.self)
        case .int128, .float64, .string: throw unexpectedForm(b)
        }
    }

    @inline(__always)
    private func right<A: FixedWidthInteger, B: FixedWidthInteger>(_ batch: Batch, _: A.Type, _: B.Type) throws {
        let x = batch.values(a.index, A.self), y = batch.values(b.index, B.self)
        if mayBeZero { try checkZero(batch, y) }
        switch output.physical {
        case .int32: divide(x, y, batch.output(output.index, Int32.self), batch.count)
        case .int64: divide(x, y, batch.output(output.index, Int64.self), batch.count)
        default: divide(x, y, batch.output(output.index, Int128.self), batch.count)
        }
    }

    @inline(__always)
    private func divide<A: FixedWidthInteger, B: FixedWidthInteger, D: FixedWidthInteger>(
        _ x: UnsafePointer<A>, _ y: UnsafePointer<B>, _ o: UnsafeMutablePointer<D>, _ n: Int
    ) {
        if way.usesIntegers { return divideIntegers(x, y, o, n, way.first) }
        let groups = way.groups + [1, 1, 1]
        let powers = (way.first, groups[0], groups[1], groups[2])
        switch way.groups.count {
        case 0: divideDoubles(x, y, o, n, powers, groups: 0)
        case 1: divideDoubles(x, y, o, n, powers, groups: 1)
        case 2: divideDoubles(x, y, o, n, powers, groups: 2)
        default: divideDoubles(x, y, o, n, powers, groups: 3)
        }
    }

    /// Zero is an error in rows that count; in others the quotient is of no interest.
    @inline(__always)
    private func checkZero<B: FixedWidthInteger>(_ batch: Batch, _ y: UnsafePointer<B>) throws {
        var found: UInt8 = 0
        for i in 0..<batch.count { found |= b2u(y[i] == 0) }
        if found == 0 { return }
        let counts = [
            batch.validity(a.index), batch.validity(b.index), guardRegister.map { batch.values($0, UInt8.self) },
        ].compactMap(\.self)
        for i in 0..<batch.count where y[i] == 0 && counts.allSatisfy({ $0[i] != 0 }) {
            throw DecimalArithmetic.divisionByZero
        }
    }
}

@inline(__always)
private func divideIntegers<A: FixedWidthInteger, B: FixedWidthInteger, D: FixedWidthInteger>(
    _ x: UnsafePointer<A>, _ y: UnsafePointer<B>, _ o: UnsafeMutablePointer<D>, _ n: Int, _ power: Int64
) {
    for i in 0..<n {
        let a = Int64(truncatingIfNeeded: x[i]) &* power, b = Int64(truncatingIfNeeded: y[i])
        let sign = (a ^ b) &>> 63
        let divisor = b.magnitude | UInt64(b2u(b == 0))
        let (quotient, rest) = a.magnitude.quotientAndRemainder(dividingBy: divisor)
        let rounded = Int64(bitPattern: quotient &+ UInt64(b2u(rest >= divisor &- rest)))
        o[i] = D(truncatingIfNeeded: (rounded ^ sign) &- sign)
    }
}

/// Sign and magnitude, in the form of the vector instructions.
@inline(__always)
private func divideDoubles<A: FixedWidthInteger, B: FixedWidthInteger, D: FixedWidthInteger>(
    _ x: UnsafePointer<A>, _ y: UnsafePointer<B>, _ o: UnsafeMutablePointer<D>, _ n: Int,
    _ powers: (Int64, Int64, Int64, Int64), groups: Int
) {
    for i in 0..<n {
        let a = Int64(truncatingIfNeeded: x[i]) &* powers.0, b = Int64(truncatingIfNeeded: y[i])
        let signA = a &>> 63, signB = b &>> 63
        let sign = signA ^ signB
        let divisor = (b ^ signB) &- signB | Int64(b2u(b == 0))
        let bottom = exactDouble(divisor)
        let (start, firstRest) = wholeQuotient((a ^ signA) &- signA, divisor, bottom)
        var quotient = D(truncatingIfNeeded: start), rest = firstRest
        if groups > 0 { next(&quotient, &rest, powers.1, divisor, bottom) }
        if groups > 1 { next(&quotient, &rest, powers.2, divisor, bottom) }
        if groups > 2 { next(&quotient, &rest, powers.3, divisor, bottom) }
        quotient &+= D(truncatingIfNeeded: b2u(rest &+ rest >= divisor))
        let direction = D(truncatingIfNeeded: sign)
        o[i] = (quotient ^ direction) &- direction
    }
}

/// A number below 2^52: in the low bits of 2^52 it is that sum as a double.
@inline(__always)
private func exactDouble(_ value: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: value) | 0x4330_0000_0000_0000) - 0x1p52
}

/// The quotient of doubles, rounded to a whole number, is the right one or one too much, which the exact rest tells.
@inline(__always)
private func wholeQuotient(_ dividend: Int64, _ divisor: Int64, _ bottom: Double) -> (quotient: Int64, rest: Int64) {
    let near = (exactDouble(dividend) / bottom + 0x1p52).bitPattern & 0x000F_FFFF_FFFF_FFFF
    let rest = dividend &- Int64(bitPattern: near) &* divisor
    let isAbove = rest &>> 63
    return (Int64(bitPattern: near) &+ isAbove, rest &+ (isAbove & divisor))
}

/// Some more digits.
@inline(__always)
private func next<D: FixedWidthInteger>(
    _ quotient: inout D, _ rest: inout Int64, _ power: Int64, _ divisor: Int64, _ bottom: Double
) {
    let (more, left) = wholeQuotient(rest &* power, divisor, bottom)
    quotient = quotient &* D(truncatingIfNeeded: power) &+ D(truncatingIfNeeded: more)
    rest = left
}
