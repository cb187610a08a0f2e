import Catalog
import QueryPlan

/// The cost figures that EXPLAIN shows, on Redshift's scale: a scanned row is 0.01, and what a sort delivers carries a
/// constant that keeps it above everything else.
enum PlanCost {
    /// DISTSTYLE AUTO behaves as ALL up to this many rows.
    static let automaticReplicationRows: Int64 = 100_000
    static let sortPenalty = 1_000_000_000_000.0
    private static let rowCost = 0.01
    private static let conditionCost = 0.0025
    private static let movedByteCost = 0.002

    static func cost(
        _ operation: PhysicalOperation, _ children: [PhysicalPlan], rows: Double, storedRows: Double,
        shape: ClusterShape
    ) -> (startup: Double, total: Double) {
        let input = children.first?.estimate ?? Estimate(rows: 0, width: 0, startupCost: 0, totalCost: 0)
        switch operation {
        case .tableScan(let scan):
            return (0, storedRows * (rowCost + conditionCost * Double(min(1, scan.conjuncts.count))))
        case .systemScan, .values, .withReference: return (0, rows * rowCost)
        case .filter(let conjuncts):
            return (input.startupCost, input.totalCost + input.rows * conditionCost * Double(conjuncts.count))
        case .project, .limit, .gather, .append, .unnest:
            let total = children.reduce(0) { $0 + $1.estimate.totalCost }
            return (input.startupCost, total)
        case .join(let join): return self.join(join, children, rows: rows, shape: shape)
        case .aggregate(let aggregate):
            let work = input.rows * conditionCost * Double(max(1, aggregate.aggregates.count + aggregate.groups.count))
            return (input.totalCost + work, input.totalCost + work + rows * conditionCost)
        case .sort, .topN:
            let work = input.rows * rowCost + sortPenalty
            return (input.totalCost + work, input.totalCost + work + input.rows * conditionCost)
        case .window: return (sortPenalty + input.totalCost, sortPenalty + input.totalCost + input.rows * 0.02)
        case .setOperation, .with, .recursiveWith:
            let total = children.reduce(0) { $0 + $1.estimate.totalCost }
            return (total, total + rows * rowCost)
        }
    }

    private static func join(
        _ join: PhysicalJoin, _ children: [PhysicalPlan], rows: Double, shape: ClusterShape
    ) -> (startup: Double, total: Double) {
        let outer = children[0].estimate
        let inner = children[1].estimate
        let slices = Double(shape.slices)
        let outerBytes = outer.rows * outer.width
        let innerBytes = inner.rows * inner.width
        let moved: Double
        switch join.label {
        case .none, .allNone: moved = 0
        case .broadcastInner: moved = innerBytes * slices
        case .distributeInner: moved = innerBytes
        case .distributeOuter: moved = outerBytes
        case .distributeBoth: moved = outerBytes + innerBytes
        case .allInner: moved = innerBytes * slices
        }
        let startup = inner.totalCost + inner.rows * conditionCost
        if join.method == .nestedLoop {
            return (inner.totalCost, outer.totalCost + inner.totalCost + outer.rows * inner.rows * rowCost)
        }
        let total = startup + outer.totalCost + outer.rows * conditionCost + rows * rowCost + moved * movedByteCost
        return (startup, total)
    }
}
