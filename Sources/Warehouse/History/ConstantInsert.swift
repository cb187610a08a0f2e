/// An INSERT of rows that needed no plan: no pipeline counted it.
struct ConstantInsert: Sendable {
    var table: Int64
    var name: String
    var rows: Int
    var startMicroseconds: Int64
    var endMicroseconds: Int64
}

extension QueryDetail {
    /// The one step of such a statement.
    init(query: Int, _ insert: ConstantInsert) {
        var step = StepRecord(
            segment: 0, step: 0, kind: .insert, node: 0,
            slices: [
                StepRecord.Slice(
                    slice: 0, rows: Int64(insert.rows), bytes: 0,
                    busyMicroseconds: max(0, insert.endMicroseconds - insert.startMicroseconds),
                    startMicroseconds: insert.startMicroseconds, endMicroseconds: insert.endMicroseconds)
            ])
        step.table = insert.table
        step.tableName = insert.name
        self.init(query: query, nodes: [], steps: [step])
    }
}
