import QueryPlan
import SQLTypes
import Testing

@testable import VectorEngine

/// Grouped aggregation in every form of group keys against plain dictionaries.
struct AggregateTests {
    enum KeyShape: CaseIterable { case none, few, many, sparse, text, mixed }
    static let columns = [
        PlanFixture.column(1, .integer), PlanFixture.column(2, .bigint), PlanFixture.column(3, .varchar(20)),
        PlanFixture.column(4, .decimal(precision: 12, scale: 2)), PlanFixture.column(5, .integer),
    ]

    static func rows(_ count: Int, _ shape: KeyShape, _ numbers: inout Numbers) -> [[Datum]] {
        (0..<count).map { _ in
            let key = numbers.next(shape == .few ? 7 : max(count / 3, 2))
            let text = key % 2 == 0 ? "a rather long text \(key)" : "t\(key)"
            return [
                numbers.next(10) == 0 && shape != .many ? .null : .integer(Int128(key)),
                .integer(Int128(key) * (shape == .sparse ? 1_000_000_007_000 : 1)),
                numbers.next(10) == 0 ? .null : .text(text),
                .integer(Int128(numbers.next(100_000))),
                numbers.next(5) == 0 ? .null : .integer(Int128(numbers.next(2000)) - 1000),
            ]
        }
    }
    static func groups(_ shape: KeyShape) -> [Int] {
        switch shape {
        case .none: []
        case .few, .many: [0]
        case .sparse: [1]
        case .text: [2]
        case .mixed: [0, 2, 1]
        }
    }
    static func call(
        _ id: Int32, _ function: AggregateFunction, _ column: Int?, _ type: SQLType, distinct: Bool = false
    )
        -> LogicalAggregate.Aggregate
    {
        let arguments = column.map { [BoundExpression.column(columns[$0].id, columns[$0].type)] } ?? []
        return LogicalAggregate.Aggregate(
            id: ColumnID(id),
            call: AggregateCall(function: function, arguments: arguments, distinct: distinct, type: type))
    }
    static let calls = [
        call(100, .countRows, nil, .bigint), call(101, .sum, 3, .decimal(precision: 38, scale: 2)),
        call(102, .sum, 4, .bigint), call(103, .count, 4, .bigint), call(104, .minimum, 4, .integer),
        call(105, .maximum, 2, .varchar(20)), call(106, .count, 4, .bigint, distinct: true),
        call(107, .sum, 4, .bigint, distinct: true), call(108, .average, 4, .bigint),
        call(109, .count, 2, .bigint, distinct: true), call(110, .median, 4, .decimal(precision: 38, scale: 1)),
    ]

    static func integers(_ rows: [[Datum]], _ column: Int) -> [Int128] {
        rows.compactMap { if case .integer(let value) = $0[column] { value } else { nil } }
    }
    static func expected(_ rows: [[Datum]], _ shape: KeyShape) -> [[Datum]] {
        var groups: [[Datum]: [[Datum]]] = shape == .none ? [[]: []] : [:]
        for row in rows { groups[AggregateTests.groups(shape).map { row[$0] }, default: []].append(row) }
        return groups.map { key, rows in
            let values = integers(rows, 4), distinct = Set(values), ordered = values.sorted()
            let texts = rows.compactMap { if case .string(let bytes) = $0[2] { bytes } else { nil } }
            let largest = texts.max { $0.lexicographicallyPrecedes($1) }
            let total = values.reduce(0, +)
            let middle = ordered.isEmpty ? 0 : (ordered[(ordered.count - 1) / 2] + ordered[ordered.count / 2]) * 5
            let prices = integers(rows, 3)
            return key + [
                .integer(Int128(rows.count)), prices.isEmpty ? .null : .integer(prices.reduce(0, +)),
                values.isEmpty ? .null : .integer(total), .integer(Int128(values.count)),
                values.isEmpty ? .null : .integer(ordered[0]), largest.map { .string($0) } ?? .null,
                .integer(Int128(distinct.count)), values.isEmpty ? .null : .integer(distinct.reduce(0, +)),
                values.isEmpty ? .null : .integer(total / Int128(values.count)),
                .integer(Int128(Set(texts).count)), values.isEmpty ? .null : .integer(middle),
            ]
        }
    }
    static func plan(_ rows: [[Datum]], _ shape: KeyShape) -> PhysicalPlan {
        let groups = AggregateTests.groups(shape)
        let aggregate = PhysicalAggregate(
            method: .hash,
            groups: groups.map {
                ProjectedColumn(id: ColumnID(Int32(50 + $0)), expression: .column(columns[$0].id, columns[$0].type))
            }, aggregates: calls)
        let outputs =
            groups.map { PlanFixture.column(Int32(50 + $0), columns[$0].type) }
            + calls.map { OutputColumn(id: $0.id, name: "a", type: $0.call.type) }
        return PlanFixture.plan(.aggregate(aggregate), [PlanFixture.values(columns, rows)], outputs)
    }

    @Test(arguments: KeyShape.allCases)
    func everyForm(shape: KeyShape) throws {
        for (batchRows, count) in [(1, 20), (7, 300), (2048, 3000), (2048, 34_000), (16, 0)] {
            var numbers = Numbers(state: UInt64(count + 3))
            let rows = AggregateTests.rows(count, shape, &numbers)
            let found = try PlanFixture(batchRows: batchRows).run(AggregateTests.plan(rows, shape))
            let wanted = AggregateTests.expected(rows, shape)
            let same = counted(found) == counted(wanted)
            #expect(same, "\(shape), \(count) rows in batches of \(batchRows)")
        }
    }

    @Test func overflowingSumsAreErrors() throws {
        let column = PlanFixture.column(1, .bigint)
        let rows = [[Datum.integer(Int128(Int64.max))], [.integer(5)]]
        let sum = LogicalAggregate.Aggregate(
            id: ColumnID(9),
            call: AggregateCall(function: .sum, arguments: [.column(column.id, .bigint)], type: .bigint))
        let plan = PlanFixture.plan(
            .aggregate(PhysicalAggregate(method: .plain, groups: [], aggregates: [sum])),
            [PlanFixture.values([column], rows)], [PlanFixture.column(9, .bigint)])
        #expect(throws: SQLError.self) { try PlanFixture().run(plan) }
    }

    @Test func listsKeepTheirOrder() throws {
        let columns = [PlanFixture.column(1, .integer), PlanFixture.column(2, .varchar(9))]
        let rows: [[Datum]] = [
            [.integer(3), .text("c")], [.integer(1), .text("a")], [.integer(2), .null], [.integer(4), .text("a")],
        ]
        let order = SortItem(expression: .column(columns[0].id, .integer), descending: true, nullsFirst: true)
        let arguments: [BoundExpression] = [.column(columns[1].id, .varchar(9)), .constant(.text(", "), .varchar(2))]
        let calls = [false, true].enumerated().map { index, distinct in
            LogicalAggregate.Aggregate(
                id: ColumnID(Int32(8 + index)),
                call: AggregateCall(
                    function: .listAggregate, arguments: arguments, distinct: distinct, orderBy: [order],
                    type: .varchar(65_535)))
        }
        let plan = PlanFixture.plan(
            .aggregate(PhysicalAggregate(method: .plain, groups: [], aggregates: calls)),
            [PlanFixture.values(columns, rows)],
            [PlanFixture.column(8, .varchar(65_535)), PlanFixture.column(9, .varchar(65_535))])
        #expect(try PlanFixture().run(plan) == [[.text("a, c, a"), .text("a, c")]])
    }

    @Test func groupingSetsHaveNullsAndBits() throws {
        let columns = [PlanFixture.column(1, .integer), PlanFixture.column(2, .integer)]
        let rows: [[Datum]] = [
            [.integer(1), .integer(10)], [.integer(1), .integer(20)], [.integer(2), .integer(10)],
        ]
        let groups = columns.map {
            ProjectedColumn(id: ColumnID($0.id.raw + 10), expression: .column($0.id, $0.type))
        }
        let count = LogicalAggregate.Aggregate(
            id: ColumnID(20), call: AggregateCall(function: .countRows, arguments: [], type: .bigint))
        let aggregate = PhysicalAggregate(
            method: .hash, groups: groups, aggregates: [count], groupingSets: [[0, 1], [0], []],
            groupingColumn: ColumnID(30))
        let plan = PlanFixture.plan(
            .aggregate(aggregate), [PlanFixture.values(columns, rows)],
            [11, 12, 20, 30].map { PlanFixture.column($0, $0 == 20 ? .bigint : .integer) })
        func row(_ a: Int128?, _ b: Int128?, _ n: Int128, _ bits: Int128) -> [Datum] {
            [a.map { .integer($0) } ?? .null, b.map { .integer($0) } ?? .null, .integer(n), .integer(bits)]
        }
        let wanted = [
            row(1, 10, 1, 0), row(1, 20, 1, 0), row(2, 10, 1, 0), row(1, nil, 2, 2), row(2, nil, 1, 2),
            row(nil, nil, 3, 3),
        ]
        #expect(counted(try PlanFixture().run(plan)) == counted(wanted))
    }
}
