import QueryPlan
import SQLTypes

extension Pipeline {
    /// EXTRACT from timestamps and from computed dates, with the bounds that parts have: groupings by them are dense.
    /// nil: the general kernel has to do it.
    func datePart(_ arguments: [BoundExpression], _ type: SQLType) throws -> Register? {
        guard type.isInteger || type == .double, let part = constantPart(arguments) else { return nil }
        let value = try compile(arguments[1])
        if value.isConstant { return nil }
        if value.type == .date { return partOfDay(value, arguments[0], type) }
        guard value.type == .timestamp, let found = try partOfTimestamp(value, part, arguments[0], type) else {
            return nil
        }
        return found.type == type ? found : relabeled(type == .double ? try toDouble(found) : found, type)
    }

    /// Of [part, value].
    private func constantPart(_ arguments: [BoundExpression]) -> DatePart? {
        guard arguments.count == 2, case .constant(.string(let name), _) = arguments[0] else { return nil }
        return DatePart(name: String(decoding: name, as: UTF8.self))
    }

    /// DATE_TRUNC of timestamps; nil as above.
    func dateTruncation(_ arguments: [BoundExpression], _ type: SQLType) throws -> Register? {
        guard type == .timestamp, let part = constantPart(arguments) else { return nil }
        let value = try compile(arguments[1])
        guard value.type == .timestamp, !value.isConstant else { return nil }
        // A moment has no smaller parts.
        if part == .microsecond { return value }
        if let unit = part.microseconds, part != .week {
            let division = ConstantDivision(by: unit, times: unit, .down)
            guard division.takes(value), division.apply(value.lower) >= Int128(Calendar.minimumTimestamp) else {
                return nil
            }
            let output = makeRegister(
                type, .int64, lower: division.apply(value.lower), upper: division.apply(value.upper),
                nullable: value.nullable)
            emit(DivideByConstant(value, output, division))
            return output
        }
        return day(of: value).flatMap { day in
            DomainEvaluation.compile(over: day, in: self) { .call(.dateTruncate, [arguments[0], $0], type) }
        }
    }

    private func partOfTimestamp(
        _ value: Register, _ part: DatePart, _ name: BoundExpression, _ type: SQLType
    ) throws -> Register? {
        switch part {
        case .hour: return remainder(value, unit: Calendar.microsecondsPerHour, count: 24)
        case .minute: return remainder(value, unit: Calendar.microsecondsPerMinute, count: 60)
        // DATE_PART has the seconds' fraction.
        case .second: return type == .double ? nil : remainder(value, unit: Calendar.microsecondsPerSecond, count: 60)
        case .millisecond: return remainder(value, unit: 1_000, count: 1_000)
        case .microsecond, .epoch, .timezone, .timezoneHour, .timezoneMinute: return nil
        default: return day(of: value).flatMap { partOfDay($0, name, type) }
        }
    }

    /// The date of a timestamp.
    func day(of value: Register) -> Register? {
        let division = ConstantDivision(by: Calendar.microsecondsPerDay, .down)
        guard division.takes(value) else { return nil }
        let (lower, upper) = (division.apply(value.lower), division.apply(value.upper))
        let output = makeRegister(.date, .int32, lower: lower, upper: upper, nullable: value.nullable)
        emit(DivideByConstant(value, output, division))
        return output
    }

    /// By a table where the dates are few, else row by row.
    private func partOfDay(_ day: Register, _ name: BoundExpression, _ type: SQLType) -> Register? {
        DomainEvaluation.compile(over: day, in: self) { .call(.datePart, [name, $0], type) }
    }

    /// How many whole units a moment is behind the last multiple of `count` of them.
    private func remainder(_ value: Register, unit: Int64, count: Int64) -> Register? {
        let units = ConstantDivision(by: unit, .down)
        guard units.takes(value) else { return nil }
        let output = makeRegister(
            .integer, PhysicalType.narrowest(0, Int128(count - 1)), lower: 0, upper: Int128(count - 1),
            nullable: value.nullable)
        emit(UnitRemainder(widen(value, to: .int64), output, units, ConstantDivision(by: count, .down)))
        return output
    }
}

/// See ``Pipeline/datePart(_:_:)``.
private final class UnitRemainder: Step {
    private let input: Register, output: Register
    private let units: ConstantDivision, cycle: ConstantDivision
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ output: Register, _ units: ConstantDivision, _ cycle: ConstantDivision) {
        self.input = input
        self.output = output
        self.units = units
        self.cycle = cycle
        super.init(inputs: [input.index], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        if output.physical == .uint8 { loop(batch, UInt8.self) } else { loop(batch, UInt16.self) }
        batch.combineValidity(output.index, inputs)
    }

    @inline(__always) private func loop<D: FixedWidthInteger>(_ batch: Batch, _: D.Type) {
        let x = batch.values(input.index, Int64.self), o = batch.output(output.index, D.self)
        let (units, cycle) = (units, cycle)
        for i in 0..<batch.count {
            let whole = units.divide(x[i])
            o[i] = D(truncatingIfNeeded: whole &- cycle.divide(whole) &* cycle.divisor)
        }
    }
}
