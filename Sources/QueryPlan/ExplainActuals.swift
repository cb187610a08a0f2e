/// What really happened in each step of a run, for EXPLAIN ANALYZE. The engine fills it when the query ends.
public struct ExplainActuals: Sendable, Hashable {
    public struct Step: Sendable, Hashable {
        /// Rows that left the step.
        public var rows: Int64
        /// Time spent in the step, all workers together.
        public var timeMicroseconds: Int64
        /// Bytes that the step sent between slices.
        public var movedBytes: Int64
        /// Rows that left the step on each slice; empty for leader steps.
        public var sliceRows: [Int64]
        public init(rows: Int64, timeMicroseconds: Int64, movedBytes: Int64 = 0, sliceRows: [Int64] = []) {
            self.rows = rows
            self.timeMicroseconds = timeMicroseconds
            self.movedBytes = movedBytes
            self.sliceRows = sliceRows
        }
    }
    /// By ``PhysicalPlan/step``.
    public var steps: [Int: Step]
    public var totalMicroseconds: Int64
    public init(steps: [Int: Step] = [:], totalMicroseconds: Int64 = 0) {
        self.steps = steps
        self.totalMicroseconds = totalMicroseconds
    }
}
