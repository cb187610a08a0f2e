import Catalog
import QueryPlan
import SQLTypes

extension PhysicalPlanner {
    func join(_ join: LogicalJoin, _ required: ColumnSet) throws -> Planned {
        var join = join
        if join.kind == .right {
            join = LogicalJoin(kind: .left, condition: join.condition, left: join.right, right: join.left)
        }
        let needed = required.union(join.condition?.columns ?? ColumnSet())
        let leftColumns = join.left.outputColumns
        let rightColumns = join.right.outputColumns
        var left = try plan(join.left, ColumnSet(needed.elements.filter(leftColumns.contains)))
        let right = try plan(join.right, ColumnSet(needed.elements.filter(rightColumns.contains)))
        var inputs = JoinInputs(left: left, right: right)
        let parts = split(join.condition?.conjuncts ?? [], join.kind, rightColumns)
        let profile = estimator.join(join, left.profile, right.profile)
        let orientation = orient(join.kind, inputs, parts.keys)
        if orientation.swapped { inputs = JoinInputs(left: right, right: left) }
        left = inputs.left
        let keys = orientation.swapped ? parts.keys.map(\.mirrored) : parts.keys
        let placement = JoinPlacement.choose(
            kind: orientation.kind, keys: keys, outer: inputs.left, inner: inputs.right, shape: context.shape)
        let operation = PhysicalJoin(
            kind: orientation.kind, method: keys.isEmpty ? .nestedLoop : .hash, keys: keys,
            residual: parts.residual, label: placement.label, innerUnique: isUnique(inputs.right, keys))
        var outputs = outputIDs(inputs.left, required) + outputIDs(inputs.right, required)
        if !join.kind.emitsRight { outputs = outputs.filter(leftColumns.contains) }
        if case .mark(let id, _) = join.kind { outputs.append(id) }
        return makeNode(
            .join(operation), [inputs.left, inputs.right], outputs, profile, placement.distribution)
    }

    struct JoinInputs {
        var left: Planned
        var right: Planned
    }

    /// Equalities between the sides become keys, everything else the residual.
    private func split(
        _ conjuncts: [BoundExpression], _ kind: JoinKind, _ right: ColumnSet
    ) -> (keys: [PhysicalJoin.Key], residual: [BoundExpression]) {
        var keys: [PhysicalJoin.Key] = []
        var residual: [BoundExpression] = []
        for conjunct in conjuncts {
            guard case .comparison(let op, _, _) = conjunct, !conjunct.isVolatile,
                let (a, b) = CardinalityEstimator.sides(conjunct, right) ?? constantSide(conjunct, kind, right)
            else {
                residual.append(conjunct)
                continue
            }
            keys.append(PhysicalJoin.Key(outer: a, inner: b, nullsEqual: op == .notDistinctFrom))
        }
        return (keys, residual)
    }

    /// `1 in (select ...)` as a value: the condition cannot become a filter of the inner side, where it would lose what
    /// is unknown. Without a key every row of one side would meet every row of the other.
    private func constantSide(
        _ conjunct: BoundExpression, _ kind: JoinKind, _ right: ColumnSet
    ) -> (BoundExpression, BoundExpression)? {
        switch kind {
        case .mark, .antiNullAware: break
        case .inner, .left, .right, .full, .semi, .anti, .single: return nil
        }
        guard case .comparison(let op, let a, let b) = conjunct, op == .equal || op == .notDistinctFrom else {
            return nil
        }
        if a.columns.isEmpty, !b.columns.isEmpty, b.columns.isSubset(of: right) { return (a, b) }
        if b.columns.isEmpty, !a.columns.isEmpty, a.columns.isSubset(of: right) { return (b, a) }
        return nil
    }

    /// Which side is built, and the join's kind in those terms.
    private func orient(
        _ kind: JoinKind, _ inputs: JoinInputs, _ keys: [PhysicalJoin.Key]
    ) -> (kind: PhysicalJoin.Kind, swapped: Bool) {
        let left = inputs.left.profile.rows
        let right = inputs.right.profile.rows
        switch kind {
        case .inner:
            let buildRight = buildCost(inputs.right, keys) + left
            let buildLeft = buildCost(inputs.left, keys.map(\.mirrored)) + right
            return (.inner, buildLeft < buildRight)
        case .full: return (.full, left < right)
        case .left:
            let swaps = left * 4 < right && !keys.isEmpty && inputs.left.distribution != .replicated
            return (swaps ? .right : .left, swaps)
        case .semi, .anti:
            let swaps = left * 3 < right && !keys.isEmpty && inputs.left.distribution != .replicated
            if kind == .semi { return (swaps ? .rightSemi : .semi, swaps) }
            return (swaps ? .rightAnti : .anti, swaps)
        case .mark(let id, let nullAware): return (.mark(id, nullAware: nullAware), false)
        case .single: return (.single, false)
        case .antiNullAware: return (.antiNullAware, false)
        case .right: return (.right, false)
        }
    }

    private func buildCost(_ side: Planned, _ keys: [PhysicalJoin.Key]) -> Double {
        side.profile.rows * (isUnique(side, keys) ? JoinCost.uniqueBuildWeight : JoinCost.buildWeight)
    }

    private func isUnique(_ inner: Planned, _ keys: [PhysicalJoin.Key]) -> Bool {
        var columns = ColumnSet()
        for key in keys where !key.nullsEqual { if let id = key.inner.asColumn { columns.insert(id) } }
        return !columns.isEmpty && inner.profile.keys.contains { $0.columns.isSubset(of: columns) }
    }
}

extension PhysicalJoin.Key {
    var mirrored: PhysicalJoin.Key { PhysicalJoin.Key(outer: inner, inner: outer, nullsEqual: nullsEqual) }
}

/// Where a join happens and what moves for it.
struct JoinPlacement {
    var label: DistributionLabel
    var distribution: Distribution

    static func choose(
        kind: PhysicalJoin.Kind, keys: [PhysicalJoin.Key], outer: PhysicalPlanner.Planned,
        inner: PhysicalPlanner.Planned, shape: ClusterShape
    ) -> JoinPlacement {
        let outerPlace = outer.distribution
        let innerPlace = inner.distribution
        let merged = merging(outerPlace, keys, kind)
        if outerPlace == .leader, innerPlace == .leader { return JoinPlacement(label: .none, distribution: .leader) }
        if !kind.preservesInner {
            if innerPlace == .replicated { return JoinPlacement(label: .allNone, distribution: merged) }
            if outerPlace == .replicated {
                return JoinPlacement(label: .allInner, distribution: .arbitrary)
            }
        }
        let pairs = KeyPairs(keys)
        if pairs.areColocated(outerPlace, innerPlace) { return JoinPlacement(label: .none, distribution: merged) }
        return cheapestMove(kind, keys, pairs, outer, inner, merged, shape)
    }

    private static func cheapestMove(
        _ kind: PhysicalJoin.Kind, _ keys: [PhysicalJoin.Key], _ pairs: KeyPairs, _ outer: PhysicalPlanner.Planned,
        _ inner: PhysicalPlanner.Planned, _ merged: Distribution, _ shape: ClusterShape
    ) -> JoinPlacement {
        let outerBytes = outer.profile.rows * max(8, outer.node.estimate.width)
        let innerBytes = inner.profile.rows * max(8, inner.node.estimate.width)
        let hashed = Distribution.hash(
            keys.map { key in
                Set([key.outer.asColumn, kind.keepsInnerKeys ? key.inner.asColumn : nil].compactMap { $0 })
            })
        let isHashable = !keys.isEmpty && keys.allSatisfy { $0.outer.asColumn != nil }
        let both = JoinPlacement(label: .distributeBoth, distribution: isHashable ? hashed : .arbitrary)
        var best = (cost: outerBytes + innerBytes, placement: both)
        if keys.isEmpty { best.cost = .infinity }
        func offer(_ cost: Double, _ label: DistributionLabel, _ distribution: Distribution) {
            if cost < best.cost { best = (cost, JoinPlacement(label: label, distribution: distribution)) }
        }
        if !kind.preservesInner {
            // Slices of a node share a broadcast copy, so its price is per slice but less than a send of each row.
            let copies = Double(max(2, shape.slices))
            offer(innerBytes * copies, .broadcastInner, outer.distribution == .leader ? .arbitrary : merged)
        }
        if pairs.covers(outer.distribution, side: \.outer) { offer(innerBytes, .distributeInner, merged) }
        if pairs.covers(inner.distribution, side: \.inner) {
            let place = merging(inner.distribution, keys, kind)
            offer(outerBytes, .distributeOuter, kind.keepsInnerKeys || kind.preservesInner ? place : .arbitrary)
        }
        if best.cost == .infinity { return JoinPlacement(label: .broadcastInner, distribution: .arbitrary) }
        return best.placement
    }

    /// A side's placement with the columns that an inner join makes equal.
    private static func merging(
        _ place: Distribution, _ keys: [PhysicalJoin.Key], _ kind: PhysicalJoin.Kind
    ) -> Distribution {
        guard kind == .inner, case .hash(var sets) = place else { return place }
        for key in keys {
            guard let a = key.outer.asColumn, let b = key.inner.asColumn else { continue }
            for index in sets.indices where sets[index].contains(a) || sets[index].contains(b) {
                sets[index].insert(a)
                sets[index].insert(b)
            }
        }
        return .hash(sets)
    }
}

extension PhysicalJoin.Kind {
    /// Kinds that emit built rows by themselves, so that each must exist once.
    var preservesInner: Bool {
        switch self {
        case .right, .full, .rightSemi, .rightAnti: true
        case .inner, .left, .semi, .anti, .mark, .single, .antiNullAware: false
        }
    }
    var keepsInnerKeys: Bool { self == .inner }
}

/// The key pairs of a join as columns.
struct KeyPairs {
    struct Pair {
        var outer: ColumnID
        var inner: ColumnID
    }
    private var pairs: [Pair] = []

    init(_ keys: [PhysicalJoin.Key]) {
        for key in keys {
            if let outer = key.outer.asColumn, let inner = key.inner.asColumn {
                pairs.append(Pair(outer: outer, inner: inner))
            }
        }
    }

    /// Every hash column of the placement is a key.
    func covers(_ place: Distribution, side: KeyPath<Pair, ColumnID>) -> Bool {
        guard case .hash(let sets) = place, !sets.isEmpty else { return false }
        return sets.allSatisfy { set in pairs.contains { set.contains($0[keyPath: side]) } }
    }

    func areColocated(_ outer: Distribution, _ inner: Distribution) -> Bool {
        guard case .hash(let outerSets) = outer, case .hash(let innerSets) = inner,
            outerSets.count == innerSets.count, !outerSets.isEmpty
        else { return false }
        return zip(outerSets, innerSets).allSatisfy { a, b in
            pairs.contains { a.contains($0.outer) && b.contains($0.inner) }
        }
    }
}
