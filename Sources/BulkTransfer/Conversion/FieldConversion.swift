import ColumnVectors
import SQLTypes

/// Converts all fields of a field table into a batch's columns. One per worker.
final class FieldConversion {
    let plans: [ColumnPlan]
    private let converter: ColumnConverter

    init(_ plans: [ColumnPlan], _ options: CopyOptions, _ context: DatetimeContext) {
        self.plans = plans
        converter = ColumnConverter(options, context)
    }

    /// Rows that the fields' columns have.
    func rows(of batch: ColumnBatch) -> Int { plans.first.map { batch.columns[$0.tableIndex].count } ?? 0 }

    /// Appends all rows of the table.
    ///
    /// - Returns: for each row that failed, in order, its first bad field.
    func convert(
        _ table: FieldTable, _ chunk: ChunkBuffer, _ content: TextContent, into batch: ColumnBatch
    ) throws -> [BadField] {
        var failed: [BadField] = []
        for (field, plan) in plans.enumerated() {
            try converter.convert(table, field: field, plan, chunk, content, into: batch.columns[plan.tableIndex])
            failed += converter.failures
        }
        if failed.isEmpty { return [] }
        failed.sort { ($0.row, $0.column) < ($1.row, $1.column) }
        var last = -1
        return failed.filter { field in
            defer { last = field.row }
            return field.row != last
        }
    }
}
