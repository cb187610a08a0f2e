import QueryPlan
import SQLTypes
import Testing

@testable import VectorEngine

/// Every kind of join against nested loops over the definition, with NULLs, duplicates, residuals and tiny batches.
struct JoinTests {
    enum KeyShape: CaseIterable { case dense, sparse, text, pair, none }

    static let outer = [
        PlanFixture.column(1, .integer), PlanFixture.column(2, .integer), PlanFixture.column(3, .varchar(20)),
    ]
    static let inner = [
        PlanFixture.column(11, .bigint), PlanFixture.column(12, .integer), PlanFixture.column(13, .varchar(20)),
    ]
    static let kinds: [PhysicalJoin.Kind] = [
        .inner, .left, .right, .full, .semi, .anti, .rightSemi, .rightAnti, .mark(ColumnID(99), nullAware: false),
        .mark(ColumnID(99), nullAware: true), .antiNullAware,
    ]

    static func rows(_ count: Int, _ keys: Int, _ shape: KeyShape, _ numbers: inout Numbers) -> [[Datum]] {
        (0..<count).map { _ in
            let key = numbers.next(keys)
            let factor = shape == .sparse ? 1_000_003 : 1
            let text = key % 3 == 0 ? "a rather long key \(key)" : "k\(key)"
            let blanks = numbers.next(2) == 0 ? " " : ""
            return [
                numbers.next(9) == 0 ? .null : .integer(Int128(key * factor)), .integer(Int128(numbers.next(5))),
                numbers.next(9) == 0 ? .null : .text(text + blanks),
            ]
        }
    }

    static func keys(_ shape: KeyShape) -> [PhysicalJoin.Key] {
        func key(_ index: Int) -> PhysicalJoin.Key {
            PhysicalJoin.Key(
                outer: .column(outer[index].id, outer[index].type), inner: .column(inner[index].id, inner[index].type))
        }
        switch shape {
        case .dense, .sparse: return [key(0)]
        case .text: return [key(2)]
        case .pair: return [key(2), key(1)]
        case .none: return []
        }
    }

    /// true, false or unknown.
    static func equal(_ left: Datum, _ right: Datum) -> Bool? {
        if left == .null || right == .null { return nil }
        if case .string(let a) = left, case .string(let b) = right {
            func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.reversed().drop { $0 == 32 }.reversed()) }
            return trimmed(a) == trimmed(b)
        }
        return left == right
    }
    static func pair(_ a: [Datum], _ b: [Datum], _ shape: KeyShape, _ residual: Bool) -> Bool? {
        var answers: [Bool?] = []
        switch shape {
        case .dense, .sparse: answers = [equal(a[0], b[0])]
        case .text: answers = [equal(a[2], b[2])]
        case .pair: answers = [equal(a[2], b[2]), equal(a[1], b[1])]
        case .none: answers = []
        }
        if residual, case .integer(let x) = a[1], case .integer(let y) = b[1] { answers.append(x <= y) }
        if answers.contains(false) { return false }
        return answers.contains(nil) ? nil : true
    }

    static func expected(
        _ left: [[Datum]], _ right: [[Datum]], _ kind: PhysicalJoin.Kind, _ shape: KeyShape, _ residual: Bool
    ) -> [[Datum]] {
        let none: [Datum] = [.null, .null, .null]
        var result: [[Datum]] = []
        var matched = Set<Int>()
        for a in left {
            let answers = right.map { pair(a, $0, shape, residual) }
            for (index, answer) in answers.enumerated() where answer == true { matched.insert(index) }
            let found = answers.contains(true), unknown = answers.contains(nil)
            switch kind {
            case .inner, .right, .left, .full:
                for (index, answer) in answers.enumerated() where answer == true { result.append(a + right[index]) }
                if !found && (kind == .left || kind == .full) { result.append(a + none) }
            case .semi: if found { result.append(a) }
            case .anti: if !found { result.append(a) }
            case .antiNullAware: if !found && !unknown { result.append(a) }
            case .mark(_, let aware):
                result.append(a + [found ? .boolean(true) : aware && unknown ? .null : .boolean(false)])
            case .rightSemi, .rightAnti, .single: break
            }
        }
        for (index, b) in right.enumerated() {
            let has = matched.contains(index)
            switch kind {
            case .right, .full: if !has { result.append(none + b) }
            case .rightSemi: if has { result.append(b) }
            case .rightAnti: if !has { result.append(b) }
            default: break
            }
        }
        return result
    }

    static func outputs(_ kind: PhysicalJoin.Kind) -> [OutputColumn] {
        switch kind {
        case .inner, .left, .right, .full, .single: outer + inner
        case .semi, .anti, .antiNullAware: outer
        case .rightSemi, .rightAnti: inner
        case .mark(let id, _): outer + [OutputColumn(id: id, name: "m", type: .boolean)]
        }
    }

    @Test(arguments: KeyShape.allCases, [false, true])
    func everyKind(shape: KeyShape, residual: Bool) throws {
        for (batchRows, counts) in [(1, (13, 7)), (7, (60, 40)), (2048, (200, 150)), (16, (30, 0)), (16, (0, 30))] {
            var numbers = Numbers(state: UInt64(counts.0 + 1))
            let left = JoinTests.rows(counts.0, 40, shape, &numbers)
            let right = JoinTests.rows(counts.1, 50, shape, &numbers)
            for kind in JoinTests.kinds {
                let condition = BoundExpression.comparison(
                    .lessOrEqual, .column(ColumnID(2), .integer), .column(ColumnID(12), .integer))
                let join = PhysicalJoin(
                    kind: kind, method: .hash, keys: JoinTests.keys(shape), residual: residual ? [condition] : [],
                    label: .none)
                let plan = PlanFixture.plan(
                    .join(join),
                    [PlanFixture.values(JoinTests.outer, left), PlanFixture.values(JoinTests.inner, right)],
                    JoinTests.outputs(kind))
                let found = try PlanFixture(batchRows: batchRows).run(plan)
                let wanted = JoinTests.expected(left, right, kind, shape, residual)
                let same = counted(found) == counted(wanted)
                #expect(same, "\(kind) \(shape) residual \(residual) batch \(batchRows)")
            }
        }
    }

    @Test func largeBuildSidesAreExact() throws {
        var numbers = Numbers(state: 5)
        let left = JoinTests.rows(3000, 2000, .sparse, &numbers).map { [$0[0], $0[1]] }
        let right = JoinTests.rows(90_000, 2000, .sparse, &numbers).map { [$0[0], $0[1]] }
        var counts: [Datum: Int] = [:]
        for row in right where row[0] != .null { counts[row[0], default: 0] += 1 }
        let wanted = left.reduce(0) { $0 + (counts[$1[0]] ?? 0) }
        let join = PhysicalJoin(
            kind: .inner, method: .hash, keys: JoinTests.keys(.sparse), residual: [], label: .none)
        let plan = PlanFixture.plan(
            .join(join),
            [
                PlanFixture.values(Array(JoinTests.outer.prefix(2)), left),
                PlanFixture.values(Array(JoinTests.inner.prefix(2)), right),
            ], [JoinTests.outer[0], JoinTests.inner[0]])
        let found = try PlanFixture().run(plan)
        #expect(found.count == wanted)
        #expect(found.allSatisfy { $0[0] == $0[1] })
    }

    @Test func aScalarSubqueryWithTwoRowsIsAnError() throws {
        let left: [[Datum]] = [[.integer(1), .integer(1), .null]]
        let right: [[Datum]] = [[.integer(1), .integer(1), .null], [.integer(1), .integer(2), .null]]
        for shape in [KeyShape.dense, .none] {
            let join = PhysicalJoin(
                kind: .single, method: .hash, keys: JoinTests.keys(shape), residual: [], label: .none)
            let plan = PlanFixture.plan(
                .join(join),
                [PlanFixture.values(JoinTests.outer, left), PlanFixture.values(JoinTests.inner, right)],
                JoinTests.outputs(.single))
            #expect(throws: SQLError.self) { try PlanFixture().run(plan) }
        }
    }
}
