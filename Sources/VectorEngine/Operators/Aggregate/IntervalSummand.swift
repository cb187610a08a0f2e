import QueryPlan
import SQLTypes

/// Intervals as numbers that add up: months * 2^64 + microseconds, while the packed form has the microseconds unsigned.
final class IntervalSummand: Step {
    private let input: Int, output: Int
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let from = batch.values(input, Int128.self), to = batch.output(output, Int128.self)
        for i in 0..<batch.count { to[i] = IntervalSummand.number(from[i]) }
        batch.combineValidity(output, [input])
    }

    /// Of a packed interval.
    @inline(__always)
    static func number(_ packed: Int128) -> Int128 {
        ((packed &>> 64) &<< 64) &+ Int128(Int64(truncatingIfNeeded: packed))
    }

    /// Whether these are days and times alone: months in their sum are microseconds that found no room.
    static func hasNoMonths(_ arguments: [BoundExpression]) -> Bool {
        guard case .cast(let value, .interval, _)? = arguments.first, case .dayTimeInterval = value.type else {
            return false
        }
        return true
    }

    /// The interval of a sum.
    static func interval(_ sum: Int128, hasNoMonths: Bool = false) throws -> Interval {
        if hasNoMonths, Int64(exactly: sum) == nil { throw SQLError(.datetimeOverflow, "interval out of range") }
        let microseconds = Int64(truncatingIfNeeded: sum)
        let (rest, overflow) = sum.subtractingReportingOverflow(Int128(microseconds))
        if overflow { throw SQLError(.datetimeOverflow, "interval out of range") }
        return Interval(months: Int64(truncatingIfNeeded: rest >> 64), microseconds: microseconds)
    }

    /// The mean: what is left of the months goes to the microseconds, 30 days a month.
    static func mean(_ sum: Int128, _ count: Int64, hasNoMonths: Bool = false) throws -> Interval {
        if hasNoMonths {
            guard let microseconds = Int64(exactly: sum / Int128(count)) else {
                throw SQLError(.datetimeOverflow, "interval out of range")
            }
            return Interval(months: 0, microseconds: microseconds)
        }
        let total = try interval(sum)
        let month: Int128 = 30 * 86_400_000_000
        let rest = Int128(total.months % count) * month + Int128(total.microseconds)
        guard let microseconds = Int64(exactly: rest / Int128(count)) else {
            throw SQLError(.datetimeOverflow, "interval out of range")
        }
        return Interval(months: total.months / count, microseconds: microseconds)
    }
}
