import ColumnVectors
import QueryPlan

/// Periods of time against one another.
enum PeriodFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .overlaps: overlaps
        default: nil
        }
    }

    /// One bound of a period; nil is NULL.
    private typealias Moment = Int64?

    private static let overlaps = FunctionKernel(nulls: .custom) { _ in
        { frame in
            let output = frame.output(UInt8.self)
            frame.forEachRow { row in
                let result = overlap(
                    ordered(moment(frame, 0, row), moment(frame, 1, row)),
                    ordered(moment(frame, 2, row), moment(frame, 3, row)))
                output[row] = b2u(result ?? false)
                if result == nil { frame.resultValidity[row] = 0 }
            }
        }
    }

    private static func moment(_ frame: FunctionFrame, _ argument: Int, _ row: Int) -> Moment {
        frame.isNull(argument, row) ? nil : frame.arguments[argument].values(Int64.self)[row]
    }

    /// The earlier bound first; when one is unknown, the known one. nil when none is known.
    private static func ordered(_ first: Moment, _ second: Moment) -> (start: Int64, end: Moment)? {
        guard let first else { return second.map { ($0, nil) } }
        guard let second else { return (first, nil) }
        return (min(first, second), max(first, second))
    }

    /// SQL's rule as PostgreSQL has it: periods that only touch do not overlap, two that begin together do; nil where
    /// an unknown end decides.
    private static func overlap(_ first: (start: Int64, end: Moment)?, _ second: (start: Int64, end: Moment)?) -> Bool?
    {
        guard let first, let second else { return nil }
        if first.start == second.start { return first.end == nil || second.end == nil ? nil : true }
        let (earlier, later) = first.start < second.start ? (first, second) : (second, first)
        guard let end = earlier.end else { return nil }
        if later.start < end { return true }
        return later.end == nil ? nil : false
    }
}
