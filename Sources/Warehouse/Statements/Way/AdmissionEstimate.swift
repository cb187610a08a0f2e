import Catalog
import QueryPlan

/// What a plan may take, roughly: for statements that nobody has run yet.
struct AdmissionEstimate {
    private(set) var nanoseconds = AdmissionEstimate.least
    /// Of rows that its operators keep, all at the same time. Both may be infinite or no number, as the planner's
    /// estimates of many joins are.
    private(set) var bytes = 0.0

    /// Beginning and ending.
    private static let least = 50_000.0
    /// For each row of each step, on one core: the slower third of TPC-H's queries.
    private static let nanosecondsPerRow = 2.0
    private static let bytesPerRow = 16.0

    /// - Parameter tableRows: of all of a table.
    init(_ plan: PhysicalPlan, cores: Int, tableRows: (ObjectID) -> Int) {
        add(plan, tableRows)
        nanoseconds /= Double(max(cores, 1))
    }

    private mutating func add(_ plan: PhysicalPlan, _ tableRows: (ObjectID) -> Int) {
        let rows = max(plan.estimate.rows, 0)
        switch plan.operation {
        case .tableScan(let scan):
            nanoseconds += max(Double(tableRows(scan.table.id)), rows) * AdmissionEstimate.nanosecondsPerRow
        case .join(let join):
            let probed = plan.children.first?.estimate.rows ?? 0
            let built = plan.children.last?.estimate ?? plan.estimate
            let pairs = join.method == .nestedLoop ? probed * built.rows : probed + built.rows
            nanoseconds += (pairs + rows) * AdmissionEstimate.nanosecondsPerRow
            bytes += built.rows * (built.width + AdmissionEstimate.bytesPerRow)
        case .aggregate, .sort, .window, .setOperation:
            let input = plan.children.first?.estimate ?? plan.estimate
            nanoseconds += input.rows * AdmissionEstimate.nanosecondsPerRow
            let kept = { if case .aggregate = plan.operation { rows } else { input.rows } }()
            bytes += kept * (plan.estimate.width + AdmissionEstimate.bytesPerRow)
        default: nanoseconds += rows * AdmissionEstimate.nanosecondsPerRow / 4
        }
        for child in plan.children { add(child, tableRows) }
    }
}
