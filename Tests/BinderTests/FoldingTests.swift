import Binder
import QueryPlan
import SQLTypes
import Testing

/// Constants: folded, and bent to the columns that they are compared with.
@Suite struct FoldingTests {
    private func fixture() throws -> BinderFixture { try BinderFixture(TypeRuleTests.ddl) }

    /// The right side of the only comparison of a WHERE.
    private func constant(_ condition: String) throws -> BoundExpression? {
        guard case .comparison(_, .column, let right)? = try fixture().condition("select 1 from t where \(condition)")
        else { return nil }
        return right
    }

    private static let day: Int128 = 10_471  // 1998-09-02

    @Test func dateArithmetic() throws {
        let expected = BoundExpression.constant(.integer(Self.day), .date)
        #expect(try constant("dt <= date '1998-12-01' - interval '90 day'") == expected)
        #expect(try constant("dt <= date '1998-12-01' - interval '90' day") == expected)
        #expect(try constant("dt < date '1998-06-02' + interval '3' month") == expected)
        #expect(try constant("dt = date '1998-12-01' - 90") == expected)
        #expect(try constant("dt = '1998-09-02'") == expected)
        #expect(try constant("dt = cast('1998-09-01' as date) + 1") == expected)
        #expect(try constant("dt < dateadd(month, 3, '1998-06-02')") == expected)
    }

    @Test func momentsInsideOfADay() throws {
        let condition = try fixture().condition("select 1 from t where dt < timestamp '1998-09-02 12:00:00'")
        guard case .comparison(.lessOrEqual, .column, .constant(.integer(Self.day), .date))? = condition else {
            Issue.record("\(String(describing: condition))")
            return
        }
    }

    @Test func timestamps() throws {
        let expected = BoundExpression.constant(.integer(Self.day * 86_400_000_000), .timestamp)
        #expect(try constant("ts >= '1998-09-02'") == expected)
        #expect(try constant("ts >= date '1998-09-02'") == expected)
    }

    @Test func decimalsKeepTheColumn() throws {
        func value(_ unscaled: Int128, _ precision: Int) -> BoundExpression {
            .constant(.integer(unscaled), .decimal(precision: precision, scale: 2))
        }
        let between = try fixture().condition("select 1 from t where d122 between 0.06 - 0.01 and 0.06 + 0.01")
        guard case .and(let terms)? = between, case .comparison(_, .column, let low) = terms[0],
            case .comparison(_, .column, let high) = terms[1]
        else {
            Issue.record("\(String(describing: between))")
            return
        }
        #expect(low.type.scale == 2 && high.type.scale == 2)
        if case .constant(.integer(5), _) = low {} else { Issue.record("\(low)") }
        if case .constant(.integer(7), _) = high {} else { Issue.record("\(high)") }
        #expect(try constant("d122 < 24") == value(2_400, 4))
        #expect(try constant("d122 < 1.5") == value(150, 3))
        #expect(try constant("d122 < 1.50000") == value(150, 3))
        #expect(try constant("i = 3.0") == .constant(.integer(3), .integer))
        #expect(try constant("b = '42'") == .constant(.integer(42), .bigint))
    }

    @Test func inexactConstantsWidenTheColumn() throws {
        let condition = try fixture().condition("select 1 from t where d122 < 1.555")
        guard case .comparison(.less, .cast(.column, let type, .implicit), let right)? = condition else {
            Issue.record("\(String(describing: condition))")
            return
        }
        #expect(type.scale == 3 && right.type.scale == 3)
    }

    @Test func inLists() throws {
        let condition = try fixture().condition("select 1 from t where d122 in (1, 2.5, 3)")
        guard case .inList(.column, let members)? = condition else {
            Issue.record("\(String(describing: condition))")
            return
        }
        #expect(members.allSatisfy { $0.type.scale == 2 })
    }

    @Test func integersAreChecked() throws {
        // Errors are left to the run: `case when true then 1 else 1 / 0 end` is 1.
        for text in ["2147483647 + 1", "1 / 0"] {
            guard case .call? = try fixture().expressions("select \(text)").first else {
                Issue.record("\(text) was computed")
                continue
            }
        }
        #expect(try fixture().expressions("select 7 / 2") == [.constant(.integer(3), .integer)])
        #expect(try fixture().expressions("select -7 / 2") == [.constant(.integer(-3), .integer)])
    }

    @Test func badLiterals() throws {
        let error = try fixture().error("select 1 from t where dt > 'yesterdayish'")
        #expect(error?.position == 28)
        #expect(try fixture().error("select 1 from t where i = 'abc'")?.message.contains("abc") == true)
    }
}
