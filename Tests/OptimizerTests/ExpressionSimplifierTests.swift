import QueryPlan
import SQLTypes
import Testing

@testable import Optimizer

/// The rules of three-valued logic and the constants that planning needs.
@Suite struct ExpressionSimplifierTests {
    private func column(_ id: Int32, _ type: SQLType = .integer) -> BoundExpression { .column(ColumnID(id), type) }
    private func number(_ value: Int, _ type: SQLType = .integer) -> BoundExpression {
        .constant(.integer(Int128(value)), type)
    }
    private func equal(_ id: Int32, _ value: Int) -> BoundExpression { .comparison(.equal, column(id), number(value)) }
    private func simplify(_ expression: BoundExpression) -> BoundExpression {
        ExpressionSimplifier.simplify(expression)
    }

    @Test func notMovesInwards() {
        let inner = BoundExpression.and([equal(0, 1), .not(.isNull(column(1)))])
        #expect(simplify(.not(inner)) == .or([.comparison(.notEqual, column(0), number(1)), .isNull(column(1))]))
        #expect(simplify(.not(.not(equal(0, 1)))) == equal(0, 1))
    }

    @Test func nullStaysUnknown() {
        let null = BoundExpression.constant(.null, .boolean)
        #expect(simplify(.not(null)) == null)
        #expect(simplify(.comparison(.equal, column(0), .constant(.null, .integer))) == null)
        #expect(simplify(.and([null, .falseConstant])) == .falseConstant)
        #expect(simplify(.or([null, .trueConstant])) == .trueConstant)
        #expect(simplify(.comparison(.notDistinctFrom, column(0), .constant(.null, .integer))) == .isNull(column(0)))
    }

    @Test func commonConjunctsLeaveADisjunction() {
        let branches = BoundExpression.or([.and([equal(0, 1), equal(1, 2)]), .and([equal(0, 1), equal(2, 3)])])
        #expect(simplify(branches) == .and([equal(0, 1), .or([equal(1, 2), equal(2, 3)])]))
        #expect(simplify(.or([equal(0, 1), .and([equal(0, 1), equal(2, 3)])])) == equal(0, 1))
    }

    @Test func equalitiesOfOneColumnBecomeAList() {
        #expect(simplify(.or([equal(0, 1), equal(0, 2)])) == .inList(column(0), [number(1), number(2)]))
        #expect(simplify(.inList(column(0), [number(7)])) == equal(0, 7))
    }

    @Test func constantsGoRight() {
        #expect(simplify(.comparison(.less, number(1), column(0))) == .comparison(.greater, column(0), number(1)))
        #expect(simplify(.comparison(.less, number(1), number(2))) == .trueConstant)
    }

    @Test func datesAndIntervals() {
        // 1998-12-01 is day 10561; less 90 days is 1998-09-02.
        let interval = BoundExpression.constant(
            .interval(Interval(months: 0, microseconds: -90 * 86_400_000_000)), .interval)
        let sum = BoundExpression.call(.dateAddInterval, [number(10_561, .date), interval], .timestamp)
        let comparison = BoundExpression.comparison(.lessOrEqual, .cast(column(0, .date), .timestamp, .implicit), sum)
        #expect(simplify(comparison) == .comparison(.lessOrEqual, column(0, .date), number(10_471, .date)))
    }

    @Test func decimalArithmetic() {
        let type = SQLType.decimal(precision: 3, scale: 2)
        let sum = BoundExpression.call(.subtract, [number(6, type), number(1, type)], .decimal(precision: 4, scale: 2))
        #expect(simplify(sum) == number(5, .decimal(precision: 4, scale: 2)))
        let overflow = BoundExpression.call(.add, [number(Int(Int32.max)), number(1)], .integer)
        #expect(simplify(overflow) == overflow)
    }

    @Test func widenedColumnsAreComparedPlain() {
        let wide = BoundExpression.cast(column(0), .decimal(precision: 14, scale: 2), .implicit)
        let half = number(150, .decimal(precision: 14, scale: 2))
        #expect(simplify(.comparison(.less, wide, half)) == .comparison(.lessOrEqual, column(0), number(1)))
        #expect(simplify(.comparison(.greater, wide, half)) == .comparison(.greater, column(0), number(1)))
        let equal = BoundExpression.comparison(.equal, wide, half)
        #expect(simplify(equal) == equal)
    }

    @Test func nullRejection() {
        let set = ColumnSet(ColumnID(0))
        #expect(equal(0, 1).rejectsNulls(of: set))
        #expect(!BoundExpression.or([equal(0, 1), equal(1, 1)]).rejectsNulls(of: set))
        #expect(!BoundExpression.isNull(column(0)).rejectsNulls(of: set))
        #expect(BoundExpression.not(.isNull(column(0))).rejectsNulls(of: set))
    }
}
