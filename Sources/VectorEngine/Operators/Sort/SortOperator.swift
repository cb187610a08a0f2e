import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// ORDER BY: all rows are collected, ordered by normalised keys and arranged anew.
    func openSort(_ plan: PhysicalPlan, _ items: [SortItem], filters: [RuntimeFilter]) throws -> Pipeline {
        let child = try open(plan.children[0], filters: filters)
        let rows = try sortedRows(child, items, columns: plan.outputs, skipping: 0, keeping: nil)
        return pipeline(over: rows, columns: plan.outputs)
    }

    /// The rows of a pipeline in order, but the first `skipping`, and at most `keeping` of them.
    func sortedRows(
        _ child: Pipeline, _ items: [SortItem], columns: [OutputColumn], skipping: Int, keeping: Int?
    ) throws -> RowSet {
        let (input, rows) = try collect(child, columns: columns, expressions: items.map(\.expression))
        return try sort(
            rows, items, keys: input.expressions, outputs: input.outputs, skipping: skipping, keeping: keeping)
    }

    /// - Parameters:
    ///   - keys: index of each item's column in `rows`.
    ///   - outputs: indexes of the columns to keep.
    func sort(
        _ rows: RowSet, _ items: [SortItem], keys: [Int], outputs: [Int], skipping: Int, keeping: Int?
    ) throws -> RowSet {
        let sortKeys = zip(keys, items).map { index, item in
            RowSortKey(column: rows.columns[index], descending: item.descending, nullsFirst: item.nullsFirst)
        }
        let order = try RowSorter(rows, keys: sortKeys, context: context).order()
        let first = min(max(skipping, 0), rows.count)
        let last = keeping.map { first + min(max($0, 0), rows.count - first) } ?? rows.count
        return try rows.arranged(order, places: first..<last, columns: outputs, context: context)
    }
}
