import QueryPlan
import SQLTypes
import Testing

@testable import VectorEngine

/// Inputs that operators are fed with: one table of shapes, so that a new operator is tried with all of them.
struct BatchShape: CustomTestStringConvertible {
    enum Nulls: CaseIterable { case none, some, all }
    /// How the values are spread: one value, few (tables over the domain), many in a small range, far apart.
    enum Spread: CaseIterable { case constant, few, dense, sparse }

    var rows: Int
    var nulls: Nulls
    var spread: Spread
    var testDescription: String { "\(rows) rows, \(spread), NULL: \(nulls)" }

    /// Empty, single, around the borders of a batch, and several batches.
    static let all: [BatchShape] = [0, 1, 2, 2047, 2048, 2049, 5000].flatMap { rows in
        Nulls.allCases.flatMap { nulls in
            (rows <= 2 ? [Spread.few] : Spread.allCases).map { BatchShape(rows: rows, nulls: nulls, spread: $0) }
        }
    }

    /// A row number, an integer, a wide decimal, a text with and without trailing blanks, a boolean.
    static let columns = [
        PlanFixture.column(1, .integer), PlanFixture.column(2, .bigint),
        PlanFixture.column(3, .decimal(precision: 38, scale: 2)), PlanFixture.column(4, .varchar(30)),
        PlanFixture.column(5, .boolean),
    ]

    func makeRows(seed: UInt64) -> [[Datum]] {
        var numbers = Numbers(state: seed)
        return (0..<rows).map { row in
            func value(_ make: (Int) -> Datum) -> Datum {
                let isNull = nulls == .all || (nulls == .some && numbers.next(4) == 0)
                let number = numbers.next(spread == .few ? 5 : 3000)
                return isNull ? .null : make(spread == .constant ? 7 : number)
            }
            let scale: Int128 = spread == .sparse ? 1_000_000_007 : 1
            return [
                .integer(Int128(row)), value { .integer(Int128($0 - 2) * scale) },
                value { .integer(Int128($0 - 2) * scale * scale * scale) },
                value { .text($0 % 3 == 0 ? "a longer text than fits \($0)" : "t\($0)" + ($0 % 2 == 0 ? " " : "")) },
                value { .boolean($0 % 2 == 0) },
            ]
        }
    }
}

/// Ways to run one plan, all of which must give the same rows.
enum RunWorld: CaseIterable {
    case plain, verified, withoutSpecialWays, singleRows, manyWorkers

    var fixture: PlanFixture {
        var fixture = PlanFixture()
        switch self {
        case .plain: break
        case .verified: fixture.options = ExecutionOptions(verifiesVectors: true)
        case .withoutSpecialWays: fixture.options = ExecutionOptions(disabled: Set(SpecialWay.allCases))
        case .singleRows: fixture.batchRows = 1
        case .manyWorkers: fixture.workers = 4
        }
        return fixture
    }
}
