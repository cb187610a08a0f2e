import Platform

/// What a statement's pipelines did, for EXPLAIN ANALYZE and the system tables: rows and busy time of every step on
/// every slice. Pipelines count for themselves and report when they end; nothing here is called for each batch.
package final class ExecutionProfile: Sendable {
    /// One pipeline that has run: Redshift's segment. Pipelines run one after the other, so each is a stream too.
    package struct Segment: Sendable {
        package var number: Int
        /// In the order in which rows pass them: the source's, those in the middle, the sink's.
        package var steps: [Step]
        package var startMicroseconds: Int64
        package var endMicroseconds: Int64
    }
    package struct Step: Sendable {
        package enum Role: Sendable {
            /// Rows leave a plan step of this pipeline.
            case passing
            /// Rows end here: they are kept for this plan step, or returned.
            case keeping
        }
        /// ``PhysicalPlan/step``; -1 for the result.
        package var planStep: Int
        package var role: Role
        /// Those on which rows or time were spent.
        package var slices: [SliceFigures]
        package var scan: ScanFigures?
        package var rows: Int64 { slices.reduce(0) { $0 + $1.rows } }
        package var busyNanoseconds: Int64 { slices.reduce(0) { $0 + $1.busyNanoseconds } }
    }
    package struct SliceFigures: Sendable {
        package var slice: Int
        /// Rows that left the step; for a keeping step those that came.
        package var rows: Int64
        /// Of all workers together.
        package var busyNanoseconds: Int64
        package var startMicroseconds: Int64
        package var endMicroseconds: Int64
    }
    /// What a table scan read, by slice.
    package struct ScanFigures: Sendable {
        package var table: Int64
        /// Zone maps ruled out some of the table.
        package var isRangeRestricted = false
        /// Rows of the row groups that were read, deleted ones included.
        package var rowsBeforeFilter: [Int64]
        package var blocks: Int
    }
    private struct Frame {
        var planStep: Int
        var started: Int64
        var inner: Int64 = 0
    }
    private struct State {
        var segments: [Segment] = []
        var frames: [Frame] = []
        /// Of few steps in most plans.
        var serialNanoseconds = [Int: Int64](minimumCapacity: 4)
        var spilledSteps: Set<Int> = []

        init() { frames.reserveCapacity(4) }
    }
    private let state = Lock(State())
    package let slices: Int

    let time: any TimeSource

    package init(slices: Int, time: any TimeSource) {
        self.slices = slices
        self.time = time
    }

    package var segments: [Segment] { state.withLock { $0.segments } }
    /// Time of the query's own thread for a plan step outside of pipelines: compiling, merging, sorting what was kept.
    package var serialNanoseconds: [Int: Int64] { state.withLock { $0.serialNanoseconds } }
    /// Plan steps that used temporary files.
    package var spilledSteps: Set<Int> { state.withLock { $0.spilledSteps } }

    // MARK: The query's thread

    /// Until ``leave()`` pipelines that run keep their rows for this step.
    func enter(_ planStep: Int) {
        let now = Stopwatch.nanoseconds
        state.withLock { $0.frames.append(Frame(planStep: planStep, started: now)) }
    }
    func leave() {
        let now = Stopwatch.nanoseconds
        state.withLock { state in
            guard let frame = state.frames.popLast() else { return }
            let elapsed = now - frame.started
            state.serialNanoseconds[frame.planStep, default: 0] += max(elapsed - frame.inner, 0)
            if !state.frames.isEmpty { state.frames[state.frames.count - 1].inner += elapsed }
        }
    }
    var keepingStep: Int { state.withLock { $0.frames.last?.planStep ?? -1 } }

    func add(_ segment: Segment, wallNanoseconds: Int64) {
        state.withLock { state in
            var segment = segment
            segment.number = state.segments.count
            state.segments.append(segment)
            if !state.frames.isEmpty { state.frames[state.frames.count - 1].inner += wallNanoseconds }
        }
    }
    func noteSpill(_ planStep: Int) { state.withLock { _ = $0.spilledSteps.insert(planStep) } }

    var segmentCount: Int { state.withLock { $0.segments.count } }
    /// Takes back what these steps counted in segments from `first` on: they run again.
    func forget(_ repeated: [Int], sinceSegment first: Int) {
        state.withLock { state in
            for index in state.segments.indices.dropFirst(first) {
                state.segments[index].steps.removeAll { repeated.contains($0.planStep) }
            }
        }
    }
}
