import QueryPlan
import SQLTypes
import Synchronization

extension QueryExecutor {
    /// LIMIT and OFFSET. Ordered rows are materialised in order and cut; of unordered ones any will do, so the pipeline
    /// stops as soon as enough have passed.
    func openLimit(_ plan: PhysicalPlan, count: Int64?, offset: Int64, filters: [RuntimeFilter]) throws -> Pipeline {
        let child = plan.children[0]
        let skipped = Int(max(offset, 0))
        let most = count.map { Int(max($0, 0)) }
        if !child.isOrdered {
            let pipeline = try open(child, filters: [])
            if skipped > 0 || most != nil { pipeline.emit(LimitStep(skipped, most, source: pipeline.source)) }
            if let most { pipeline.rowBound = min(pipeline.rowBound, most) }
            return pipeline
        }
        let rows = try materialize(child, columns: plan.outputs)
        let first = min(skipped, rows.count)
        let kept = min(most ?? Int.max, rows.count - first)
        return pipeline(over: rows.slice(first, kept), columns: plan.outputs)
    }
}

extension RowSet {
    /// Consecutive rows, in place.
    func slice(_ first: Int, _ kept: Int) -> RowSet {
        let cut = columns.map { column in
            Column(
                form: column.form, values: column.values + first * column.form.physical.byteWidth,
                validity: column.validity.map { $0 + first })
        }
        return RowSet(columns: cut, count: kept, owners: [self])
    }
}

/// Lets the rows number `skipped ..< skipped + most` pass, in the order in which the workers' batches come, and asks
/// the source to stop when they have passed.
final class LimitStep: Step {
    override var dropsRows: Bool { true }
    private let skipped: Int
    private let end: Int
    private let source: PipelineSource
    private let seen = Atomic<Int>(0)

    init(_ skipped: Int, _ most: Int?, source: PipelineSource) {
        self.skipped = skipped
        let (end, overflow) = skipped.addingReportingOverflow(most ?? Int.max)
        self.end = overflow ? Int.max : end
        self.source = source
        super.init(inputs: [], outputs: [])
    }

    override func run(_ batch: Batch) throws {
        // Counting stops at the end: numbers beyond it are never needed and the counter cannot overflow.
        if seen.load(ordering: .relaxed) >= end {
            source.stopRequested.store(true, ordering: .relaxed)
            batch.count = 0
            return
        }
        let before = seen.add(batch.count, ordering: .relaxed).oldValue
        let first = min(max(skipped - before, 0), batch.count)
        let last = min(max(end - before, 0), batch.count)
        if before + batch.count >= end { source.stopRequested.store(true, ordering: .relaxed) }
        if first == 0 && last == batch.count { return }
        let positions = batch.positions
        for i in 0..<max(last - first, 0) { positions[i] = UInt16(truncatingIfNeeded: first + i) }
        if last > first { batch.keep(positions, last - first, live: live) } else { batch.count = 0 }
    }
}
