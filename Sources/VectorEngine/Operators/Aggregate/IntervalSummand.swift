import QueryPlan
import SQLTypes

/// Intervals as numbers that add up: months * 2^95 + microseconds, so that neither part of a sum runs into the other.
/// As many rows as there can be of the longest times stay below 2^94; sums of months beyond 2^32 are refused.
final class IntervalSummand: Step {
    private let input: Int, output: Int
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let from = batch.values(input, Int128.self), to = batch.output(output, Int128.self)
        if let valid = batch.validity(input) {
            // Behind NULL there may be anything.
            for i in 0..<batch.count { to[i] = valid[i] == 0 ? 0 : try IntervalSummand.number(from[i]) }
        } else {
            for i in 0..<batch.count { to[i] = try IntervalSummand.number(from[i]) }
        }
        batch.combineValidity(output, [input])
    }

    /// Of a packed interval, which has the months above 64 bits of unsigned microseconds.
    @inline(__always)
    static func number(_ packed: Int128) throws -> Int128 {
        guard let months = Int32(exactly: packed &>> 64) else { throw outOfRange() }
        return (Int128(months) &<< IntervalSummand.shift) &+ Int128(Int64(truncatingIfNeeded: packed))
    }
    private static let shift: Int128 = 95

    private static func outOfRange() -> SQLError { SQLError(.datetimeOverflow, "interval out of range") }

    /// The parts of a sum.
    private static func parts(_ sum: Int128) -> (months: Int128, microseconds: Int128) {
        let microseconds = (sum &<< (128 - shift)) &>> (128 - shift)
        // The months above are cut where the times below are negative.
        return ((sum &>> shift) &+ (microseconds < 0 ? 1 : 0), microseconds)
    }

    /// The interval of a sum.
    static func interval(_ sum: Int128) throws -> Interval {
        let (months, times) = parts(sum)
        guard let microseconds = Int64(exactly: times) else { throw outOfRange() }
        return Interval(months: Int64(months), microseconds: microseconds)
    }

    /// The mean: what is left of the months goes to the microseconds, 30 days a month.
    static func mean(_ sum: Int128, _ count: Int64) throws -> Interval {
        let (months, times) = parts(sum)
        let rest = months % Int128(count) * (30 * 86_400_000_000) + times
        guard let microseconds = Int64(exactly: rest / Int128(count)) else { throw outOfRange() }
        return Interval(months: Int64(months / Int128(count)), microseconds: microseconds)
    }
}
