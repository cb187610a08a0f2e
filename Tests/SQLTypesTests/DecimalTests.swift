import Testing

@testable import SQLTypes

@Suite struct DecimalTests {
    typealias Shape = DecimalRules.Shape
    private func shape(_ precision: Int, _ scale: Int) -> Shape { Shape(precision: precision, scale: scale) }

    /// By the formulas of "Computations with numeric values" in Redshift's guide.
    @Test func rules() {
        #expect(DecimalRules.addition(shape(8, 2), shape(8, 2)) == shape(9, 2))
        #expect(DecimalRules.addition(shape(10, 0), shape(7, 4)) == shape(15, 4))
        #expect(DecimalRules.addition(shape(38, 2), shape(38, 2)) == shape(38, 2))
        #expect(DecimalRules.multiplication(shape(8, 2), shape(8, 2)) == shape(17, 4))
        #expect(DecimalRules.multiplication(shape(30, 10), shape(30, 10)) == shape(38, 20))
        #expect(DecimalRules.division(shape(8, 2), shape(8, 2)) == shape(17, 9))
        #expect(DecimalRules.division(shape(38, 10), shape(38, 20)).precision == 38)
        #expect(DecimalRules.division(shape(38, 2), shape(38, 2)) == shape(38, 4))
        #expect(DecimalRules.union(shape(8, 2), shape(10, 4)) == shape(10, 4))
        #expect(DecimalRules.union(shape(18, 0), shape(18, 18)) == shape(19, 18))
        #expect(DecimalRules.union(shape(38, 2), shape(10, 0)) == shape(38, 2))
    }

    @Test func arithmetic() throws {
        let wide = shape(38, 4)
        #expect(try DecimalArithmetic.add(150, 2, 5, 0, result: wide) == 65_000)
        #expect(try DecimalArithmetic.subtract(150, 2, 5, 0, result: wide) == -35_000)
        #expect(try DecimalArithmetic.multiply(-150, 2, 250, 2, result: wide) == -37_500)
        #expect(try DecimalArithmetic.divide(2, 0, 3, 0, result: wide) == 6_667)
        #expect(try DecimalArithmetic.divide(-2, 0, 3, 0, result: wide) == -6_667)
        #expect(try DecimalArithmetic.divide(1, 0, 8, 0, result: shape(38, 2)) == 13)
        #expect(try DecimalArithmetic.remainder(-75, 1, 2, 0, result: shape(10, 1)) == -15)
        #expect(DecimalArithmetic.rescaled(-25, from: 1, to: 0) == -3)
        #expect(DecimalArithmetic.rescaled(-25, from: 1, to: 0, rounding: false) == -2)
    }

    /// Products and dividends beyond 128 bits; the expected quotients are Python integers.
    @Test func wideIntermediates() throws {
        let big = Int128(98_765_432_109_876_543) * 1_000_000_000_000_000_000
        #expect(try DecimalArithmetic.divide(big, 10, big, 10, result: shape(38, 10)) == 10_000_000_000)
        let seventh = (big * 1_000 + 3) / 7
        #expect(try DecimalArithmetic.divide(big, 0, 70_000_000_000, 10, result: shape(38, 3)) == seventh)
        let product = try DecimalArithmetic.multiply(big, 29, -big, 29, result: shape(38, 20))
        #expect(product == Int128("-97546105798506324841960067016308"))
    }

    @Test func errors() {
        let small = shape(5, 0)
        func error(_ body: () throws -> Int128) -> SQLError? { #expect(throws: SQLError.self) { try body() } }
        #expect(
            error { try DecimalArithmetic.add(99_999, 0, 1, 0, result: small) }?.message
                == "Numeric data overflow (result precision)")
        #expect(
            error { try DecimalArithmetic.multiply(Int128.max, 0, 2, 0, result: shape(38, 0)) }?.message
                == "128 bit numeric data overflow (multiplication)")
        #expect(
            error { try DecimalArithmetic.divide(1, 0, 0, 0, result: small) } == SQLError("22012", "division by zero"))
        #expect(error { try DecimalArithmetic.remainder(1, 0, 0, 0, result: small) }?.state == .divisionByZero)
        #expect(error { try DecimalArithmetic.subtract(0, 0, .min, 0, result: small) }?.state == .numericOutOfRange)
        #expect((try? DecimalArithmetic.remainder(.min, 0, -1, 0, result: shape(38, 0))) == 0)
    }
}
