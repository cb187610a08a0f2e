import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// A join by partitions of both sides: rows that can match are in partitions of the same number, and rows without
    /// a match are without one in their own. What partitions cannot make smaller goes in blocks of inner rows.
    func openSpilledJoin(_ plan: PhysicalPlan, _ join: PhysicalJoin, filters: [RuntimeFilter]) throws -> Pipeline {
        let site = JoinSite(plan, join)
        let depth = spillDepth(plan)
        guard site.canPartition, depth < QueryExecutor.deepestSpill else {
            return try openBlockJoin(plan, site, filters: filters)
        }
        let routed = site.route(filters)
        let keys = join.keys.filter(\.canPartition)
        let seed = spillSeed(plan)
        let outerColumns = site.columns(of: site.outer), innerColumns = site.columns(of: site.inner)
        let inner = try partition(
            site.inner, columns: innerColumns, keys: keys.map(\.inner), seed: seed, filters: routed.inner)
        let outer = try partition(
            site.outer, columns: outerColumns, keys: keys.map(\.outer), seed: seed, filters: routed.outer)
        let most = inner.reduce(0) { $0 + $1.count } / 10 * 9
        let writer = try resultWriter(plan.outputs)
        for (left, right) in zip(outer, inner) {
            if left.count == 0 && (right.count == 0 || !site.keepsInner) { continue }
            if right.count == 0 && site.needsMatch { continue }
            let executor = partitionExecutor()
            // Nearly all rows have one key: cutting them again would be in vain.
            let reached = right.count > most ? QueryExecutor.deepestSpill : depth + 1
            let leaves = [
                executor.leaf(left, outerColumns, replacing: site.outer, depth: reached),
                executor.leaf(right, innerColumns, replacing: site.inner, depth: reached),
            ]
            try executor.add(executor.open(plan.over(leaves), filters: []), plan.outputs, to: writer)
        }
        return pipeline(over: try writer.finish()[0], columns: plan.outputs)
    }
}

extension JoinSite {
    /// Whether there is a form for inner rows that do not fit, after so many cuts. NOT IN looks at rows of all
    /// partitions; joins without an equality have none.
    func canSpill(_ depth: Int) -> Bool {
        canPartition && depth < QueryExecutor.deepestSpill || canBlock && depth <= QueryExecutor.deepestSpill
    }
    var canPartition: Bool { !isNullAware && join.keys.contains(where: \.canPartition) }

    /// Inner rows may leave the join without an outer row.
    var keepsInner: Bool {
        switch join.kind {
        case .right, .full, .rightAnti: true
        default: false
        }
    }

    /// A side's columns that the join reads or passes on.
    func columns(of side: PhysicalPlan) -> [OutputColumn] {
        var wanted = Set(plan.outputs.map(\.id))
        for condition in join.residual { condition.collectColumns(into: &wanted) }
        for key in join.keys {
            key.inner.collectColumns(into: &wanted)
            key.outer.collectColumns(into: &wanted)
        }
        return side.outputs.filter { wanted.contains($0.id) }
    }
}

extension PhysicalJoin.Key {
    /// Both sides' equal values have equal hashes.
    fileprivate var canPartition: Bool {
        guard outer.canPartition, inner.canPartition else { return false }
        let (left, right) = (outer.type.physical, inner.type.physical)
        if left.isInteger && right.isInteger { return outer.type.scale == inner.type.scale }
        return left == right
    }
}
