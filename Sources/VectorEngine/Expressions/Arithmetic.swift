import QueryPlan
import SQLTypes

extension Pipeline {
    /// a + b, a - b, a * b. Operands of other scales than the result's are scaled up first (not for products).
    func arithmetic(_ function: ScalarFunction, _ left: Register, _ right: Register, _ type: SQLType) throws -> Register
    {
        if type.isFloat {
            let a = try toDouble(left), b = try toDouble(right)
            let output = makeRegister(type, .float64, nullable: a.nullable || b.nullable)
            emit(DoubleArithmetic(function, a, b, output, guardRegister))
            return output
        }
        var a = left, b = right
        if function != .multiply && type.isDecimal {
            a = try rescaled(a, by: type.scale - a.type.scale, isOperand: true)
            b = try rescaled(b, by: type.scale - b.type.scale, isOperand: true)
        }
        return try integerArithmetic(function, a, b, type, allowed: type.valueBounds)
    }

    /// The value with `digits` more decimal places.
    ///
    /// - Parameter isOperand: of an addition, whose result is checked: the value may have 39 digits until then.
    func rescaled(_ register: Register, by digits: Int, isOperand: Bool = false) throws -> Register {
        if digits <= 0 { return register }
        var factor: Int128 = 1
        for _ in 0..<min(digits, 38) { factor *= 10 }
        let one = constant(.integer(factor), .decimal(precision: min(digits + 1, 38), scale: 0))
        let scale = register.type.scale + digits
        let type = SQLType.decimal(precision: 38, scale: min(scale, 38))
        return try integerArithmetic(
            .multiply, register, one, type, allowed: isOperand ? PhysicalType.int128.bounds : type.valueBounds)
    }

    private func integerArithmetic(
        _ function: ScalarFunction, _ a: Register, _ b: Register, _ type: SQLType,
        allowed: (lower: Int128, upper: Int128)
    ) throws -> Register {
        let exact = ArithmeticBounds.of(function, a, b)
        let proved = exact.map { $0.lower >= allowed.lower && $0.upper <= allowed.upper } ?? false
        let lower = max(exact?.lower ?? allowed.lower, allowed.lower)
        let upper = min(exact?.upper ?? allowed.upper, allowed.upper)
        // Compute where no intermediate value can overflow; without exact bounds only checked 128-bit arithmetic is
        // safe.
        var compute = PhysicalType.int128
        if let exact, a.physical != .int128, b.physical != .int128 {
            compute = PhysicalType.narrowest(min(exact.lower, -1), exact.upper)
        }
        let nullable = a.nullable || b.nullable
        let result = makeRegister(type, compute, lower: min(lower, upper), upper: max(lower, upper), nullable: nullable)
        if compute == .int128 {
            let wideA = widen(a, to: .int128), wideB = widen(b, to: .int128)
            emit(WideArithmetic(function, wideA, wideB, result, proved ? nil : allowed, guardRegister))
        } else {
            emit(IntegerArithmetic(function, a, b, result))
            if !proved { emit(RangeCheck(result, type, guardRegister)) }
        }
        return result
    }
}

enum ArithmeticBounds {
    /// Bounds of the result over all values of the operands; nil when they leave 128 bits.
    static func of(_ function: ScalarFunction, _ a: Register, _ b: Register) -> (lower: Int128, upper: Int128)? {
        of(function, (a.lower, a.upper), (b.lower, b.upper))
    }

    static func of(
        _ function: ScalarFunction, _ a: (lower: Int128, upper: Int128), _ b: (lower: Int128, upper: Int128)
    ) -> (lower: Int128, upper: Int128)? {
        func add(_ x: Int128, _ y: Int128) -> Int128? {
            let (r, o) = x.addingReportingOverflow(y)
            return o ? nil : r
        }
        func subtract(_ x: Int128, _ y: Int128) -> Int128? {
            let (r, o) = x.subtractingReportingOverflow(y)
            return o ? nil : r
        }
        func multiply(_ x: Int128, _ y: Int128) -> Int128? {
            let (r, o) = x.multipliedReportingOverflow(by: y)
            return o ? nil : r
        }
        switch function {
        case .add:
            guard let lower = add(a.lower, b.lower), let upper = add(a.upper, b.upper) else { return nil }
            return (lower, upper)
        case .subtract:
            guard let lower = subtract(a.lower, b.upper), let upper = subtract(a.upper, b.lower) else { return nil }
            return (lower, upper)
        default:
            guard let p = multiply(a.lower, b.lower), let q = multiply(a.lower, b.upper),
                let r = multiply(a.upper, b.lower), let s = multiply(a.upper, b.upper)
            else { return nil }
            return (min(p, q, r, s), max(p, q, r, s))
        }
    }

    static func overflow(_ type: SQLType) -> SQLError {
        switch type {
        case .smallint: SQLError(.numericOutOfRange, "smallint out of range")
        case .integer: SQLError(.numericOutOfRange, "integer out of range")
        case .bigint: SQLError(.numericOutOfRange, "bigint out of range")
        case .date: SQLError(.datetimeOverflow, "date out of range")
        case .timestamp, .timestamptz: SQLError(.datetimeOverflow, "timestamp out of range")
        default: SQLError(.numericOutOfRange, "Numeric data overflow (result precision)")
        }
    }
}

private protocol BinaryOperation {
    static func apply<T: FixedWidthInteger>(_ a: T, _ b: T) -> T
    static func checked(_ a: Int128, _ b: Int128) -> (Int128, Bool)
    static func apply(_ a: Double, _ b: Double) -> Double
}
private enum Add: BinaryOperation {
    @inline(__always) static func apply<T: FixedWidthInteger>(_ a: T, _ b: T) -> T { a &+ b }
    @inline(__always) static func checked(_ a: Int128, _ b: Int128) -> (Int128, Bool) { a.addingReportingOverflow(b) }
    @inline(__always) static func apply(_ a: Double, _ b: Double) -> Double { a + b }
}
private enum Subtract: BinaryOperation {
    @inline(__always) static func apply<T: FixedWidthInteger>(_ a: T, _ b: T) -> T { a &- b }
    @inline(__always) static func checked(_ a: Int128, _ b: Int128) -> (Int128, Bool) {
        a.subtractingReportingOverflow(b)
    }
    @inline(__always) static func apply(_ a: Double, _ b: Double) -> Double { a - b }
}
private enum Multiply: BinaryOperation {
    @inline(__always) static func apply<T: FixedWidthInteger>(_ a: T, _ b: T) -> T { a &* b }
    @inline(__always) static func checked(_ a: Int128, _ b: Int128) -> (Int128, Bool) {
        a.multipliedReportingOverflow(by: b)
    }
    @inline(__always) static func apply(_ a: Double, _ b: Double) -> Double { a * b }
}

/// Integer arithmetic whose result fits its register for any values within the operands' bounds. Operands may have any
/// mix of widths: widening happens in the same loop.
private final class IntegerArithmetic: Step {
    private let function: ScalarFunction
    private let a: Register, b: Register, output: Register
    override var acceptsMask: Bool { true }

    init(_ function: ScalarFunction, _ a: Register, _ b: Register, _ output: Register) {
        self.function = function
        self.a = a
        self.b = b
        self.output = output
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch function {
        case .add: try result(batch, Add.self)
        case .subtract: try result(batch, Subtract.self)
        default: try result(batch, Multiply.self)
        }
        batch.combineValidity(output.index, inputs)
    }
    @inline(__always) private func result<O: BinaryOperation>(_ batch: Batch, _: O.Type) throws {
        if output.physical == .int32 {
            try left(batch, O.self, Int32.self)
        } else {
            try left(batch, O.self, Int64.self)
        }
    }
    @inline(__always) private func left<O: BinaryOperation, D: FixedWidthInteger>(
        _ batch: Batch, _: O.Type, _: D.Type
    ) throws {
        switch a.physical {
        case .uint8: try right(batch, O.self, UInt8.self, D.self)
        case .uint16: try right(batch, O.self, UInt16.self, D.self)
        case .int32: try right(batch, O.self, Int32.self, D.self)
        case .int64: try right(batch, O.self, Int64.self, D.self)
        case .int128, .float64, .string: throw unexpectedForm(a)
        }
    }
    @inline(__always) private func right<O: BinaryOperation, A: FixedWidthInteger, D: FixedWidthInteger>(
        _ batch: Batch, _: O.Type, _: A.Type, _: D.Type
    ) throws {
        if b.isConstant {
            let k = D(truncatingIfNeeded: b.lower), x = batch.values(a.index, A.self)
            let o = batch.output(output.index, D.self)
            for i in 0..<batch.count { o[i] = O.apply(D(truncatingIfNeeded: x[i]), k) }
            return
        }
        switch b.physical {
        case .uint8: loop(batch, O.self, A.self, UInt8.self, D.self)
        case .uint16: loop(batch, O.self, A.self, UInt16.self, D.self)
        case .int32: loop(batch, O.self, A.self, Int32.self, D.self)
        case .int64: loop(batch, O.self, A.self, Int64.self, D.self)
        case .int128, .float64, .string: throw unexpectedForm(b)
        }
    }
    @inline(__always)
    private func loop<
        O: BinaryOperation, A: FixedWidthInteger, B: FixedWidthInteger, D: FixedWidthInteger
    >(_ batch: Batch, _: O.Type, _: A.Type, _: B.Type, _: D.Type) {
        let x = batch.values(a.index, A.self), y = batch.values(b.index, B.self), n = batch.count
        let o = batch.output(output.index, D.self)
        for i in 0..<n { o[i] = O.apply(D(truncatingIfNeeded: x[i]), D(truncatingIfNeeded: y[i])) }
    }
}

/// 128-bit arithmetic. Checked: overflow of 128 bits and of the type's range is an error for rows that count.
private final class WideArithmetic: Step {
    private let function: ScalarFunction
    private let a: Register, b: Register, output: Register
    private let allowed: (lower: Int128, upper: Int128)?
    private let guardRegister: Int?
    override var acceptsMask: Bool { allowed == nil }

    init(
        _ function: ScalarFunction, _ a: Register, _ b: Register, _ output: Register,
        _ allowed: (lower: Int128, upper: Int128)?, _ guardRegister: Int?
    ) {
        self.function = function
        self.a = a
        self.b = b
        self.output = output
        self.allowed = allowed
        self.guardRegister = guardRegister
        super.init(inputs: [a.index, b.index] + (guardRegister.map { [$0] } ?? []), outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch function {
        case .add: try loop(batch, Add.self)
        case .subtract: try loop(batch, Subtract.self)
        default: try loop(batch, Multiply.self)
        }
    }
    @inline(__always) private func loop<O: BinaryOperation>(_ batch: Batch, _: O.Type) throws {
        let x = batch.values(a.index, Int128.self), y = batch.values(b.index, Int128.self), n = batch.count
        let o = batch.output(output.index, Int128.self)
        batch.combineValidity(output.index, [a.index, b.index])
        guard let allowed else {
            for i in 0..<n { o[i] = O.apply(x[i], y[i]) }
            return
        }
        let valid = batch.validity(output.index), active = guardRegister.map { batch.values($0, UInt8.self) }
        for i in 0..<n {
            let (r, overflow) = O.checked(x[i], y[i])
            o[i] = r
            if overflow || r < allowed.lower || r > allowed.upper {
                if valid.map({ $0[i] == 0 }) ?? false || active.map({ $0[i] == 0 }) ?? false {
                    o[i] = output.lower
                    continue
                }
                if overflow && function == .multiply && output.type.isDecimal {
                    throw SQLError(.numericOutOfRange, "128 bit numeric data overflow (multiplication)")
                }
                throw ArithmeticBounds.overflow(output.type)
            }
        }
    }
}

/// Values must lie in the SQL type's range; the register is wide enough to hold what does not.
final class RangeCheck: Step {
    private let register: Register
    private let type: SQLType
    private let guardRegister: Int?
    override var boundedRegister: Int? { register.index }

    init(_ register: Register, _ type: SQLType, _ guardRegister: Int?) {
        self.register = register
        self.type = type
        self.guardRegister = guardRegister
        super.init(inputs: [register.index] + (guardRegister.map { [$0] } ?? []), outputs: [])
    }
    override func run(_ batch: Batch) throws {
        switch register.physical {
        case .int32: try check(batch, Int32.self)
        case .int64: try check(batch, Int64.self)
        case .int128: try check(batch, Int128.self)
        case .uint8, .uint16, .float64, .string: break
        }
    }
    @inline(__always) private func check<T: FixedWidthInteger>(_ batch: Batch, _: T.Type) throws {
        let bounds = type.valueBounds
        let low = T(clamping: bounds.lower), high = T(clamping: bounds.upper)
        let x = batch.slots[register.index].data.assumingMemoryBound(to: T.self), n = batch.count
        var bad: UInt8 = 0
        for i in 0..<n { bad |= b2u(x[i] < low) | b2u(x[i] > high) }
        if bad == 0 { return }
        let valid = batch.validity(register.index), active = guardRegister.map { batch.values($0, UInt8.self) }
        for i in 0..<n where x[i] < low || x[i] > high {
            if valid.map({ $0[i] != 0 }) ?? true && active.map({ $0[i] != 0 }) ?? true {
                throw ArithmeticBounds.overflow(type)
            }
            // A row that does not count must still decode inside the register's bounds.
            x[i] = T(clamping: register.lower)
        }
    }
}

/// Floats; an infinite result of finite operands is an overflow.
private final class DoubleArithmetic: Step {
    private let function: ScalarFunction
    private let a: Int, b: Int, output: Int
    private let isReal: Bool
    private let guardRegister: Int?

    init(_ function: ScalarFunction, _ a: Register, _ b: Register, _ output: Register, _ guardRegister: Int?) {
        self.function = function
        self.a = a.index
        self.b = b.index
        self.output = output.index
        self.guardRegister = guardRegister
        isReal = output.type == .real
        super.init(inputs: [a.index, b.index] + (guardRegister.map { [$0] } ?? []), outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch function {
        case .add: loop(batch, Add.self)
        case .subtract: loop(batch, Subtract.self)
        default: loop(batch, Multiply.self)
        }
        let o = batch.output(output, Double.self), n = batch.count
        batch.combineValidity(output, [a, b])
        if isReal { for i in 0..<n { o[i] = Double(Float(o[i])) } }
        var infinite: UInt8 = 0
        for i in 0..<n { infinite |= b2u(o[i].magnitude == .infinity) }
        if infinite != 0 { try checkOverflow(batch) }
    }
    private func checkOverflow(_ batch: Batch) throws {
        let x = batch.values(a, Double.self), y = batch.values(b, Double.self), o = batch.values(output, Double.self)
        let valid = batch.validity(output), active = guardRegister.map { batch.values($0, UInt8.self) }
        for i in 0..<batch.count where o[i].isInfinite && x[i].isFinite && y[i].isFinite {
            if valid.map({ $0[i] != 0 }) ?? true && active.map({ $0[i] != 0 }) ?? true {
                throw SQLError(.numericOutOfRange, "value out of range: overflow")
            }
        }
    }
    @inline(__always) private func loop<O: BinaryOperation>(_ batch: Batch, _: O.Type) {
        let x = batch.values(a, Double.self), y = batch.values(b, Double.self), n = batch.count
        let o = batch.output(output, Double.self)
        for i in 0..<n { o[i] = O.apply(x[i], y[i]) }
    }
}
