import QueryPlan
import SQLTypes
import Testing

@testable import VectorEngine

/// Operators over all shapes of input, in all worlds, against evaluators that do what the definition says row by row.
@Suite struct OperatorHarnessTests {
    private let columns = BatchShape.columns

    private func read(_ index: Int) -> BoundExpression { .column(columns[index].id, columns[index].type) }

    /// Runs the plan in every world; `ordered`: the order of the rows counts.
    private func check(
        _ shape: BatchShape, ordered: Bool = false, _ plan: (PhysicalPlan) -> PhysicalPlan,
        _ expected: ([[Datum]]) -> [[Datum]]
    ) throws {
        let rows = shape.makeRows(seed: UInt64(shape.rows) &* 31 &+ 5)
        let wanted = normalised(expected(rows))
        for world in RunWorld.allCases where world != .singleRows || shape.rows <= 2049 {
            let actual = normalised(try world.fixture.run(plan(PlanFixture.values(columns, rows))))
            if ordered {
                #expect(actual == wanted, "\(shape.testDescription), \(world)")
            } else {
                #expect(counted(actual) == counted(wanted), "\(shape.testDescription), \(world)")
            }
        }
    }

    /// Which of several equal texts stands for a group is open.
    private func normalised(_ rows: [[Datum]]) -> [[Datum]] {
        rows.map { row in row.map { if case .string(let bytes) = $0 { .string(trimmed(bytes)) } else { $0 } } }
    }

    private func order(_ left: Datum, _ right: Datum) -> Int {
        switch (left, right) {
        case (.null, .null): return 0
        case (.null, _): return 1
        case (_, .null): return -1
        case (.integer(let a), .integer(let b)): return a < b ? -1 : a == b ? 0 : 1
        case (.string(let a), .string(let b)):
            let (x, y) = (trimmed(a), trimmed(b))
            return x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
        default: return 0
        }
    }
    private func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.reversed().drop { $0 == 32 }.reversed()) }

    @Test(arguments: BatchShape.all) func filter(_ shape: BatchShape) throws {
        let condition = BoundExpression.or([
            read(4), .comparison(.greater, read(1), .constant(.integer(1), .bigint)),
        ])
        try check(shape) {
            PlanFixture.plan(.filter([condition]), [$0], columns)
        } _: { rows in
            rows.filter { row in
                if row[4] == .boolean(true) { return true }
                if case .integer(let value) = row[1] { return value > 1 }
                return false
            }
        }
    }

    @Test(arguments: BatchShape.all) func choice(_ shape: BatchShape) throws {
        let expression = BoundExpression.caseWhen(
            [.init(condition: read(4), result: read(2))], otherwise: .constant(.integer(-1), columns[2].type),
            columns[2].type)
        let output = PlanFixture.column(20, columns[2].type)
        try check(shape) {
            PlanFixture.plan(.project([ProjectedColumn(id: output.id, expression: expression)]), [$0], [output])
        } _: { rows in
            rows.map { [$0[4] == .boolean(true) ? $0[2] : .integer(-1)] }
        }
    }

    @Test(arguments: BatchShape.all, [1, 2, 3]) func sort(_ shape: BatchShape, _ key: Int) throws {
        try check(shape, ordered: true) {
            PlanFixture.plan(.sort(items(key)), [$0], columns)
        } _: {
            sorted($0, key)
        }
    }

    @Test(arguments: BatchShape.all, [1, 2, 3]) func firstRows(_ shape: BatchShape, _ key: Int) throws {
        try check(shape, ordered: true) {
            PlanFixture.plan(.topN(items(key), count: 1500, offset: 3), [$0], columns)
        } _: {
            Array(sorted($0, key).dropFirst(3).prefix(1500))
        }
    }

    /// Descending by the key, ties by the row's number.
    private func items(_ key: Int) -> [SortItem] {
        [
            SortItem(expression: read(key), descending: true, nullsFirst: true),
            SortItem(expression: read(0), descending: false, nullsFirst: false),
        ]
    }
    private func sorted(_ rows: [[Datum]], _ key: Int) -> [[Datum]] {
        rows.sorted { left, right in
            let first = order(right[key], left[key])
            return first == 0 ? order(left[0], right[0]) < 0 : first < 0
        }
    }

    @Test(arguments: BatchShape.all, [1, 2, 3, 4]) func groups(_ shape: BatchShape, _ key: Int) throws {
        let group = ProjectedColumn(id: ColumnID(20), expression: read(key))
        let calls: [(AggregateFunction, [BoundExpression], SQLType)] = [
            (.countRows, [], .bigint), (.count, [read(1)], .bigint), (.sum, [read(1)], .bigint),
            (.minimum, [read(2)], columns[2].type), (.maximum, [read(2)], columns[2].type),
        ]
        let aggregates = calls.enumerated().map { index, call in
            LogicalAggregate.Aggregate(
                id: ColumnID(Int32(21 + index)),
                call: AggregateCall(function: call.0, arguments: call.1, type: call.2))
        }
        let outputs =
            [OutputColumn(id: group.id, name: "g", type: columns[key].type)]
            + aggregates.map { OutputColumn(id: $0.id, name: "a", type: $0.call.type) }
        let operation = PhysicalOperation.aggregate(
            PhysicalAggregate(method: .hash, groups: [group], aggregates: aggregates))
        try check(shape) {
            PlanFixture.plan(operation, [$0], outputs)
        } _: { rows in
            Dictionary(grouping: rows) { row -> Datum in
                if case .string(let bytes) = row[key] { return .string(trimmed(bytes)) }
                return row[key]
            }.map { value, members in
                let values = members.compactMap { $0[1].number }, wide = members.compactMap { $0[2].number }
                let sum: Datum = values.isEmpty ? .null : .integer(values.reduce(0, +))
                return [
                    value, .integer(Int128(members.count)), .integer(Int128(values.count)), sum,
                    wide.min().map { .integer($0) } ?? .null, wide.max().map { .integer($0) } ?? .null,
                ]
            }
        }
    }

    @Test(arguments: BatchShape.all) func windows(_ shape: BatchShape) throws {
        let type = columns[2].type
        let functions: [(Int32, WindowCall)] = [
            (20, WindowCall(function: .rowNumber, arguments: [], type: .bigint)),
            (
                21,
                WindowCall(
                    function: .lag,
                    arguments: [read(2), .constant(.integer(1), .integer), .constant(.integer(-5), type)], type: type)
            ),
            (22, WindowCall(function: .lead, arguments: [read(4), .constant(.integer(1), .integer)], type: .boolean)),
        ]
        let window = LogicalWindowSpecification(
            partitionBy: [read(1)], orderBy: [SortItem(expression: read(0), descending: false, nullsFirst: false)],
            functions: functions.map { LogicalWindow.Function(id: ColumnID($0), call: $1) })
        let outputs =
            [columns[0]] + functions.map { OutputColumn(id: ColumnID($0), name: "w", type: $1.type) }
        try check(shape) {
            PlanFixture.plan(.window(window), [$0], outputs)
        } _: { rows in
            Dictionary(grouping: rows) { $0[1] }.values.flatMap { members in
                members.indices.map { place in
                    [
                        members[place][0], .integer(Int128(place + 1)),
                        place == 0 ? .integer(-5) : members[place - 1][2],
                        place + 1 < members.count ? members[place + 1][4] : .null,
                    ]
                }
            }
        }
    }
}

extension Datum {
    fileprivate var number: Int128? { if case .integer(let value) = self { value } else { nil } }
}
