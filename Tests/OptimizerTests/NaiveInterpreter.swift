import QueryPlan
import SQLTypes

/// Evaluates plans over a few integer rows by the definition of each operator, subqueries once per row: slow, short,
/// and independent of what it checks.
final class NaiveInterpreter {
    typealias Row = [ColumnID: Int128?]
    struct Failure: Error { var reason: String }

    private let tables: [String: [[Int128?]]]
    private var definitions: [Int: [Row]] = [:]

    init(_ tables: [String: [[Int128?]]]) { self.tables = tables }

    /// The result's rows in order of the plan.
    func run(_ query: LogicalQuery) throws -> [[Int128?]] {
        try rows(query.plan, [:]).map { row in query.outputs.map { (row[$0.id] ?? nil) } }
    }

    func run(_ query: PhysicalQuery) throws -> [[Int128?]] {
        try rows(query.plan).map { row in query.outputs.map { (row[$0.id] ?? nil) } }
    }

    // MARK: Logical plans

    private func rows(_ plan: LogicalPlan, _ outer: Row) throws -> [Row] {
        switch plan {
        case .scan(let scan): return try self.scan(scan.table.name, scan.columns)
        case .values(let values):
            return try values.rows.map { row in
                var result: Row = [:]
                for (column, value) in zip(values.columns, row) {
                    result.updateValue(try evaluate(value, outer), forKey: column.id)
                }
                return result
            }
        case .filter(let condition, let input):
            return try rows(input, outer).filter { try evaluate(condition, Self.merged(outer, $0)) == 1 }
        case .project(let columns, let input): return try project(columns, try rows(input, outer), outer)
        case .join(let join):
            return try self.join(
                Self.kind(join.kind), try rows(join.left, outer), try rows(join.right, outer),
                (Array(Self.columns(join.left)), Array(Self.columns(join.right)))
            ) { row in
                try join.condition.map { try self.evaluate($0, Self.merged(outer, row)) } ?? 1
            }
        case .aggregate(let aggregate):
            return try self.aggregate(aggregate.groups, aggregate.aggregates, try rows(aggregate.input, outer), outer)
        case .window(let window):
            return try self.window(
                window.partitionBy, window.orderBy, window.functions, try rows(window.input, outer), outer)
        case .sort(let items, let input): return try sorted(items, try rows(input, outer), outer)
        case .limit(let limit): return Self.cut(try rows(limit.input, outer), limit.count, limit.offset)
        case .setOperation(let operation):
            let left = try rows(operation.left, outer).map { row in operation.leftColumns.map { row[$0] ?? nil } }
            let right = try rows(operation.right, outer).map { row in operation.rightColumns.map { row[$0] ?? nil } }
            return Self.combine(operation.kind, operation.all, left, right, operation.outputs)
        case .with(let with):
            definitions[with.id] = try rows(with.definition, outer)
            return try rows(with.body, outer)
        case .withReference(let reference): return self.reference(reference.id, reference.columns, reference.sources)
        case .systemScan: throw Failure(reason: "system scan")
        case .unnest: throw Failure(reason: "SUPER")
        }
    }

    // MARK: Physical plans

    private func rows(_ plan: PhysicalPlan) throws -> [Row] {
        let result = try allColumns(plan)
        let outputs = Set(plan.outputs.map(\.id))
        return result.map { $0.filter { outputs.contains($0.key) } }
    }

    private func allColumns(_ plan: PhysicalPlan) throws -> [Row] {
        if case .with(let id, _) = plan.operation {
            definitions[id] = try rows(plan.children[0])
            return try rows(plan.children[1])
        }
        let inputs = try plan.children.map { try rows($0) }
        switch plan.operation {
        case .tableScan(let scan):
            return try self.scan(scan.table.name, scan.columns).filter { row in
                try scan.conjuncts.allSatisfy { try evaluate($0, row) == 1 }
            }
        case .values(let values): return try rows(.values(values), [:])
        case .filter(let conjuncts):
            return try inputs[0].filter { row in try conjuncts.allSatisfy { try evaluate($0, row) == 1 } }
        case .project(let columns): return try project(columns, inputs[0], [:])
        case .join(let join): return try self.join(join, plan, inputs)
        case .aggregate(let aggregate):
            return try self.aggregate(aggregate.groups, aggregate.aggregates, inputs[0], [:])
        case .window(let window):
            return try self.window(window.partitionBy, window.orderBy, window.functions, inputs[0], [:])
        case .sort(let items): return try sorted(items, inputs[0], [:])
        case .topN(let items, let count, let offset): return Self.cut(try sorted(items, inputs[0], [:]), count, offset)
        case .limit(let count, let offset): return Self.cut(inputs[0], count, offset)
        case .append(let columns):
            var result: [Row] = []
            for (ids, input) in zip(columns, inputs) {
                for row in input { result.append(Self.row(plan.outputs, ids.map { row[$0] ?? nil })) }
            }
            return result
        case .setOperation(let kind, let all, let left, let right):
            return Self.combine(
                kind, all, inputs[0].map { row in left.map { row[$0] ?? nil } },
                inputs[1].map { row in right.map { row[$0] ?? nil } }, plan.outputs)
        case .withReference(let id, _, let sources): return reference(id, plan.outputs, sources)
        case .gather: return inputs[0]
        case .systemScan, .with, .recursiveWith, .unnest: throw Failure(reason: "unexpected step")
        }
    }

    private func join(_ join: PhysicalJoin, _ plan: PhysicalPlan, _ inputs: [[Row]]) throws -> [Row] {
        let condition: (Row) throws -> Int128? = { row in
            var result: Int128? = 1
            for key in join.keys {
                let op: ComparisonOperator = key.nullsEqual ? .notDistinctFrom : .equal
                result = Self.and(result, try self.evaluate(.comparison(op, key.outer, key.inner), row))
            }
            for conjunct in join.residual { result = Self.and(result, try self.evaluate(conjunct, row)) }
            return result
        }
        let columns = plan.children.map { $0.outputs.map(\.id) }
        switch join.kind {
        case .right: return try self.join(.left, inputs[1], inputs[0], (columns[1], columns[0]), condition)
        case .rightSemi: return try self.join(.semi, inputs[1], inputs[0], (columns[1], columns[0]), condition)
        case .rightAnti: return try self.join(.anti, inputs[1], inputs[0], (columns[1], columns[0]), condition)
        default: return try self.join(join.kind, inputs[0], inputs[1], (columns[0], columns[1]), condition)
        }
    }

    // MARK: Operators

    private static func merged(_ a: Row, _ b: Row) -> Row { a.merging(b) { _, new in new } }
    private static func row(_ outputs: [OutputColumn], _ values: [Int128?]) -> Row {
        var result: Row = [:]
        for (output, value) in zip(outputs, values) { result.updateValue(value, forKey: output.id) }
        return result
    }

    private func scan(_ table: String, _ columns: [ScanColumn]) throws -> [Row] {
        guard let stored = tables[table] else { throw Failure(reason: "no table \(table)") }
        return stored.map { values in
            var row: Row = [:]
            for column in columns { row.updateValue(values[column.index], forKey: column.id) }
            return row
        }
    }

    private func reference(_ id: Int, _ columns: [OutputColumn], _ sources: [ColumnID]) -> [Row] {
        (definitions[id] ?? []).map { row in Self.row(columns, sources.map { row[$0] ?? nil }) }
    }

    private func project(_ columns: [ProjectedColumn], _ input: [Row], _ outer: Row) throws -> [Row] {
        try input.map { row in
            var result: Row = [:]
            for column in columns {
                result.updateValue(try evaluate(column.expression, Self.merged(outer, row)), forKey: column.id)
            }
            return result
        }
    }

    private static func kind(_ kind: JoinKind) -> PhysicalJoin.Kind {
        switch kind {
        case .inner: .inner
        case .left: .left
        case .right: .right
        case .full: .full
        case .semi: .semi
        case .anti: .anti
        case .mark(let id, let nullAware): .mark(id, nullAware: nullAware)
        case .single: .single
        case .antiNullAware: .antiNullAware
        }
    }

    private func join(
        _ kind: PhysicalJoin.Kind, _ left: [Row], _ right: [Row], _ columns: ([ColumnID], [ColumnID]),
        _ condition: (Row) throws -> Int128?
    ) throws -> [Row] {
        if kind == .right { return try join(.left, right, left, (columns.1, columns.0), condition) }
        var result: [Row] = []
        var matched = Set<Int>()
        for row in left {
            var matches: [Row] = []
            var hasUnknown = false
            for (index, other) in right.enumerated() {
                let both = Self.merged(row, other)
                let truth = try condition(both)
                if truth == 1 {
                    matches.append(both)
                    matched.insert(index)
                }
                if truth == nil { hasUnknown = true }
            }
            switch kind {
            case .inner: result += matches
            case .left, .full, .single:
                if kind == .single, matches.count > 1 { throw Failure(reason: "several rows") }
                result += matches.isEmpty ? [Self.merged(row, Self.nulls(columns.1))] : matches
            case .semi: if !matches.isEmpty { result.append(row) }
            case .anti: if matches.isEmpty { result.append(row) }
            case .antiNullAware: if matches.isEmpty, !hasUnknown { result.append(row) }
            case .mark(let id, let nullAware):
                var copy = row
                copy.updateValue(!matches.isEmpty ? 1 : nullAware && hasUnknown ? nil : 0, forKey: id)
                result.append(copy)
            case .right, .rightSemi, .rightAnti: throw Failure(reason: "unexpected kind")
            }
        }
        if kind == .full {
            for (index, other) in right.enumerated() where !matched.contains(index) {
                result.append(Self.merged(other, Self.nulls(columns.0)))
            }
        }
        return result
    }

    private static func nulls(_ columns: [ColumnID]) -> Row {
        var row: Row = [:]
        for id in columns { row.updateValue(nil, forKey: id) }
        return row
    }

    private func aggregate(
        _ groups: [ProjectedColumn], _ calls: [LogicalAggregate.Aggregate], _ input: [Row], _ outer: Row
    ) throws -> [Row] {
        var order: [[Int128?]] = []
        var members: [[Int128?]: [Row]] = [:]
        for row in input {
            let merged = Self.merged(outer, row)
            let key = try groups.map { try evaluate($0.expression, merged) }
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(merged)
        }
        if groups.isEmpty, order.isEmpty { order = [[]] }
        return try order.map { key in
            var row: Row = [:]
            for (group, value) in zip(groups, key) { row.updateValue(value, forKey: group.id) }
            for item in calls { row.updateValue(try value(item.call, members[key] ?? []), forKey: item.id) }
            return row
        }
    }

    private func value(_ call: AggregateCall, _ rows: [Row]) throws -> Int128? {
        if call.function == .countRows { return Int128(rows.count) }
        var values = try rows.compactMap { try evaluate(call.arguments[0], $0) }
        if call.distinct { values = Array(Set(values)) }
        switch call.function {
        case .count: return Int128(values.count)
        case .sum: return values.isEmpty ? nil : values.reduce(0, +)
        case .minimum: return values.min()
        case .maximum: return values.max()
        case .anyValue: return values.first
        default: throw Failure(reason: "aggregate \(call.function)")
        }
    }

    private func window(
        _ partitionBy: [BoundExpression], _ orderBy: [SortItem], _ functions: [LogicalWindow.Function],
        _ input: [Row], _ outer: Row
    ) throws -> [Row] {
        var counts: [[Int128?]: Int128] = [:]
        return try sorted(orderBy, input, outer).map { row in
            let key = try partitionBy.map { try evaluate($0, Self.merged(outer, row)) }
            counts[key, default: 0] += 1
            var copy = row
            for function in functions {
                guard function.call.function == .rowNumber else { throw Failure(reason: "window") }
                copy.updateValue(counts[key], forKey: function.id)
            }
            return copy
        }
    }

    private func sorted(_ items: [SortItem], _ input: [Row], _ outer: Row) throws -> [Row] {
        let keyed = try input.map { row in
            (row, try items.map { try evaluate($0.expression, Self.merged(outer, row)) })
        }
        return keyed.enumerated().sorted { a, b in
            for (index, item) in items.enumerated() {
                let x = a.element.1[index]
                let y = b.element.1[index]
                if x == y { continue }
                guard let x else { return item.nullsFirst }
                guard let y else { return !item.nullsFirst }
                return item.descending ? x > y : x < y
            }
            return a.offset < b.offset
        }.map(\.element.0)
    }

    private static func cut(_ rows: [Row], _ count: Int64?, _ offset: Int64) -> [Row] {
        let rest = rows.dropFirst(Int(offset))
        return Array(count.map { rest.prefix(Int($0)) } ?? rest)
    }

    private static func combine(
        _ kind: LogicalSetOperation.Kind, _ all: Bool, _ left: [[Int128?]], _ right: [[Int128?]],
        _ outputs: [OutputColumn]
    ) -> [Row] {
        var values: [[Int128?]]
        switch kind {
        case .union: values = left + right
        case .intersect: values = left.filter(right.contains)
        case .except: values = left.filter { !right.contains($0) }
        }
        if !all {
            var seen = Set<[Int128?]>()
            values = values.filter { seen.insert($0).inserted }
        }
        return values.map { row(outputs, $0) }
    }

    private static func columns(_ plan: LogicalPlan) -> Set<ColumnID> {
        switch plan {
        case .scan(let scan): return Set(scan.columns.map(\.id))
        case .systemScan(let scan): return Set(scan.columns.map(\.id))
        case .values(let values): return Set(values.columns.map(\.id))
        case .filter(_, let input), .sort(_, let input): return columns(input)
        case .limit(let limit): return columns(limit.input)
        case .project(let projected, _): return Set(projected.map(\.id))
        case .join(let join):
            var result = columns(join.left)
            switch join.kind {
            case .inner, .left, .right, .full, .single: result.formUnion(columns(join.right))
            case .mark(let id, _): result.insert(id)
            case .semi, .anti, .antiNullAware: break
            }
            return result
        case .aggregate(let aggregate): return Set(aggregate.groups.map(\.id) + aggregate.aggregates.map(\.id))
        case .window(let window): return columns(window.input).union(window.functions.map(\.id))
        case .unnest(let unnest): return columns(unnest.input).union(unnest.specification.columns.map(\.id))
        case .setOperation(let operation): return Set(operation.outputs.map(\.id))
        case .with(let with): return columns(with.body)
        case .withReference(let reference): return Set(reference.columns.map(\.id))
        }
    }

    // MARK: Expressions

    private static func and(_ a: Int128?, _ b: Int128?) -> Int128? {
        if a == 0 || b == 0 { return 0 }
        return a == nil || b == nil ? nil : 1
    }
    private static func not(_ value: Int128?) -> Int128? { value.map { $0 == 0 ? 1 : 0 } }

    private func evaluate(_ expression: BoundExpression, _ row: Row) throws -> Int128? {
        switch expression {
        case .column(let id, _):
            guard let value = row[id] else { throw Failure(reason: "no column \(id)") }
            return value
        case .constant(.integer(let value), _): return value
        case .constant(.null, _): return nil
        case .cast(let value, _, _): return try evaluate(value, row)
        case .comparison(let op, let left, let right):
            return Self.compare(op, try evaluate(left, row), try evaluate(right, row))
        case .and(let items): return try items.reduce(1) { Self.and($0, try evaluate($1, row)) }
        case .or(let items):
            return Self.not(try items.reduce(1) { Self.and($0, Self.not(try evaluate($1, row))) })
        case .not(let value): return Self.not(try evaluate(value, row))
        case .isNull(let value): return try evaluate(value, row) == nil ? 1 : 0
        case .caseWhen(let branches, let otherwise, _):
            for branch in branches where try evaluate(branch.condition, row) == 1 {
                return try evaluate(branch.result, row)
            }
            return try evaluate(otherwise, row)
        case .inList(let value, let items):
            return try evaluate(.or(items.map { .comparison(.equal, value, $0) }), row)
        case .call(let function, let arguments, _): return try call(function, arguments, row)
        case .subquery(let subquery): return try self.subquery(subquery, row)
        default: throw Failure(reason: "expression \(expression)")
        }
    }

    private static func compare(_ op: ComparisonOperator, _ a: Int128?, _ b: Int128?) -> Int128? {
        if op == .distinctFrom { return a == b ? 0 : 1 }
        if op == .notDistinctFrom { return a == b ? 1 : 0 }
        guard let a, let b else { return nil }
        switch op {
        case .equal: return a == b ? 1 : 0
        case .notEqual: return a != b ? 1 : 0
        case .less: return a < b ? 1 : 0
        case .lessOrEqual: return a <= b ? 1 : 0
        case .greater: return a > b ? 1 : 0
        default: return a >= b ? 1 : 0
        }
    }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression], _ row: Row) throws -> Int128? {
        let values = try arguments.map { try evaluate($0, row) }
        if function == .coalesce { return values.first { $0 != nil } ?? nil }
        guard values.count == 2, let a = values[0], let b = values[1] else { return nil }
        switch function {
        case .add: return a + b
        case .subtract: return a - b
        case .multiply: return a * b
        default: throw Failure(reason: "function \(function)")
        }
    }

    private func subquery(_ subquery: BoundSubquery, _ row: Row) throws -> Int128? {
        let result = try rows(subquery.plan, row)
        func comparisons(_ op: ComparisonOperator, _ operands: [BoundExpression]) throws -> [Int128?] {
            try result.map { other in
                try zip(operands, subquery.outputs).reduce(1) { truth, pair in
                    Self.and(truth, Self.compare(op, try evaluate(pair.0, row), other[pair.1.id] ?? nil))
                }
            }
        }
        switch subquery.kind {
        case .exists: return result.isEmpty ? 0 : 1
        case .scalar:
            if result.count > 1 { throw Failure(reason: "several rows") }
            return result.first.flatMap { $0[subquery.outputs[0].id] ?? nil }
        case .any(let op, let operands):
            let truths = try comparisons(op, operands)
            return truths.contains(1) ? 1 : truths.contains(nil) ? nil : 0
        case .all(let op, let operands):
            let truths = try comparisons(op, operands)
            return truths.contains(0) ? 0 : truths.contains(nil) ? nil : 1
        }
    }
}
