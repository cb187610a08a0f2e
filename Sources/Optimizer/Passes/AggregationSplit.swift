import Catalog
import QueryPlan
import SQLTypes

/// An aggregate over inner joins whose relations fall into two parts: *facts*, from which everything is computed that
/// is aggregated, and *attributes*: whole tables that are joined by equal columns and only lend columns to group by,
/// strings among them.
struct AggregationSplit {
    /// An equality between the two parts.
    struct Link {
        var fact: (id: ColumnID, type: SQLType)
        var attribute: (id: ColumnID, type: SQLType)
    }
    let aggregate: LogicalAggregate
    let context: OptimizerContext
    private var relations: [LogicalPlan] = []
    private var columns: [ColumnSet] = []
    private var conjuncts: [(expression: BoundExpression, homes: UInt64)] = []
    /// Bit masks of relations.
    private var attributes: UInt64 = 0
    private var all: UInt64 = 0
    private(set) var links: [Link] = []
    private static let mostRelations = 16

    /// nil when there is no such split.
    init?(_ aggregate: LogicalAggregate, _ context: OptimizerContext) {
        self.aggregate = aggregate
        self.context = context
        guard aggregate.groups.contains(where: { $0.expression.type.isString }), collect(), chooseAttributes(),
            linkParts(), areConnected(all & ~attributes, from: nil)
        else { return nil }
        for group in aggregate.groups {
            let homes = homes(of: group.expression.columns)
            if homes & attributes != 0 && homes & ~attributes != 0 { return nil }
        }
    }

    private func homes(of set: ColumnSet) -> UInt64 {
        var result: UInt64 = 0
        for index in columns.indices where columns[index].intersects(set) { result |= 1 << UInt64(index) }
        return result
    }

    private mutating func collect() -> Bool {
        guard case .join = aggregate.input.withoutFilters else { return false }
        var found: [BoundExpression] = []
        InnerJoinRegion.flatten(aggregate.input, &relations, &found)
        guard relations.count > 1, relations.count <= Self.mostRelations else { return false }
        all = 1 << UInt64(relations.count) - 1
        columns = relations.map(\.outputColumns)
        for expression in found {
            let homes = homes(of: expression.columns)
            if homes == 0 || expression.isVolatile { return false }
            conjuncts.append((expression, homes))
        }
        return aggregate.groups.allSatisfy { !$0.expression.isVolatile }
    }

    // MARK: Parts

    private mutating func chooseAttributes() -> Bool {
        var aggregated = ColumnSet()
        var isSafe = true
        for item in aggregate.aggregates {
            item.call.forEachExpression { expression in
                expression.forEachColumn { aggregated.insert($0) }
                isSafe = isSafe && expression.neverFails
            }
        }
        guard isSafe else { return false }
        let excluded = homes(of: aggregated) | filtered
        var strings = ColumnSet()
        for group in aggregate.groups where group.expression.type.isString {
            strings.formUnion(group.expression.columns)
        }
        attributes = homes(of: strings) & ~excluded
        for index in relations.indices {
            if case .scan = relations[index] { continue }
            attributes &= ~(1 << UInt64(index))
        }
        attachDependents(excluded)
        return attributes != 0 && attributes != all
    }

    /// Relations with conditions of their own: joining them selects rows.
    private var filtered: UInt64 {
        conjuncts.reduce(0) { $1.homes.nonzeroBitCount == 1 ? $0 | $1.homes : $0 }
    }

    /// Whole tables that are joined with attributes alone belong to them.
    private mutating func attachDependents(_ excluded: UInt64) {
        var grown = attributes != 0
        while grown {
            grown = false
            for index in relations.indices {
                let bit = UInt64(1) << UInt64(index)
                guard (attributes | excluded) & bit == 0, case .scan = relations[index] else { continue }
                let touching = conjuncts.filter { $0.homes & bit != 0 }
                if !touching.isEmpty, touching.allSatisfy({ $0.homes & ~(attributes | bit) == 0 }) {
                    attributes |= bit
                    grown = true
                }
            }
        }
    }

    /// Attributes must be joined by plain equalities, all of them directly or by way of others.
    private mutating func linkParts() -> Bool {
        for (expression, homes) in conjuncts where homes & attributes != 0 {
            guard homes.nonzeroBitCount == 2,
                case .comparison(.equal, .column(let a, let aType), .column(let b, let bType)) = expression
            else { return false }
            if homes & ~attributes == 0 { continue }
            let isFirstAttribute = self.homes(of: ColumnSet(a)) & attributes != 0
            links.append(
                isFirstAttribute
                    ? Link(fact: (b, bType), attribute: (a, aType)) : Link(fact: (a, aType), attribute: (b, bType)))
        }
        let linked = homes(of: ColumnSet(links.map(\.attribute.id)))
        return !links.isEmpty && areConnected(attributes, from: linked)
    }

    /// Whether conditions inside of a part lead from some of its relations (nil: the first one) to all others.
    private func areConnected(_ part: UInt64, from start: UInt64?) -> Bool {
        var reached = start ?? (part & (~part &+ 1))
        var grown = true
        while grown {
            grown = false
            for (_, homes) in conjuncts where homes & ~part == 0 && homes & reached != 0 && homes & ~reached != 0 {
                reached |= homes
                grown = true
            }
        }
        return reached & part == part
    }

    func isOfFacts(_ expression: BoundExpression) -> Bool { homes(of: expression.columns) & attributes == 0 }

    // MARK: Plans

    /// The facts joined with each other.
    var facts: LogicalPlan {
        let members = relations.indices.filter { attributes & (1 << UInt64($0)) == 0 }
        return joined(
            members.map { relations[$0] }, conjuncts.filter { $0.homes & attributes == 0 }.map(\.expression))
    }

    /// The attributes joined with the grouped facts.
    ///
    /// - Parameter keys: columns of the grouped facts, one for each link.
    func joined(_ grouped: LogicalPlan, _ keys: [ColumnID]) -> LogicalPlan {
        let members = relations.indices.filter { attributes & (1 << UInt64($0)) != 0 }
        let inside = conjuncts.filter { $0.homes & ~attributes == 0 }.map(\.expression)
        let across = zip(links, keys).map { link, key in
            BoundExpression.comparison(
                .equal, context.column(key), .column(link.attribute.id, link.attribute.type))
        }
        return joined([grouped] + members.map { relations[$0] }, across + inside)
    }

    private func joined(_ plans: [LogicalPlan], _ conditions: [BoundExpression]) -> LogicalPlan {
        var plans = plans
        let columns = plans.map(\.outputColumns)
        var joining: [(conjunct: BoundExpression, columns: ColumnSet)] = []
        for condition in conditions {
            let used = condition.columns
            if let home = columns.firstIndex(where: { used.isSubset(of: $0) }) {
                plans[home] = plans[home].filtered([condition])
            } else {
                joining.append((condition, used))
            }
        }
        return InnerJoinRegion(context: context).leftDeep(plans, columns, joining)
    }

    /// Whether each final group is one row of the join: the groups determine all early groups and the attributes' rows.
    ///
    /// - Parameter below: for each final group its column among the early ones; nil for groups by attributes.
    func determinesRows(_ joined: LogicalPlan, _ below: [ColumnID?], _ early: [ProjectedColumn]) -> Bool {
        var dependencies = FunctionalDependencies()
        dependencies.collect(joined)
        let known = zip(aggregate.groups, below).compactMap { $1 ?? $0.expression.asColumn }
        let closure = dependencies.closure(of: ColumnSet(known))
        guard early.allSatisfy({ closure.contains($0.id) }) else { return false }
        return relations.indices.allSatisfy { index in
            guard attributes & (1 << UInt64(index)) != 0, case .scan(let scan) = relations[index] else { return true }
            return scan.table.declaredKeys.contains { key in
                key.allSatisfy { column in
                    scan.table.columns[column].notNull
                        && scan.columns.contains { $0.index == column && closure.contains($0.id) }
                }
            }
        }
    }
}

extension LogicalPlan {
    fileprivate var withoutFilters: LogicalPlan {
        if case .filter(_, let input) = self { input.withoutFilters } else { self }
    }
}

extension BoundExpression {
    /// Whether it may be evaluated for rows that a join would drop: no division by what may be zero, no reading of text
    /// as numbers.
    fileprivate var neverFails: Bool {
        switch self {
        case .column, .constant, .parameter: return true
        case .call(let function, let arguments, _):
            switch function {
            case .divide:
                guard case .constant(.integer(let divisor), _)? = arguments.last, divisor != 0 else { return false }
            case .add, .subtract, .multiply, .negate, .absolute, .coalesce, .datePart, .nullIf: break
            default: return false
            }
        case .cast(let value, let type, let behavior):
            if behavior == .orNull || value.type.isString && !type.isString { return false }
        case .comparison, .and, .or, .not, .isNull, .caseWhen, .inList: break
        case .subquery: return false
        }
        return !anyChild { !$0.neverFails }
    }
}
