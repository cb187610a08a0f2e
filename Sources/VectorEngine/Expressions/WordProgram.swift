import QueryPlan
import SQLTypes

/// Arithmetic, comparisons and logic over variables that are words (integers, BOOLEAN, DOUBLE PRECISION, DATE,
/// TIMESTAMP) as a list of instructions: what loops of procedures do most. Whatever is no plain case (overflow,
/// division by zero, NaN) ends it without a result, and the engine computes the same expression with its own rules and
/// errors. Immutable; confined to one thread because of its buffer's owner only.
package final class WordProgram {
    package enum Operation: UInt8 {
        case constant, null, copy
        case addInteger, subtractInteger, multiplyInteger, divideInteger, moduloInteger, narrow
        case integerToDouble, addDouble, subtractDouble, multiplyDouble, divideDouble
        case equal, notEqual, less, lessOrEqual
        case equalDouble, notEqualDouble, lessDouble, lessOrEqualDouble
        case and, or, not, isNull
    }
    struct Instruction {
        var operation: Operation
        var result: Int32
        var left: Int32 = 0
        var right: Int32 = 0
        /// A constant, or the largest value of the result.
        var value: Int64 = 0
    }
    private let code: UnsafeMutablePointer<Instruction>
    private let count: Int
    /// Where the result is.
    package let result: Int
    package let type: SQLType

    /// Registers behind those of the variables.
    package static let scratchCount = 48

    /// Whether variables of the type are kept as words.
    package static func keeps(_ type: SQLType) -> Bool {
        switch type {
        case .boolean, .smallint, .integer, .bigint, .double, .date, .timestamp: true
        default: false
        }
    }

    /// nil when there is something in it that words do not know.
    ///
    /// - Parameters:
    ///   - places: the register of each parameter; nil for those that are no words.
    ///   - scratch: the first free register.
    package init?(_ expression: BoundExpression, places: [Int?], scratch: Int) {
        var compiler = Compiler(places: places, next: scratch, limit: scratch + WordProgram.scratchCount)
        guard WordProgram.keeps(expression.type), let result = compiler.compile(expression) else { return nil }
        self.result = Int(result)
        type = expression.type
        count = compiler.code.count
        code = .allocate(capacity: max(count, 1))
        code.initialize(from: compiler.code, count: count)
    }

    deinit { code.deallocate() }

    /// - Returns: false when the engine is to compute it.
    package func run(_ words: UnsafeMutablePointer<Int64>, _ nulls: UnsafeMutablePointer<Bool>) -> Bool {
        runWords(code, count, words, nulls)
    }

    private struct Compiler {
        let places: [Int?]
        var next: Int
        let limit: Int
        var code: [Instruction] = []

        mutating func make() -> Int32? {
            guard next < limit else { return nil }
            next += 1
            return Int32(truncatingIfNeeded: next - 1)
        }

        mutating func emit(
            _ operation: Operation, _ left: Int32 = 0, _ right: Int32 = 0, value: Int64 = 0
        ) -> Int32? {
            guard let result = make() else { return nil }
            code.append(Instruction(operation: operation, result: result, left: left, right: right, value: value))
            return result
        }

        mutating func compile(_ expression: BoundExpression) -> Int32? {
            switch expression {
            case .parameter(let number, _):
                guard places.indices.contains(number), let place = places[number] else { return nil }
                return Int32(truncatingIfNeeded: place)
            case .constant(let datum, let type): return constant(datum, type)
            case .call(let function, let arguments, let type): return call(function, arguments, type)
            case .cast(let value, let type, _): return cast(value, type)
            case .comparison(let symbol, let left, let right): return comparison(symbol, left, right)
            case .and(let items): return chain(.and, items)
            case .or(let items): return chain(.or, items)
            case .not(let value): return compile(value).flatMap { emit(.not, $0) }
            case .isNull(let value): return compile(value).flatMap { emit(.isNull, $0) }
            case .column, .caseWhen, .inList, .subquery: return nil
            }
        }

        private mutating func constant(_ datum: Datum, _ type: SQLType) -> Int32? {
            guard WordProgram.keeps(type) else { return nil }
            switch datum {
            case .null: return emit(.null)
            case .integer(let value): return Int64(exactly: value).flatMap { emit(.constant, value: $0) }
            case .double(let value): return emit(.constant, value: Int64(bitPattern: value.bitPattern))
            case .string, .interval: return nil
            }
        }

        private mutating func chain(_ operation: Operation, _ items: [BoundExpression]) -> Int32? {
            guard let first = items.first, var result = compile(first) else { return nil }
            for item in items.dropFirst() {
                // The right side of a short cut must not raise an error that the left side keeps it from: there are
                // none here, whatever would is left to the engine as a whole.
                guard let right = compile(item), let both = emit(operation, result, right) else { return nil }
                result = both
            }
            return result
        }

        private mutating func call(
            _ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
        ) -> Int32? {
            guard arguments.count == 2, let operation = operation(function, type),
                arguments.allSatisfy({ $0.type.isInteger == type.isInteger && WordProgram.keeps($0.type) })
            else { return nil }
            guard let left = compile(arguments[0]), let right = compile(arguments[1]) else { return nil }
            return emit(operation, left, right, value: largest(type))
        }

        private func operation(_ function: ScalarFunction, _ type: SQLType) -> Operation? {
            switch (function, type.isInteger, type == .double) {
            case (.add, true, _): .addInteger
            case (.subtract, true, _): .subtractInteger
            case (.multiply, true, _): .multiplyInteger
            case (.divide, true, _): .divideInteger
            case (.modulo, true, _): .moduloInteger
            case (.add, _, true): .addDouble
            case (.subtract, _, true): .subtractDouble
            case (.multiply, _, true): .multiplyDouble
            case (.divide, _, true): .divideDouble
            default: nil
            }
        }

        private func largest(_ type: SQLType) -> Int64 {
            switch type {
            case .smallint: Int64(Int16.max)
            case .integer: Int64(Int32.max)
            default: Int64.max
            }
        }

        private mutating func cast(_ value: BoundExpression, _ type: SQLType) -> Int32? {
            let from = value.type
            guard from.isInteger, type.isInteger || type == .double, let source = compile(value) else { return nil }
            if type == .double { return emit(.integerToDouble, source) }
            return largest(type) >= largest(from) ? source : emit(.narrow, source, value: largest(type))
        }

        private mutating func comparison(
            _ symbol: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression
        ) -> Int32? {
            let isDouble = left.type == .double
            guard WordProgram.keeps(left.type), isDouble == (right.type == .double), WordProgram.keeps(right.type),
                left.type.isInteger == right.type.isInteger, left.type.isInteger || left.type == right.type,
                let first = compile(left), let second = compile(right)
            else { return nil }
            switch symbol {
            case .equal: return emit(isDouble ? .equalDouble : .equal, first, second)
            case .notEqual: return emit(isDouble ? .notEqualDouble : .notEqual, first, second)
            case .less: return emit(isDouble ? .lessDouble : .less, first, second)
            case .lessOrEqual: return emit(isDouble ? .lessOrEqualDouble : .lessOrEqual, first, second)
            case .greater: return emit(isDouble ? .lessDouble : .less, second, first)
            case .greaterOrEqual: return emit(isDouble ? .lessOrEqualDouble : .lessOrEqual, second, first)
            case .distinctFrom, .notDistinctFrom: return nil
            }
        }
    }
}

/// The loop over the instructions; false: something that is no plain case.
private func runWords(
    _ code: UnsafeMutablePointer<WordProgram.Instruction>, _ count: Int, _ words: UnsafeMutablePointer<Int64>,
    _ nulls: UnsafeMutablePointer<Bool>
) -> Bool {
    for index in 0..<count {
        let step = code + index
        let result = Int(step.pointee.result), a = Int(step.pointee.left), b = Int(step.pointee.right)
        switch step.pointee.operation {
        case .constant:
            words[result] = step.pointee.value
            nulls[result] = false
            continue
        case .null:
            words[result] = 0
            nulls[result] = true
            continue
        case .isNull:
            words[result] = nulls[a] ? 1 : 0
            nulls[result] = false
            continue
        case .and:
            // False wins over NULL.
            let isFalse = (!nulls[a] && words[a] == 0) || (!nulls[b] && words[b] == 0)
            nulls[result] = !isFalse && (nulls[a] || nulls[b])
            words[result] = isFalse || nulls[result] ? 0 : 1
            continue
        case .or:
            let isTrue = (!nulls[a] && words[a] != 0) || (!nulls[b] && words[b] != 0)
            nulls[result] = !isTrue && (nulls[a] || nulls[b])
            words[result] = isTrue ? 1 : 0
            continue
        default: break
        }
        let isNull = nulls[a] || isBinary(step.pointee.operation) && nulls[b]
        nulls[result] = isNull
        if isNull {
            words[result] = 0
        } else if !compute(step, result, words, a, b) {
            return false
        }
    }
    return true
}

@inline(__always)
private func isBinary(_ operation: WordProgram.Operation) -> Bool {
    switch operation {
    case .copy, .narrow, .integerToDouble, .not: false
    default: true
    }
}

@inline(__always)
private func compute(
    _ step: UnsafeMutablePointer<WordProgram.Instruction>, _ result: Int, _ words: UnsafeMutablePointer<Int64>,
    _ a: Int, _ b: Int
) -> Bool {
    let left = words[a], right = words[b], largest = step.pointee.value
    switch step.pointee.operation {
    case .addInteger: return store(left.addingReportingOverflow(right), largest, words + result)
    case .subtractInteger: return store(left.subtractingReportingOverflow(right), largest, words + result)
    case .multiplyInteger: return store(left.multipliedReportingOverflow(by: right), largest, words + result)
    case .divideInteger:
        if right == 0 { return false }
        return store(left.dividedReportingOverflow(by: right), largest, words + result)
    case .moduloInteger:
        if right == 0 { return false }
        return store(left.remainderReportingOverflow(dividingBy: right), largest, words + result)
    case .narrow: return store((left, false), largest, words + result)
    case .copy: words[result] = left
    case .not: words[result] = left == 0 ? 1 : 0
    case .equal: words[result] = left == right ? 1 : 0
    case .notEqual: words[result] = left != right ? 1 : 0
    case .less: words[result] = left < right ? 1 : 0
    case .lessOrEqual: words[result] = left <= right ? 1 : 0
    case .integerToDouble: words[result] = bits(Double(left))
    default: return computeDouble(step.pointee.operation, number(left), number(right), words + result)
    }
    return true
}

@inline(__always)
private func computeDouble(
    _ operation: WordProgram.Operation, _ left: Double, _ right: Double, _ result: UnsafeMutablePointer<Int64>
) -> Bool {
    if !left.isFinite || !right.isFinite { return false }
    let value: Double
    switch operation {
    case .addDouble: value = left + right
    case .subtractDouble: value = left - right
    case .multiplyDouble: value = left * right
    case .divideDouble: value = left / right
    case .equalDouble:
        result.pointee = left == right ? 1 : 0
        return true
    case .notEqualDouble:
        result.pointee = left != right ? 1 : 0
        return true
    case .lessDouble:
        result.pointee = left < right ? 1 : 0
        return true
    case .lessOrEqualDouble:
        result.pointee = left <= right ? 1 : 0
        return true
    default: return false
    }
    // What rounds to nothing, too: the engine knows whether that is an error.
    let mayRound = operation == .multiplyDouble || operation == .divideDouble
    if !value.isFinite || value == 0 && mayRound && left != 0 { return false }
    result.pointee = bits(value)
    return true
}

@inline(__always)
private func store(
    _ outcome: (partialValue: Int64, overflow: Bool), _ largest: Int64, _ result: UnsafeMutablePointer<Int64>
) -> Bool {
    if outcome.overflow || outcome.partialValue > largest || outcome.partialValue < -largest - 1 { return false }
    result.pointee = outcome.partialValue
    return true
}

@inline(__always) private func bits(_ value: Double) -> Int64 { Int64(bitPattern: value.bitPattern) }
@inline(__always) private func number(_ word: Int64) -> Double { Double(bitPattern: UInt64(bitPattern: word)) }
