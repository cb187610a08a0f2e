import SQLTypes

extension Pipeline {
    /// Intervals as numbers of microseconds in PostgreSQL's order, a month counting 30 days; other registers as they
    /// are. The packed form of an interval has no order: its microseconds are unsigned.
    func comparable(_ register: Register) -> Register {
        guard register.type == .interval else { return register }
        let type = SQLType.decimal(precision: SQLType.maximumPrecision, scale: 0)
        switch register.constant {
        case .interval(let value): return constant(.integer(value.comparable), type)
        case .null: return constant(.null, type)
        default: break
        }
        let limit = Interval(months: .max, microseconds: .max).comparable + 1
        let lowest = Interval(months: .min, microseconds: .min).comparable
        let output = makeRegister(
            type, .int128, lower: lowest, upper: limit, nullable: register.nullable)
        emit(IntervalSpan(register, output))
        return output
    }
}

/// See ``Pipeline/comparable(_:)``.
final class IntervalSpan: Step {
    private let input: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let from = batch.values(input, Int128.self), to = batch.output(output, Int128.self)
        for i in 0..<batch.count { to[i] = Interval(packed: from[i]).comparable }
        batch.combineValidity(output, inputs)
    }
}
