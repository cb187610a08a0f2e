import ColumnVectors
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// More wanted rows than this are sorted with all others.
    private static let largestTopN: Int64 = 100_000

    /// ORDER BY with LIMIT. Only the keys are computed for all rows; a running boundary, shared by the workers, drops
    /// rows that cannot be among the first ones before any other column is fetched.
    func openTopN(
        _ plan: PhysicalPlan, _ items: [SortItem], count: Int64, offset: Int64, filters: [RuntimeFilter]
    ) throws -> Pipeline {
        let (wanted, overflow) = max(count, 0).addingReportingOverflow(max(offset, 0))
        // Filters of an operator above must not change which rows are the first ones.
        let child = try open(plan.children[0], filters: [])
        let rows: RowSet
        if overflow || wanted > QueryExecutor.largestTopN || !context.takes(.topN) {
            rows = try sortedRows(
                child, items, columns: plan.outputs, skipping: Int(max(offset, 0)), keeping: Int(max(count, 0)))
        } else {
            rows = try topRows(child, items, columns: plan.outputs, wanted: Int(wanted), offset: Int(max(offset, 0)))
        }
        return pipeline(over: rows, columns: plan.outputs)
    }

    private func topRows(
        _ child: Pipeline, _ items: [SortItem], columns: [OutputColumn], wanted: Int, offset: Int
    ) throws -> RowSet {
        let boundary = TopNBoundary()
        let keys = try items.map { try child.sortKey($0.expression) }
        let word = child.makeRegister(.bigint, .int64, nullable: false)
        child.emit(TopNFilter(keys, items, word: word, boundary: context.takes(.topNBoundary) ? boundary : nil))
        var input = SortInput()
        // Behind the filter, so that only what passes is fetched.
        for item in items { input.add(expression: try child.sortKey(item.expression)) }
        for column in columns { input.add(output: try child.value(of: column.id)) }
        let sink = TopNSink(input, word: word, items: items, wanted: wanted, boundary: boundary, executor: self)
        child.emit(sink)
        try child.run()
        let rows = try sink.rows()
        return try sort(
            rows, items, keys: input.expressions, outputs: input.outputs, skipping: offset,
            keeping: max(wanted - offset, 0))
    }
}
