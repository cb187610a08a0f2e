import QueryPlan

/// A grouping that is joined on its group key to a few rows need not group the rest: its input is semi-joined with a
/// copy of the filtered table that selects them. That turns "average per part, for 200 parts" into grouping 200
/// parts.
struct AggregateReduction {
    /// Part of `order_joins`; disabled alone by this name.
    static let name = "reduce_aggregate_inputs"

    let estimator: CardinalityEstimator
    /// Orders the joins of a changed aggregate's input.
    let order: (LogicalPlan) -> LogicalPlan

    /// Values kept must be fewer than this share of the key's values, else the semi join costs more than it saves.
    private static let worthwhileShare = 0.25

    private struct Selector {
        var plan: LogicalPlan
        var key: ColumnID
        var values: Double
    }

    /// Changes the graph's aggregates where it pays.
    func apply(to graph: inout JoinGraph) {
        for index in graph.relations.indices where graph.relations[index].attachment == nil {
            let plan = graph.relations[index].plan
            guard Self.mayReduce(plan) else { continue }
            var best: (member: JoinGraph.Member, selector: Selector)?
            for group in graph.classes {
                guard let member = group.members.first(where: { $0.relation == index }),
                    let selector = cheapestSelector(group, besides: index, graph),
                    selector.values < Self.worthwhileShare * member.distinct
                else { continue }
                if let known = best, known.selector.values <= selector.values { continue }
                best = (member, selector)
            }
            guard let best, let reduced = reduce(plan, best.member.id, best.selector) else { continue }
            graph.replacePlan(of: index, with: reduced)
        }
    }

    private static func mayReduce(_ plan: LogicalPlan) -> Bool {
        switch plan {
        case .project(_, let input), .filter(_, let input): mayReduce(input)
        case .aggregate(let aggregate): !aggregate.groups.isEmpty && aggregate.groupingSets == nil
        default: false
        }
    }

    /// A filtered table among the class's members, or one that a member is semi-joined with.
    private func cheapestSelector(
        _ group: JoinGraph.EqualityClass, besides index: Int, _ graph: JoinGraph
    ) -> Selector? {
        var best: Selector?
        func offer(_ relation: JoinGraph.Relation, _ key: ColumnID) {
            guard Self.isFilteredScan(relation.plan) else { return }
            let values = relation.profile.distinctCount(key, estimator.context)
            if values < best?.values ?? .infinity { best = Selector(plan: relation.plan, key: key, values: values) }
        }
        for member in group.members where member.relation != index {
            offer(graph.relations[member.relation], member.id)
        }
        for relation in graph.relations {
            guard let attachment = relation.attachment, attachment.kind == .semi, attachment.condition.count == 1,
                case .comparison(.equal, .column(let a, _), .column(let b, _)) = attachment.condition[0]
            else { continue }
            let key = relation.columns.contains(a) ? a : b
            let other = key == a ? b : a
            if group.members.contains(where: { $0.id == other }) { offer(relation, key) }
        }
        return best
    }

    /// Scanning it once more must be cheap, and it must filter at all.
    private static func isFilteredScan(_ plan: LogicalPlan) -> Bool {
        switch plan {
        case .filter(let condition, .scan): !condition.isVolatile
        case .project(let columns, let input):
            columns.allSatisfy { $0.expression.asColumn != nil } && isFilteredScan(input)
        default: false
        }
    }

    private func reduce(_ plan: LogicalPlan, _ key: ColumnID, _ selector: Selector) -> LogicalPlan? {
        switch plan {
        case .filter(let condition, let input):
            return reduce(input, key, selector).map { .filter(condition, $0) }
        case .project(let columns, let input):
            guard let source = columns.first(where: { $0.id == key })?.expression.asColumn else { return nil }
            return reduce(input, source, selector).map { .project(columns, $0) }
        case .aggregate(var aggregate):
            guard let group = aggregate.groups.first(where: { $0.id == key }), !group.expression.isVolatile else {
                return nil
            }
            var names: [ColumnID: ColumnID] = [:]
            let copy = selector.plan.cloned(estimator.context, &names)
            let id = names[selector.key] ?? selector.key
            let column = estimator.context.column(id)
            let right = LogicalPlan.project([ProjectedColumn(id: id, expression: column)], copy)
            let condition = BoundExpression.comparison(.equal, group.expression, column)
            aggregate.input = order(
                .join(LogicalJoin(kind: .semi, condition: condition, left: aggregate.input, right: right)))
            return .aggregate(aggregate)
        default: return nil
        }
    }
}
