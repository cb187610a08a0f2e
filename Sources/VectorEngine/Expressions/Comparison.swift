import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

extension Pipeline {
    /// A BOOLEAN register; NULL (and 0) where an operand is NULL, but for the DISTINCT forms.
    func compare(_ op: ComparisonOperator, _ left: Register, _ right: Register) throws -> Register {
        if left.type == .interval { return try compare(op, comparable(left), comparable(right)) }
        switch op {
        case .distinctFrom: return not(try compare(.notDistinctFrom, left, right))
        case .notDistinctFrom: return try notDistinct(left, right)
        default: break
        }
        if left.isConstant && !right.isConstant { return try compare(op.mirrored, right, left) }
        let nullable = left.nullable || right.nullable
        func result() -> Register { makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: nullable) }
        if left.constant == .null || right.constant == .null { return constant(.null, .boolean) }
        if left.physical == .string || left.dictionary != nil || right.physical == .string || right.dictionary != nil {
            return try compareStrings(op, left, right, result())
        }
        if left.physical == .float64 || right.physical == .float64 {
            let a = try toDouble(left), b = try toDouble(right), output = result()
            emit(DoubleComparison(op, a, b, output))
            return output
        }
        return try compareIntegers(op, left, right, result)
    }

    private func compareIntegers(
        _ op: ComparisonOperator, _ left: Register, _ right: Register, _ result: () -> Register
    ) throws -> Register {
        var a = left, b = right
        let scaleGap = a.type.scale - b.type.scale
        if scaleGap > 0 { b = try saturated(b, by: scaleGap) }
        if scaleGap < 0 { a = try saturated(a, by: -scaleGap) }
        if case .integer(let value) = b.constant {
            if let known = IntegerComparison.decide(op, a, value), !a.nullable {
                return constant(.boolean(known), .boolean)
            }
            let output = result()
            emit(IntegerComparison(op, a, value, output))
            return output
        }
        let wide = PhysicalType.narrowest(min(a.lower, b.lower), max(a.upper, b.upper))
        let common = PhysicalType(rawValue: max(wide.rawValue, PhysicalType.uint8.rawValue)) ?? .int128
        a = widen(a, to: common)
        b = widen(b, to: common)
        let output = result()
        emit(IntegerComparison(op, a, b, output))
        return output
    }

    private func compareStrings(
        _ op: ComparisonOperator, _ left: Register, _ right: Register, _ output: Register
    ) throws -> Register {
        if let a = left.dictionary, let b = right.dictionary, a === b, !a.hasTrailingBlanks {
            let x = widen(left, to: .uint16), y = widen(right, to: .uint16)
            emit(IntegerComparison(op, x, y, output))
            return output
        }
        let a = decoded(left), b = decoded(right)
        emit(StringComparison(op, a, b, output))
        return output
    }

    private func notDistinct(_ left: Register, _ right: Register) throws -> Register {
        let equal = try compare(.equal, left, right)
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: false)
        emit(NullSafeEquality(equal, left, right, output))
        return output
    }

    func isNull(_ register: Register) -> Register {
        if !register.nullable { return constant(.boolean(false), .boolean) }
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: false)
        emit(IsNull(register, output))
        return output
    }
}

/// left op right over equal integer forms, or against a constant.
final class IntegerComparison: Step {
    private let op: ComparisonOperator
    private let left: Register, output: Register
    private let right: Register?
    private let value: Int128
    override var acceptsMask: Bool { true }

    init(_ op: ComparisonOperator, _ left: Register, _ right: Register, _ output: Register) {
        self.op = op
        self.left = left
        self.right = right
        self.output = output
        value = 0
        super.init(inputs: [left.index, right.index], outputs: [output.index])
    }
    init(_ op: ComparisonOperator, _ left: Register, _ value: Int128, _ output: Register) {
        self.op = op
        self.left = left
        right = nil
        self.output = output
        self.value = value
        super.init(inputs: [left.index], outputs: [output.index])
    }

    /// The answer when the bounds leave no doubt.
    static func decide(_ op: ComparisonOperator, _ left: Register, _ value: Int128) -> Bool? {
        switch op {
        case .less: left.upper < value ? true : left.lower >= value ? false : nil
        case .lessOrEqual: left.upper <= value ? true : left.lower > value ? false : nil
        case .greater: left.lower > value ? true : left.upper <= value ? false : nil
        case .greaterOrEqual: left.lower >= value ? true : left.upper < value ? false : nil
        case .equal: value < left.lower || value > left.upper ? false : nil
        case .notEqual: value < left.lower || value > left.upper ? true : nil
        case .distinctFrom, .notDistinctFrom: nil
        }
    }

    override func run(_ batch: Batch) throws {
        switch left.physical {
        case .uint8: go(batch, UInt8.self)
        case .uint16: go(batch, UInt16.self)
        case .int32: go(batch, Int32.self)
        case .int64: go(batch, Int64.self)
        case .int128: go(batch, Int128.self)
        case .float64, .string: break
        }
        batch.combineValidity(output.index, inputs)
        zeroNulls(batch, output.index)
    }

    @inline(__always) private func go<T: FixedWidthInteger>(_ batch: Batch, _: T.Type) {
        let x = batch.values(left.index, T.self), o = batch.output(output.index, UInt8.self), n = batch.count
        if let right {
            compareVectors(op, x, batch.values(right.index, T.self), o, n)
        } else if let k = T(exactly: value) {
            compareConstant(op, x, k, o, n)
        } else {
            // The bounds decide, only NULL rows keep the step alive.
            let known = IntegerComparison.decide(op, left, value) ?? false
            for i in 0..<n { o[i] = known ? 1 : 0 }
        }
    }
}

/// BOOLEAN registers hold 0 in NULL rows, so that filters need not look at validity.
@inline(__always) func zeroNulls(_ batch: Batch, _ register: Int) {
    if let valid = batch.validity(register) {
        andBytes(batch.slots[register].data.assumingMemoryBound(to: UInt8.self), valid, batch.count)
    }
}

@inline(__always) private func compareVectors<T: Comparable>(
    _ op: ComparisonOperator, _ x: UnsafePointer<T>, _ y: UnsafePointer<T>, _ o: UnsafeMutablePointer<UInt8>, _ n: Int
) {
    switch op {
    case .equal: for i in 0..<n { o[i] = b2u(x[i] == y[i]) }
    case .notEqual: for i in 0..<n { o[i] = b2u(x[i] != y[i]) }
    case .less: for i in 0..<n { o[i] = b2u(x[i] < y[i]) }
    case .lessOrEqual: for i in 0..<n { o[i] = b2u(x[i] <= y[i]) }
    case .greater: for i in 0..<n { o[i] = b2u(x[i] > y[i]) }
    case .greaterOrEqual: for i in 0..<n { o[i] = b2u(x[i] >= y[i]) }
    case .distinctFrom, .notDistinctFrom: break
    }
}
@inline(__always) private func compareConstant<T: Comparable>(
    _ op: ComparisonOperator, _ x: UnsafePointer<T>, _ k: T, _ o: UnsafeMutablePointer<UInt8>, _ n: Int
) {
    switch op {
    case .equal: for i in 0..<n { o[i] = b2u(x[i] == k) }
    case .notEqual: for i in 0..<n { o[i] = b2u(x[i] != k) }
    case .less: for i in 0..<n { o[i] = b2u(x[i] < k) }
    case .lessOrEqual: for i in 0..<n { o[i] = b2u(x[i] <= k) }
    case .greater: for i in 0..<n { o[i] = b2u(x[i] > k) }
    case .greaterOrEqual: for i in 0..<n { o[i] = b2u(x[i] >= k) }
    case .distinctFrom, .notDistinctFrom: break
    }
}

/// Floats order as in PostgreSQL: NaN equals NaN and is greater than every other value.
private final class DoubleComparison: Step {
    private let op: ComparisonOperator
    private let a: Int, b: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ op: ComparisonOperator, _ a: Register, _ b: Register, _ output: Register) {
        self.op = op
        self.a = a.index
        self.b = b.index
        self.output = output.index
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(a, Double.self), y = batch.values(b, Double.self), n = batch.count
        let o = batch.output(output, UInt8.self)
        var special = false
        for i in 0..<n { special = special || x[i].isNaN || y[i].isNaN }
        if special {
            let wanted = outcomes(of: op)
            for i in 0..<n { o[i] = isAmong(wanted, totalOrder(x[i], y[i])) }
        } else {
            compareVectors(op, x, y, o, n)
        }
        batch.combineValidity(output, inputs)
        zeroNulls(batch, output)
    }
    private func totalOrder(_ x: Double, _ y: Double) -> Int {
        if x.isNaN || y.isNaN { return (x.isNaN ? 1 : 0) - (y.isNaN ? 1 : 0) }
        return x < y ? -1 : x > y ? 1 : 0
    }
}

/// The outcomes of a comparison that an operator takes for true: bit 0 less, 1 equal, 2 greater.
private func outcomes(of op: ComparisonOperator) -> UInt8 {
    switch op {
    case .equal: 0b010
    case .notEqual: 0b101
    case .less: 0b001
    case .lessOrEqual: 0b011
    case .greater: 0b100
    case .greaterOrEqual: 0b110
    case .distinctFrom, .notDistinctFrom: 0
    }
}

@inline(__always)
private func isAmong(_ outcomes: UInt8, _ order: Int) -> UInt8 {
    (outcomes &>> (b2u(order >= 0) &+ b2u(order > 0))) & 1
}

/// Byte order; trailing blanks do not count where there may be some.
private final class StringComparison: Step {
    private let op: ComparisonOperator
    private let a: Int, b: Int, output: Int
    private let trim: Bool
    override var acceptsMask: Bool { true }
    init(_ op: ComparisonOperator, _ a: Register, _ b: Register, _ output: Register) {
        self.op = op
        self.a = a.index
        self.b = b.index
        self.output = output.index
        trim = a.trailingBlanks || b.trailingBlanks
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(a, StringView.self), y = batch.values(b, StringView.self), n = batch.count
        let o = batch.output(output, UInt8.self)
        batch.combineValidity(output, inputs)
        let valid = batch.validity(output)
        let wanted = outcomes(of: op)
        @inline(__always) func fill(_ order: (StringView, StringView) -> Int) {
            @inline(__always) func outcome(_ i: Int) -> UInt8 {
                isAmong(wanted, order(x[i], y[i]))
            }
            // Views of NULL rows must not be followed.
            if let valid {
                for i in 0..<n where valid[i] != 0 { o[i] = outcome(i) }
            } else {
                for i in 0..<n { o[i] = outcome(i) }
            }
        }
        if trim {
            fill(StringView.compareTrimmed)
        } else if valid == nil && op == .equal {
            for i in 0..<n { o[i] = b2u(StringView.equal(x[i], y[i])) }
        } else if valid == nil && op == .notEqual {
            for i in 0..<n { o[i] = b2u(!StringView.equal(x[i], y[i])) }
        } else {
            fill(StringView.compare)
        }
        zeroNulls(batch, output)
    }
}

/// equal, or both NULL.
private final class NullSafeEquality: Step {
    private let equal: Int, a: Int, b: Int, output: Int
    init(_ equal: Register, _ a: Register, _ b: Register, _ output: Register) {
        self.equal = equal.index
        self.a = a.index
        self.b = b.index
        self.output = output.index
        super.init(inputs: [equal.index, a.index, b.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let e = batch.values(equal, UInt8.self), x = batch.validity(a), y = batch.validity(b), n = batch.count
        let o = batch.output(output, UInt8.self)
        for i in 0..<n {
            let left = x.map { $0[i] != 0 } ?? true, right = y.map { $0[i] != 0 } ?? true
            o[i] = left && right ? e[i] : b2u(left == right)
        }
    }
}

private final class IsNull: Step {
    private let input: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let o = batch.output(output, UInt8.self), n = batch.count
        if let valid = batch.validity(input) {
            for i in 0..<n { o[i] = valid[i] ^ 1 }
        } else {
            for i in 0..<n { o[i] = 0 }
        }
    }
}
