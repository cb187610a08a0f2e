import QueryPlan
import SQLTypes

/// Comparisons of decimals of different scales. Plans bring both sides to one scale by implicit casts; where values may
/// leave 38 digits, or 64 bits for 19 of them, on the way, the side with fewer decimal places saturates instead: it is
/// then beyond every value of the other side.
enum DecimalComparison {
    /// 10^38: the first number that no decimal has at any scale.
    static let limit = PowersOfTen.int128[PowersOfTen.maximumExponent]

    /// The operand without an implicit cast that only adds decimal places and may fail.
    static func operand(_ expression: BoundExpression) -> BoundExpression {
        guard case .cast(let inner, .decimal(let precision, let scale), .implicit) = expression,
            let shape = DecimalRules.shape(of: inner.type), scale > shape.scale,
            shape.precision - shape.scale + scale > certainDigits(precision)
        else { return expression }
        return inner
    }

    /// So many digits every value of the precision's form has room for: not all of 19 fit 64 bits.
    private static func certainDigits(_ precision: Int) -> Int { precision == 19 ? 18 : precision }

    @inline(__always) static func scaled(_ value: Int128, by factor: Int128) -> Int128 {
        let (product, overflow) = value.multipliedReportingOverflow(by: factor)
        if overflow { return value < 0 ? -limit : limit }
        return min(max(product, -limit), limit)
    }
}

extension Pipeline {
    /// The value with `digits` more decimal places; too large ones are ±10^38.
    func saturated(_ register: Register, by digits: Int) throws -> Register {
        let factor = PowersOfTen.int128[min(max(digits, 0), PowersOfTen.maximumExponent)]
        let type = SQLType.decimal(
            precision: SQLType.maximumPrecision, scale: min(register.type.scale + digits, SQLType.maximumPrecision))
        if case .integer(let value) = register.constant {
            return constant(.integer(DecimalComparison.scaled(value, by: factor)), type)
        }
        let lower = DecimalComparison.scaled(register.lower, by: factor)
        let upper = DecimalComparison.scaled(register.upper, by: factor)
        if lower > -DecimalComparison.limit && upper < DecimalComparison.limit {
            return try rescaled(register, by: digits)
        }
        let wide = widen(register, to: .int128)
        let output = makeRegister(type, .int128, lower: lower, upper: upper, nullable: register.nullable)
        emit(SaturatingScale(wide, output, factor))
        return output
    }
}

private final class SaturatingScale: Step {
    private let input: Int, output: Int
    private let factor: Int128
    override var acceptsMask: Bool { true }

    init(_ input: Register, _ output: Register, _ factor: Int128) {
        self.input = input.index
        self.output = output.index
        self.factor = factor
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(input, Int128.self), o = batch.output(output, Int128.self), n = batch.count
        for i in 0..<n { o[i] = DecimalComparison.scaled(x[i], by: factor) }
        batch.combineValidity(output, inputs)
    }
}
