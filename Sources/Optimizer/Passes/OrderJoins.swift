import QueryPlan

/// Chooses the order of joins by estimated cost, region by region.
struct OrderJoins: OptimizerPass {
    let name = "order_joins"

    func run(_ query: inout LogicalQuery, _ context: OptimizerContext) throws {
        let estimator = CardinalityEstimator(context: context)
        let reduces = !context.settings.disabledPasses.contains(AggregateReduction.name)
        query.plan = JoinOrdering(estimator: estimator, reducesAggregates: reduces).order(query.plan)
    }
}

struct JoinOrdering {
    let estimator: CardinalityEstimator
    let reducesAggregates: Bool

    func order(_ plan: LogicalPlan) -> LogicalPlan {
        if estimator.context.isStopped { return plan }
        if case .with(var with) = plan {
            with.definition = order(with.definition)
            estimator.setDefinition(with.id, estimator.profile(with.definition))
            if let recursion = with.recursion {
                estimator.setRecursion(with, recursion)
                with.recursion?.step = order(recursion.step)
            }
            with.body = order(with.body)
            return .with(with)
        }
        guard isRegion(plan) else { return plan.mapChildren(order) }
        guard var graph = JoinGraph(plan, estimator: estimator, optimizeLeaf: { orderLeaf($0) }) else {
            return plan.mapChildren(order)
        }
        if reducesAggregates { AggregateReduction(estimator: estimator, order: order).apply(to: &graph) }
        guard graph.relations.count > 1, let tree = JoinEnumerator.bestTree(graph) else {
            return plan.mapChildren(order)
        }
        return build(tree, graph)
    }

    /// A leaf may be a join that is no part of this region, or hide further regions.
    private func orderLeaf(_ plan: LogicalPlan) -> LogicalPlan {
        isRegion(plan) ? order(plan) : plan.mapChildren(order)
    }

    private func isRegion(_ plan: LogicalPlan) -> Bool {
        switch plan {
        case .join(let join):
            return (join.kind == .inner || join.kind.isAttachment) && !(join.condition?.isVolatile ?? false)
        case .filter(let condition, let input): return !condition.isVolatile && isRegion(input)
        default: return false
        }
    }

    private func build(_ tree: JoinEnumerator.Tree, _ graph: JoinGraph) -> LogicalPlan {
        switch tree {
        case .leaf(let index):
            // Conditions without columns: above the joins all pairs would be made first. An attachment's left side has
            // them already.
            let relation = graph.relations[index]
            let constants = graph.predicates.filter { $0.mask == 0 }.map(\.expression)
            return relation.attachment == nil ? relation.plan.filtered(constants) : relation.plan
        case .join(let leftTree, let rightTree, let left, let right):
            let leftPlan = build(leftTree, graph)
            let rightPlan = build(rightTree, graph)
            let isSingle = right.nonzeroBitCount == 1
            if isSingle, let attachment = graph.relations[right.trailingZeroBitCount].attachment {
                let join = LogicalPlan.join(
                    LogicalJoin(
                        kind: attachment.kind, condition: .conjunction(attachment.condition), left: leftPlan,
                        right: rightPlan))
                return join.filtered(newPredicates(graph, left, 0, left | right))
            }
            let conjuncts = keys(graph, left, right) + newPredicates(graph, left, right, left | right)
            return .join(
                LogicalJoin(kind: .inner, condition: .conjunction(conjuncts), left: leftPlan, right: rightPlan))
        }
    }

    /// Conjuncts that can be evaluated in `both` and in neither part.
    private func newPredicates(_ graph: JoinGraph, _ left: UInt64, _ right: UInt64, _ both: UInt64)
        -> [BoundExpression]
    {
        graph.predicates.filter {
            $0.mask != 0 && $0.mask & ~both == 0 && $0.mask & ~left != 0 && (right == 0 || $0.mask & ~right != 0)
        }.map(\.expression)
    }

    /// One equality for each class that both sides have: its other members are equal already.
    private func keys(_ graph: JoinGraph, _ left: UInt64, _ right: UInt64) -> [BoundExpression] {
        graph.classes.compactMap { group in
            guard group.mask & left != 0, group.mask & right != 0,
                let a = group.members.first(where: { left & (1 << UInt64($0.relation)) != 0 }),
                let b = group.members.first(where: { right & (1 << UInt64($0.relation)) != 0 })
            else { return nil }
            return .comparison(.equal, .column(a.id, a.type), .column(b.id, b.type))
        }
    }
}
