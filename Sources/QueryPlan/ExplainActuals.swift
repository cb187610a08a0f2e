/// What really happened in each step of a run, for EXPLAIN ANALYZE. The engine fills it when the query ends.
package struct ExplainActuals: Sendable, Hashable {
    package struct Step: Sendable, Hashable {
        /// Rows that left the step.
        package var rows: Int64
        /// Time spent in the step, all workers together.
        package var timeMicroseconds: Int64
        /// Bytes that the step sent between slices.
        package var movedBytes: Int64
        /// Rows that left the step on each slice; empty for leader steps.
        package var sliceRows: [Int64]
        package init(rows: Int64, timeMicroseconds: Int64, movedBytes: Int64 = 0, sliceRows: [Int64] = []) {
            self.rows = rows
            self.timeMicroseconds = timeMicroseconds
            self.movedBytes = movedBytes
            self.sliceRows = sliceRows
        }
    }
    /// By ``PhysicalPlan/step``.
    package var steps: [Int: Step]
    package var totalMicroseconds: Int64
    package init(steps: [Int: Step] = [:], totalMicroseconds: Int64 = 0) {
        self.steps = steps
        self.totalMicroseconds = totalMicroseconds
    }
}
