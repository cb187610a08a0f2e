import QueryPlan

extension CardinalityEstimator {
    /// How a condition connects two inputs.
    struct JoinShape {
        /// Product of 1 / max(distinct) over the equalities, bounded by keys, times the residual's share.
        var selectivity: Double
        /// Share of left rows with a partner.
        var leftMatch: Double
    }

    func join(_ join: LogicalJoin, _ left: PlanProfile, _ right: PlanProfile) -> PlanProfile {
        let rightColumns = join.right.outputColumns
        let conjuncts = join.condition?.conjuncts ?? []
        let shape = self.shape(conjuncts, left, right, rightColumns)
        let pairs = max(left.rows * right.rows * shape.selectivity, 1)
        var result = left
        switch join.kind {
        case .inner, .left, .right, .full:
            result.rows = pairs
            if join.kind == .left || join.kind == .full { result.rows = max(result.rows, left.rows) }
            if join.kind == .right || join.kind == .full { result.rows = max(result.rows, right.rows) }
            result.distinct.merge(right.distinct) { min($0, $1) }
            result.keys = joinedKeys(left, right, conjuncts, rightColumns, join.kind)
        case .semi: result.rows = max(1, left.rows * shape.leftMatch)
        case .anti, .antiNullAware: result.rows = max(1, left.rows * (1 - 0.9 * shape.leftMatch))
        case .mark: break
        case .single: result.distinct.merge(right.distinct) { min($0, $1) }
        }
        if join.kind == .inner || join.kind == .semi { narrowKeys(conjuncts, left, right, rightColumns, &result) }
        return result
    }

    private func narrowKeys(
        _ conjuncts: [BoundExpression], _ left: PlanProfile, _ right: PlanProfile, _ rightColumns: ColumnSet,
        _ result: inout PlanProfile
    ) {
        for conjunct in conjuncts {
            guard case .comparison(.equal, .column(let a, _), .column(let b, _)) = conjunct,
                rightColumns.contains(a) != rightColumns.contains(b)
            else { continue }
            let (l, r) = rightColumns.contains(b) ? (a, b) : (b, a)
            let count = min(left.distinctCount(l, context), right.distinctCount(r, context))
            result.narrow(a, to: count)
            result.narrow(b, to: count)
        }
    }

    func shape(
        _ conjuncts: [BoundExpression], _ left: PlanProfile, _ right: PlanProfile, _ rightColumns: ColumnSet
    ) -> JoinShape {
        var equalities = 1.0
        var match = 1.0
        var residual = 1.0
        var leftKeys = ColumnSet()
        var rightKeys = ColumnSet()
        for conjunct in conjuncts {
            guard let (a, b) = Self.sides(conjunct, rightColumns) else {
                residual *= residualShare(conjunct, left, right)
                continue
            }
            let leftCount = left.distinctCount(a, context)
            let rightCount = right.distinctCount(b, context)
            equalities *= pairShare(a, b, left, right) ?? 1 / max(leftCount, rightCount)
            match = min(match, rightCount / leftCount)
            if let id = a.asColumn { leftKeys.insert(id) }
            if let id = b.asColumn { rightKeys.insert(id) }
        }
        for key in left.keys where key.columns.isSubset(of: leftKeys) { equalities = max(equalities, 1 / key.domain) }
        for key in right.keys where key.columns.isSubset(of: rightKeys) { equalities = max(equalities, 1 / key.domain) }
        return JoinShape(selectivity: equalities * residual, leftMatch: min(1, max(match * min(1, residual * 2), 1e-4)))
    }

    /// From values that are common in both tables, while no filter has changed what is common.
    private func pairShare(
        _ a: BoundExpression, _ b: BoundExpression, _ left: PlanProfile, _ right: PlanProfile
    ) -> Double? {
        guard let first = a.asColumn, let second = b.asColumn, left.distinct.isEmpty, right.distinct.isEmpty else {
            return nil
        }
        return selectivity.commonMatches(first, second)
    }

    private func residualShare(_ conjunct: BoundExpression, _ left: PlanProfile, _ right: PlanProfile) -> Double {
        var both = left
        both.rows = max(left.rows, right.rows)
        both.distinct.merge(right.distinct) { a, _ in a }
        return selectivity.of(conjunct, both)
    }

    /// `left expression = right expression`, whichever way it is written.
    static func sides(_ conjunct: BoundExpression, _ rightColumns: ColumnSet) -> (BoundExpression, BoundExpression)? {
        guard case .comparison(let op, let a, let b) = conjunct, op == .equal || op == .notDistinctFrom else {
            return nil
        }
        let aColumns = a.columns
        let bColumns = b.columns
        if aColumns.isEmpty || bColumns.isEmpty { return nil }
        if !aColumns.intersects(rightColumns), bColumns.isSubset(of: rightColumns) { return (a, b) }
        if !bColumns.intersects(rightColumns), aColumns.isSubset(of: rightColumns) { return (b, a) }
        return nil
    }

    /// A side's keys stay keys when the other side matches each of its rows at most once.
    private func joinedKeys(
        _ left: PlanProfile, _ right: PlanProfile, _ conjuncts: [BoundExpression], _ rightColumns: ColumnSet,
        _ kind: JoinKind
    ) -> [PlanProfile.Key] {
        guard kind == .inner || kind == .left else { return [] }
        var leftKeys = ColumnSet()
        var rightKeys = ColumnSet()
        for conjunct in conjuncts {
            guard let (a, b) = Self.sides(conjunct, rightColumns) else { continue }
            if let id = a.asColumn { leftKeys.insert(id) }
            if let id = b.asColumn { rightKeys.insert(id) }
        }
        var result: [PlanProfile.Key] = []
        if right.keys.contains(where: { $0.columns.isSubset(of: rightKeys) }) { result += left.keys }
        if kind == .inner, left.keys.contains(where: { $0.columns.isSubset(of: leftKeys) }) { result += right.keys }
        return result
    }
}
