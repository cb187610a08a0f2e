import ColumnVectors
import QueryPlan
import SQLTypes

/// Checked arithmetic on integers, decimals and doubles: the general form; hot combinations have vector steps.
enum ArithmeticFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .add: binary(.add)
        case .subtract: binary(.subtract)
        case .multiply: binary(.multiply)
        case .divide: binary(.divide)
        case .modulo: binary(.modulo)
        case .negate: negate
        case .absolute: absolute
        case .bitAnd: bits(.and)
        case .bitOr: bits(.or)
        case .bitXor: bits(.xor)
        case .bitNot: bits(.not)
        case .shiftLeft: bits(.left)
        case .shiftRight: bits(.right)
        default: nil
        }
    }

    enum Operation { case add, subtract, multiply, divide, modulo }

    static func binary(_ operation: Operation) -> FunctionKernel {
        FunctionKernel { site in
            let result = site.result
            if result.isFloat { return doubles(operation, single: result == .real) }
            if result == .interval { return intervals(operation) }
            if result.isDecimal || site.arguments.contains(where: \.isDecimal) { return decimals(operation, site) }
            if result == .bigint && site.arguments.allSatisfy({ $0 == .bigint }) { return bigints(operation) }
            return integers(operation, site)
        }
    }

    static func outOfRange(_ type: SQLType) -> SQLError { SQLError(.numericOutOfRange, "\(type) out of range") }

    private static func integers(_ operation: Operation, _ site: FunctionSite) -> (FunctionFrame) throws -> Void {
        let types = site.arguments
        let result = site.result
        let (low, high) = result.valueBounds
        return { frame in
            let left = WideInput(frame, 0, types[0])
            let right = WideInput(frame, 1, types[1])
            let output = WideOutput(frame, result)
            try frame.forEachRow { row in
                let value = try integer(operation, left[row], right[row])
                guard value >= low && value <= high else { throw outOfRange(result) }
                output.put(row, value)
            }
        }
    }

    /// Sides of at most 64 bits, so nothing overflows here.
    private static func integer(_ operation: Operation, _ left: Int128, _ right: Int128) throws -> Int128 {
        switch operation {
        case .add: return left &+ right
        case .subtract: return left &- right
        case .multiply: return left &* right
        case .divide:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            return left / right
        case .modulo:
            if right == 0 { throw DecimalArithmetic.divisionByZero }
            return left % right
        }
    }

    private static func bigints(_ operation: Operation) -> (FunctionFrame) throws -> Void {
        { frame in
            let left = frame.arguments[0].values(Int64.self)
            let right = frame.arguments[1].values(Int64.self)
            let output = frame.output(Int64.self)
            try frame.forEachRow { row in
                let (a, b) = (left[row], right[row])
                if b == 0 && (operation == .divide || operation == .modulo) { throw DecimalArithmetic.divisionByZero }
                let (value, overflow) =
                    switch operation {
                    case .add: a.addingReportingOverflow(b)
                    case .subtract: a.subtractingReportingOverflow(b)
                    case .multiply: a.multipliedReportingOverflow(by: b)
                    case .divide: a.dividedReportingOverflow(by: b)
                    case .modulo: b == -1 ? (0, false) : a.remainderReportingOverflow(dividingBy: b)
                    }
                if overflow { throw outOfRange(.bigint) }
                output[row] = value
            }
        }
    }

    private static func decimals(_ operation: Operation, _ site: FunctionSite) -> (FunctionFrame) throws -> Void {
        let (first, second) = (site.arguments[0], site.arguments[1])
        let result = site.result
        let shape = DecimalRules.shape(of: result) ?? DecimalRules.Shape(precision: 38, scale: 0)
        return { frame in
            let left = WideInput(frame, 0, first)
            let right = WideInput(frame, 1, second)
            let output = WideOutput(frame, result)
            let (leftScale, rightScale) = (first.scale, second.scale)
            try frame.forEachRow { row in
                let (a, b) = (left[row], right[row])
                let value =
                    switch operation {
                    case .add: try DecimalArithmetic.add(a, leftScale, b, rightScale, result: shape)
                    case .subtract: try DecimalArithmetic.subtract(a, leftScale, b, rightScale, result: shape)
                    case .multiply: try DecimalArithmetic.multiply(a, leftScale, b, rightScale, result: shape)
                    case .divide: try DecimalArithmetic.divide(a, leftScale, b, rightScale, result: shape)
                    case .modulo: try DecimalArithmetic.remainder(a, leftScale, b, rightScale, result: shape)
                    }
                output.put(row, value)
            }
        }
    }

    private static func doubles(_ operation: Operation, single: Bool) -> (FunctionFrame) throws -> Void {
        { frame in
            let left = frame.arguments[0].values(Double.self)
            let right = frame.arguments[1].values(Double.self)
            let output = frame.output(Double.self)
            try frame.forEachRow { row in
                let (a, b) = (left[row], right[row])
                if b == 0 && (operation == .divide || operation == .modulo) { throw DecimalArithmetic.divisionByZero }
                var value =
                    switch operation {
                    case .add: a + b
                    case .subtract: a - b
                    case .multiply: a * b
                    case .divide: a / b
                    case .modulo: a.truncatingRemainder(dividingBy: b)
                    }
                if single { value = Double(Float(value)) }
                if value.isInfinite && a.isFinite && b.isFinite { throw MathFunctions.overflow }
                output[row] = value
            }
        }
    }

    private static func intervals(_ operation: Operation) -> (FunctionFrame) throws -> Void {
        { frame in
            let left = frame.arguments[0].values(Int128.self)
            let right = frame.arguments[1].values(Int128.self)
            let output = frame.output(Int128.self)
            try frame.forEachRow { row in
                let (a, b) = (Interval(packed: left[row]), Interval(packed: right[row]))
                output[row] = try IntervalArithmetic.combine(a, b, subtract: operation == .subtract).packed
            }
        }
    }

    // MARK: One argument

    static let negate = FunctionKernel { site in
        if site.result.isFloat { return try FunctionKernel.unary(Double.self, Double.self) { -$0 }.make(site) }
        if site.result == .interval { return try DatetimeFunctions.intervalNegate.make(site) }
        return integerMap(site) { 0 &- $0 }
    }

    static let absolute = FunctionKernel { site in
        if site.result.isFloat { return try FunctionKernel.unary(Double.self, Double.self) { $0.magnitude }.make(site) }
        return integerMap(site) { $0 < 0 ? 0 &- $0 : $0 }
    }

    /// Values in and out have the same scale.
    private static func integerMap(
        _ site: FunctionSite, _ body: @escaping (Int128) -> Int128
    ) -> (FunctionFrame) throws -> Void {
        let (from, result) = (site.arguments[0], site.result)
        let (low, high) = result.valueBounds
        return { frame in
            let input = WideInput(frame, 0, from)
            let output = WideOutput(frame, result)
            try frame.forEachRow { row in
                let value = body(input[row])
                guard value >= low && value <= high else { throw outOfRange(result) }
                output.put(row, value)
            }
        }
    }

    // MARK: Bits

    enum BitOperation { case and, or, xor, not, left, right }

    static func bits(_ operation: BitOperation) -> FunctionKernel {
        FunctionKernel { site in
            if site.result.physical == .int64 { return bits(operation, Int64.self, site.arguments) }
            return bits(operation, Int32.self, site.arguments, narrow: site.result == .smallint)
        }
    }

    private static func bits<Value: FixedWidthInteger & SignedInteger>(
        _ operation: BitOperation, _: Value.Type, _ types: [SQLType], narrow: Bool = false
    ) -> (FunctionFrame) throws -> Void {
        { frame in
            let left = frame.arguments[0].values(Value.self)
            let right = WideInput(frame, frame.arguments.count - 1, types[types.count - 1])
            let output = frame.output(Value.self)
            frame.forEachRow { row in
                let a = left[row]
                let b = right[row]
                let other = Value(truncatingIfNeeded: b)
                let value: Value =
                    switch operation {
                    case .and: a & other
                    case .or: a | other
                    case .xor: a ^ other
                    case .not: ~a
                    // The hardware's shifts: the count wraps at the width, as in the reference system.
                    case .left: a &<< other
                    case .right: a &>> other
                    }
                output[row] = narrow ? Value(truncatingIfNeeded: Int16(truncatingIfNeeded: value)) : value
            }
        }
    }
}
