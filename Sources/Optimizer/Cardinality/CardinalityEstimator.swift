import Catalog
import QueryPlan

/// Estimates results bottom-up. Without statistics it guesses 1000 rows per table.
final class CardinalityEstimator {
    let context: OptimizerContext
    let selectivity: Selectivity
    private var definitions: [Int: PlanProfile] = [:]

    init(context: OptimizerContext) {
        self.context = context
        selectivity = Selectivity(context: context)
    }

    func setDefinition(_ id: Int, _ profile: PlanProfile) { definitions[id] = profile }

    func profile(_ plan: LogicalPlan) -> PlanProfile {
        if context.isStopped { return PlanProfile(rows: 1) }
        switch plan {
        case .scan(let scan): return self.scan(scan)
        case .systemScan: return PlanProfile(rows: 100)
        case .values(let values): return PlanProfile(rows: Double(values.rows.count))
        case .filter(let condition, let input): return filter(condition.conjuncts, profile(input))
        case .project(let columns, let input): return project(columns, profile(input))
        case .join(let join): return self.join(join, profile(join.left), profile(join.right))
        case .aggregate(let aggregate): return self.aggregate(aggregate, profile(aggregate.input))
        case .window(let window): return profile(window.input)
        case .unnest(let unnest): return elements(profile(unnest.input))
        case .sort(_, let input): return profile(input)
        case .limit(let limit): return self.limit(limit, profile(limit.input))
        case .setOperation(let operation):
            return setOperation(operation, profile(operation.left), profile(operation.right))
        case .with(let with):
            definitions[with.id] = profile(with.definition)
            if let recursion = with.recursion { setRecursion(with, recursion) }
            return profile(with.body)
        case .withReference(let reference): return self.reference(reference)
        }
    }

    /// How often the step runs is not known: some times.
    func setRecursion(_ with: LogicalWith, _ recursion: LogicalRecursion) {
        var profile = profile(with.definition)
        setDefinition(recursion.workingID, profile)
        profile.rows *= CardinalityEstimator.recursionRounds
        profile.keys = []
        setDefinition(with.id, profile)
    }
    private static let recursionRounds = 10.0

    func scan(_ scan: LogicalScan) -> PlanProfile {
        let rows = context.tableStatistics(scan.table.id).map { Double(max(1, $0.rowCount)) } ?? 1000
        var result = PlanProfile(rows: rows)
        for key in scan.table.declaredKeys {
            let ids = key.compactMap { index in scan.columns.first { $0.index == index }?.id }
            if ids.count == key.count { result.keys.append(.init(columns: ColumnSet(ids), domain: rows)) }
        }
        return result
    }

    func reference(_ reference: LogicalWithReference) -> PlanProfile {
        guard let definition = definitions[reference.id] else { return PlanProfile(rows: 1000) }
        let columns = zip(reference.columns, reference.sources).map {
            ProjectedColumn(id: $0.id, expression: .column($1, $0.type))
        }
        return project(columns, definition)
    }

    func filter(_ conjuncts: [BoundExpression], _ input: PlanProfile) -> PlanProfile {
        var result = input
        result.rows = max(1, input.rows * selectivity.conjunction(conjuncts, &result))
        return result
    }

    func project(_ columns: [ProjectedColumn], _ input: PlanProfile) -> PlanProfile {
        var result = PlanProfile(rows: input.rows)
        var names: [ColumnID: ColumnID] = [:]
        for column in columns {
            guard let source = column.expression.asColumn else {
                result.distinct[column.id] = input.distinctCount(column.expression, context)
                continue
            }
            names[source] = column.id
            if let known = input.distinct[source] { result.distinct[column.id] = known }
        }
        for key in input.keys {
            let ids = key.columns.elements.compactMap { names[$0] }
            if ids.count == key.columns.count {
                result.keys.append(.init(columns: ColumnSet(ids), domain: key.domain))
            }
        }
        return result
    }

    func aggregate(_ aggregate: LogicalAggregate, _ input: PlanProfile) -> PlanProfile {
        guard !aggregate.groups.isEmpty else {
            return PlanProfile(rows: Double(max(1, aggregate.groupingSets?.count ?? 1)))
        }
        var groups = 1.0
        var counts: [Double] = []
        for group in aggregate.groups {
            counts.append(input.distinctCount(group.expression, context))
            groups = min(groups * (counts.last ?? 1), input.rows)
        }
        if let sets = aggregate.groupingSets { groups = min(groups * 1.5, input.rows * Double(sets.count)) }
        var result = PlanProfile(rows: max(1, groups))
        for (group, count) in zip(aggregate.groups, counts) { result.distinct[group.id] = count }
        if aggregate.groupingSets == nil {
            // The domain is what the groups would be without the filters below.
            var domain = result.rows
            for (group, count) in zip(aggregate.groups, counts) {
                if let id = group.expression.asColumn, let all = context.facts(id).distinct {
                    domain *= max(1, all / count)
                }
            }
            result.keys = [.init(columns: ColumnSet(aggregate.groups.map(\.id)), domain: domain)]
        }
        return result
    }

    /// Nobody has counted the elements.
    func elements(_ input: PlanProfile) -> PlanProfile {
        var result = input
        result.rows *= CardinalityEstimator.elementsOfArray
        result.keys = []
        return result
    }
    static let elementsOfArray = 4.0

    func limit(_ limit: LogicalLimit, _ input: PlanProfile) -> PlanProfile {
        var result = input
        result.rows = max(0, input.rows - Double(limit.offset))
        if let count = limit.count { result.rows = min(result.rows, Double(count)) }
        return result
    }

    func setOperation(
        _ operation: LogicalSetOperation, _ left: PlanProfile, _ right: PlanProfile
    ) -> PlanProfile {
        switch operation.kind {
        case .union: return PlanProfile(rows: (left.rows + right.rows) * (operation.all ? 1 : 0.7))
        case .intersect: return PlanProfile(rows: max(1, min(left.rows, right.rows) * 0.5))
        case .except: return PlanProfile(rows: max(1, left.rows * 0.5))
        }
    }
}
