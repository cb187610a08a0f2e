import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// INTERSECT and EXCEPT: both inputs are grouped together by all columns, and every group says whether it leaves.
    /// With ALL they are sorted together instead, and every group says how many of its rows leave. NULLs are equal to
    /// each other.
    func openSetOperation(
        _ plan: PhysicalPlan, _ kind: LogicalSetOperation.Kind, all: Bool, left: [ColumnID], right: [ColumnID],
        filters: [RuntimeFilter]
    ) throws -> Pipeline {
        let pipelines = try plan.children.prefix(2).map { try open($0, filters: []) }
        let (both, tag) = try append(pipelines, [left, right], outputs: plan.outputs, tagged: true)
        if !all, let tag { return try openDistinctSetOperation(plan, kind, both, tag) }
        let columns = try plan.outputs.map { try both.sortKey(.column($0.id, $0.type)) }
        let collector = RowCollector(columns + [tag].compactMap { $0 }, context: context)
        both.emit(collector)
        try both.run()
        let rows = try collector.rows()
        let keys = rows.columns.dropLast().map { RowSortKey(column: $0, descending: false, nullsFirst: false) }
        let order = try RowSorter(rows, keys: keys, context: context).order()
        let kept = try keepGroups(rows, order, RowComparator(keys), kind, all)
        let result = try rows.arranged(
            order, places: 0..<kept, columns: Array(plan.outputs.indices), context: context)
        return pipeline(over: result, columns: plan.outputs)
    }

    private func openDistinctSetOperation(
        _ plan: PhysicalPlan, _ kind: LogicalSetOperation.Kind, _ both: Pipeline, _ tag: Register
    ) throws -> Pipeline {
        // Column ids of a statement count from 0, so these two are free.
        let fromRight = ColumnID(Int32.max), count = ColumnID(Int32.max - 1)
        both.bind(fromRight, tag)
        let sum = AggregateCall(function: .sum, arguments: [.column(fromRight, .integer)], type: .bigint)
        let grouping = PhysicalAggregate(
            method: .hash, groups: plan.outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) },
            aggregates: [
                .init(id: fromRight, call: sum),
                .init(id: count, call: AggregateCall(function: .countRows, arguments: [], type: .bigint)),
            ])
        let compiler = AggregateCompiler(grouping, estimate: plan.estimate.rows, pipeline: both)
        let source = RowSetSource(try compiler.run())
        let groups = Pipeline(context: context, source: source)
        source.bind(compiler.columns, in: groups)
        let right = BoundExpression.column(fromRight, .bigint), zero = BoundExpression.constant(.integer(0), .bigint)
        switch kind {
        case .intersect:
            try groups.filter(.comparison(.greater, right, zero))
            try groups.filter(.comparison(.less, right, .column(count, .bigint)))
        case .except: try groups.filter(.comparison(.equal, right, zero))
        case .union: break
        }
        return groups
    }

    /// Moves the entries of the rows that leave to the front and returns their number.
    private func keepGroups(
        _ rows: RowSet, _ order: RowSorter.Order, _ comparator: RowComparator, _ kind: LogicalSetOperation.Kind,
        _ all: Bool
    ) throws -> Int {
        guard let tags = rows.columns.last else { return 0 }
        let fromRight = tags.values.assumingMemoryBound(to: UInt8.self)
        let entries = order.entries
        var kept = 0
        var start = 0
        while start < order.count {
            if start & 0xffff == 0 { try context.cancellation.check() }
            var counts = (left: 0, right: 0)
            var end = start
            while end < order.count, end == start || comparator.compare(order.row(start), order.row(end)) == 0 {
                let isRight = Int(fromRight[order.row(end)])
                counts.right += isRight
                counts.left += 1 - isRight
                end += 1
            }
            let copies = QueryExecutor.copies(counts.left, counts.right, kind, all)
            // All rows of the group are equal, so any of them serves; there are at least as many as leave.
            for copy in 0..<copies {
                entries[kept] = entries[start + copy]
                kept += 1
            }
            start = end
        }
        return kept
    }

    private static func copies(_ left: Int, _ right: Int, _ kind: LogicalSetOperation.Kind, _ all: Bool) -> Int {
        switch (kind, all) {
        case (.intersect, true): min(left, right)
        case (.intersect, false): left > 0 && right > 0 ? 1 : 0
        case (.except, true): max(left - right, 0)
        case (.except, false): left > 0 && right == 0 ? 1 : 0
        case (.union, true): left + right
        case (.union, false): 1
        }
    }
}
