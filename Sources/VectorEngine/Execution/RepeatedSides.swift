import QueryPlan

/// Inner sides of a recursion's joins that are the same in each round: made in the first one and kept, with their
/// indexes, until the recursion is over. Off with ``SpecialWay/repeatedRounds``. Confined to the query's thread.
final class RepeatedSides {
    struct Kept {
        let build: BuildSide
        let runtime: RuntimeFilterBuilder.Result
    }
    /// The recursion's expressions, whose rows change.
    private let changing: Set<Int>
    /// By step.
    private var sides: [Int: Kept] = [:]
    private var refused: Set<Int> = []

    init(_ recursion: PhysicalRecursion) { changing = [recursion.id, recursion.workingID] }

    /// What is known of the outer side is new in each round, so filters get receipts of their own.
    func find(_ step: Int) -> Kept? {
        sides[step].map { Kept(build: $0.build, runtime: $0.runtime.renewed()) }
    }

    func keep(_ build: BuildSide, _ runtime: RuntimeFilterBuilder.Result, of site: JoinSite) {
        guard !refused.contains(site.plan.step), !site.tracksMatches, site.inner.isUnchanged(by: changing) else {
            return
        }
        build.keepsIndex = true
        sides[site.plan.step] = Kept(build: build, runtime: runtime)
    }

    /// Memory was refused to the step.
    func forget(_ step: Int) {
        sides[step] = nil
        refused.insert(step)
    }
}

extension RuntimeFilterBuilder.Result {
    fileprivate func renewed() -> RuntimeFilterBuilder.Result {
        var result = self
        result.filters = []
        for filter in filters {
            let fresh = RuntimeFilter(column: filter.column, test: filter.test)
            result.filters.append(fresh)
            if filter.receipt === exact { result.exact = fresh.receipt }
        }
        return result
    }
}

extension PhysicalPlan {
    /// Whether each round would read the same rows.
    fileprivate func isUnchanged(by changing: Set<Int>) -> Bool {
        switch operation {
        case .tableScan(let scan): scan.conjuncts.allSatisfy(\.isRepeatable)
        case .filter(let conjuncts):
            conjuncts.allSatisfy(\.isRepeatable) && children[0].isUnchanged(by: changing)
        case .project(let columns):
            columns.allSatisfy { $0.expression.isRepeatable } && children[0].isUnchanged(by: changing)
        case .gather: children[0].isUnchanged(by: changing)
        case .withReference(let id, _, _): !changing.contains(id)
        default: false
        }
    }
}

extension BoundExpression {
    fileprivate var isRepeatable: Bool {
        var columns: Set<ColumnID> = []
        return collectColumns(&columns, limit: .max)
    }
}
