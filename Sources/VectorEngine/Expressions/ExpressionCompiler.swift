import Platform
import QueryPlan
import SQLTypes

/// Turns a bound expression into steps of a pipeline; one step per operation, one kernel call per batch. Forms and
/// checks are chosen from proved bounds: arithmetic that cannot overflow is not checked, and runs in the narrowest
/// integers.
struct ExpressionCompiler {
    let pipeline: Pipeline

    func compile(_ expression: BoundExpression) throws -> Register {
        try pipeline.context.cancellation.check()
        if let register = try DomainEvaluation.compile(expression, in: pipeline) { return register }
        switch expression {
        case .column(let column, _): return try pipeline.value(of: column)
        case .constant(let datum, let type): return pipeline.constant(datum, type)
        case .parameter(let index, _):
            if pipeline.parameters.indices.contains(index) { return pipeline.use(pipeline.parameters[index].index) }
            throw SQLError(.undefinedParameter, "there is no parameter $\(index + 1)")
        case .call(let function, let arguments, let type): return try call(function, arguments, type)
        case .cast(let inner, let type, let behavior):
            return try pipeline.cast(inner, to: type, behavior)
        case .comparison(let op, let left, let right):
            return try pipeline.compare(
                op, pipeline.compile(DecimalComparison.operand(left)),
                pipeline.compile(DecimalComparison.operand(right)))
        case .and(let parts): return try pipeline.combine(parts, conjunction: true)
        case .or(let parts): return try pipeline.combine(parts, conjunction: false)
        case .not(let inner): return pipeline.not(try pipeline.compile(inner))
        case .isNull(let inner): return pipeline.isNull(try pipeline.compile(inner))
        case .caseWhen(let branches, let otherwise, let type):
            return try pipeline.caseWhen(branches, otherwise, type)
        case .inList(let value, let members): return try pipeline.inList(value, members)
        case .subquery: throw SQLError(.internalError, "a subquery is left in the physical plan")
        }
    }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType) throws -> Register {
        if let fact = try pipeline.context.facts.value(of: function, arguments) {
            return pipeline.constant(fact, type)
        }
        if let register = try vectorised(function, arguments, type) { return register }
        switch function {
        case .add, .subtract, .multiply:
            // A product with more places than the type can have is rounded by the kernel.
            let isExact = function != .multiply || arguments[0].type.scale + arguments[1].type.scale == type.scale
            if type.isFloat || type.isNumeric && isExact {
                return try pipeline.arithmetic(
                    function, pipeline.compile(arguments[0]), pipeline.compile(arguments[1]), type)
            }
        case .negate:
            if type.isNumeric {
                let value = try pipeline.compile(arguments[0])
                let zero = pipeline.constant(type.isFloat ? .double(0) : .integer(0), arguments[0].type)
                if !type.isFloat { return try pipeline.arithmetic(.subtract, zero, value, type) }
            }
        case .dateAddDays, .dateSubtractDays:
            let days = try pipeline.compile(arguments[0])
            let count = try pipeline.compile(arguments[1])
            if days.isInteger && count.isInteger {
                return try pipeline.arithmetic(function == .dateAddDays ? .add : .subtract, days, count, type)
            }
        case .dateDifference:
            return try pipeline.arithmetic(
                .subtract, pipeline.compile(arguments[0]), pipeline.compile(arguments[1]), type)
        case .coalesce: return try pipeline.coalesce(arguments, type)
        default: break
        }
        return try pipeline.functionCall(function, arguments, type)
    }

    /// Functions that have loops over vectors of their own beside the kernel that works row by row.
    private func vectorised(
        _ function: ScalarFunction, _ arguments: [BoundExpression], _ type: SQLType
    ) throws -> Register? {
        guard pipeline.context.takes(.vectorFunctions) else { return nil }
        switch function {
        case .datePart: if let part = try pipeline.datePart(arguments, type) { return part }
        case .dateTruncate: if let start = try pipeline.dateTruncation(arguments, type) { return start }
        case .divide where type.isDecimal:
            let a = try pipeline.compile(arguments[0]), b = try pipeline.compile(arguments[1])
            if let quotient = pipeline.quotient(a, b, type) { return quotient }
        case .round, .truncate, .ceiling, .floor:
            let registers = try arguments.map { try pipeline.compile($0) }
            if let rounded = pipeline.rounded(function, registers, type) { return rounded }
        case .greatest, .least:
            let registers = try arguments.map { try pipeline.compile($0) }
            if let extreme = pipeline.extreme(registers, greatest: function == .greatest, type) { return extreme }
        default: break
        }
        return nil
    }
}

extension Pipeline {
    /// A register that holds the same value for every row.
    func constant(_ datum: Datum, _ type: SQLType) -> Register {
        switch datum {
        case .integer(let value):
            let physical = PhysicalType.narrowest(value, value)
            return makeRegister(
                type, physical, lower: value, upper: value, nullable: false, trailingBlanks: false, constant: datum)
        case .string(let bytes):
            return makeRegister(
                type, .string, nullable: false, trailingBlanks: bytes.last == 0x20, constant: datum)
        case .double: return makeRegister(type, .float64, nullable: false, constant: datum)
        case .interval(let value):
            return makeRegister(
                type, .int128, lower: value.packed, upper: value.packed, nullable: false, constant: datum)
        case .null:
            let physical = type.physical
            let zero: Int128? = physical.isInteger ? 0 : nil
            return makeRegister(
                type, physical, lower: zero, upper: zero, nullable: true, trailingBlanks: false, constant: datum)
        }
    }

    /// Emits filters for every conjunct of a condition.
    func filter(_ condition: BoundExpression) throws {
        if case .and(let parts) = condition, parts.count <= LongCondition.longestChain {
            for part in parts { try filter(part) }
            return
        }
        let mask = try compile(condition)
        if mask.constant == .integer(1) { return }
        emit(Filter(mask))
    }
}

/// Keeps the rows whose BOOLEAN register is true (NULL rows hold 0).
final class Filter: Step {
    override var dropsRows: Bool { true }
    private let mask: Int
    init(_ mask: Register) {
        self.mask = mask.index
        super.init(inputs: [mask.index], outputs: [])
    }
    override func run(_ batch: Batch) throws {
        let kept = positionsOfSetBytes(batch.values(mask, UInt8.self), batch.count, batch.scratchMask, batch.positions)
        batch.keep(batch.positions, kept, live: live)
        batch.count = kept
    }
}
