import QueryPlan
import SQLTypes

/// The relations of a region and what connects them. Sets of relations are bit masks. Inner joins connect relations
/// freely; a semi, anti, mark, single or left join is an *attachment*: its right input joins alone, to any set that
/// has the relations which its condition reads.
struct JoinGraph {
    struct Relation {
        var plan: LogicalPlan
        var columns: ColumnSet
        var profile: PlanProfile
        var attachment: Attachment?
    }
    struct Attachment {
        var kind: JoinKind
        var condition: [BoundExpression]
        var required: UInt64 = 0
        /// Result rows per row of the other side.
        var factor = 1.0
    }
    struct Member {
        var relation: Int
        var id: ColumnID
        var type: SQLType
        var distinct: Double
    }
    struct EqualityClass {
        var members: [Member]
        var mask: UInt64
    }
    struct Predicate {
        var expression: BoundExpression
        var mask: UInt64
        var share: Double
    }
    /// A declared key of several columns that equality classes cover: together they select less than their product.
    struct CompositeKey {
        var relation: Int
        var classes: [Int]
        var domain: Double
    }

    private(set) var relations: [Relation] = []
    private(set) var classes: [EqualityClass] = []
    private(set) var predicates: [Predicate] = []
    private(set) var compositeKeys: [CompositeKey] = []
    /// Relations that a relation is connected with.
    private(set) var neighbors: [UInt64] = []
    private(set) var attachments: UInt64 = 0
    private var conjuncts: [BoundExpression] = []
    private let estimator: CardinalityEstimator

    var isStopped: Bool { estimator.context.isStopped }
    var all: UInt64 { relations.count == 64 ? .max : (1 << UInt64(relations.count)) - 1 }

    /// nil when the region has too many relations for masks.
    init?(_ plan: LogicalPlan, estimator: CardinalityEstimator, optimizeLeaf: (LogicalPlan) -> LogicalPlan) {
        self.estimator = estimator
        guard Self.relationCount(plan, upTo: 65) <= 64 else { return nil }
        collect(plan, optimizeLeaf)
        if estimator.context.isStopped { return nil }
        classify()
        resolveAttachments()
        connect()
        findCompositeKeys()
    }

    // MARK: Collecting

    /// Counted before any leaf is looked into, as that costs much.
    private static func relationCount(_ plan: LogicalPlan, upTo limit: Int) -> Int {
        switch plan {
        case .filter(let condition, let input) where !condition.isVolatile:
            return relationCount(input, upTo: limit)
        case .join(let join) where join.kind == .inner && !(join.condition?.isVolatile ?? false):
            let left = relationCount(join.left, upTo: limit)
            return left >= limit ? left : left + relationCount(join.right, upTo: limit - left)
        case .join(let join) where join.kind.isAttachment && !(join.condition?.isVolatile ?? false):
            return 1 + relationCount(join.left, upTo: limit - 1)
        default: return 1
        }
    }

    @discardableResult
    private mutating func collect(_ plan: LogicalPlan, _ optimizeLeaf: (LogicalPlan) -> LogicalPlan) -> UInt64 {
        switch plan {
        case .filter(let condition, let input) where !condition.isVolatile:
            condition.appendConjuncts(to: &conjuncts)
            return collect(input, optimizeLeaf)
        case .join(let join) where join.kind == .inner && !(join.condition?.isVolatile ?? false):
            join.condition?.appendConjuncts(to: &conjuncts)
            return collect(join.left, optimizeLeaf) | collect(join.right, optimizeLeaf)
        case .join(let join) where join.kind.isAttachment && !(join.condition?.isVolatile ?? false):
            let left = collect(join.left, optimizeLeaf)
            let condition = join.condition?.conjuncts ?? []
            let bit = add(join.right, optimizeLeaf, Attachment(kind: join.kind, condition: condition, required: left))
            return left | bit
        default: return add(plan, optimizeLeaf, nil)
        }
    }

    private mutating func add(
        _ plan: LogicalPlan, _ optimizeLeaf: (LogicalPlan) -> LogicalPlan, _ attachment: Attachment?
    ) -> UInt64 {
        let leaf = optimizeLeaf(plan)
        var columns = leaf.outputColumns
        if case .mark(let id, _)? = attachment?.kind { columns.insert(id) }
        relations.append(
            Relation(plan: leaf, columns: columns, profile: estimator.profile(leaf), attachment: attachment))
        let bit = UInt64(1) << UInt64(min(relations.count - 1, 63))
        if attachment != nil { attachments |= bit }
        return bit
    }

    func mask(of columns: ColumnSet) -> UInt64 {
        var result: UInt64 = 0
        for index in relations.indices where relations[index].columns.intersects(columns) {
            result |= 1 << UInt64(index)
        }
        return result
    }

    private func relation(of id: ColumnID) -> Int? { relations.firstIndex { $0.columns.contains(id) } }

    // MARK: Conjuncts

    private mutating func classify() {
        var local: [[BoundExpression]] = Array(repeating: [], count: relations.count)
        var joining: [(expression: BoundExpression, mask: UInt64)] = []
        for conjunct in InnerJoinRegion.withoutDuplicates(conjuncts) {
            let mask = mask(of: conjunct.columns)
            if mask.nonzeroBitCount == 1, mask & attachments == 0 {
                local[mask.trailingZeroBitCount].append(conjunct)
            } else {
                joining.append((conjunct, mask))
            }
        }
        for index in relations.indices { filter(index, local[index]) }
        for (conjunct, mask) in joining {
            if mask & attachments == 0,
                case .comparison(.equal, .column(let a, let aType), .column(let b, let bType)) = conjunct,
                let first = relation(of: a), let second = relation(of: b)
            {
                merge(member(first, a, aType), member(second, b, bType))
            } else {
                predicates.append(Predicate(expression: conjunct, mask: mask, share: share(conjunct, mask)))
            }
        }
        for group in classes {
            for index in relations.indices { filter(index, inner(group, index, local[index])) }
        }
    }

    private mutating func filter(_ index: Int, _ conjuncts: [BoundExpression]) {
        if conjuncts.isEmpty { return }
        relations[index].plan = relations[index].plan.filtered(conjuncts)
        relations[index].profile = estimator.filter(conjuncts, relations[index].profile)
    }

    /// Members of a class in one relation are equal there: joins ask for one of them only. Filters say it already where
    /// the class was known when they were pushed down; an outer join that has become an inner one since adds to it.
    private func inner(_ group: EqualityClass, _ index: Int, _ filters: [BoundExpression]) -> [BoundExpression] {
        let members = group.members.filter { $0.relation == index }
        guard let first = members.first, members.count > 1 else { return [] }
        var equal: Set<ColumnID> = [first.id]
        var missing: [BoundExpression] = []
        for _ in members {
            for case .comparison(.equal, .column(let a, _), .column(let b, _)) in filters
            where equal.contains(a) || equal.contains(b) {
                equal.formUnion([a, b])
            }
        }
        for member in members where !equal.contains(member.id) {
            missing.append(.comparison(.equal, .column(first.id, first.type), .column(member.id, member.type)))
        }
        return missing
    }

    private func share(_ conjunct: BoundExpression, _ mask: UInt64) -> Double {
        var both = PlanProfile(rows: 0)
        for index in relations.indices where mask & (1 << UInt64(index)) != 0 {
            both.rows = max(both.rows, relations[index].profile.rows)
            both.distinct.merge(relations[index].profile.distinct) { a, _ in a }
        }
        return estimator.selectivity.of(conjunct, both)
    }

    private func member(_ relation: Int, _ id: ColumnID, _ type: SQLType) -> Member {
        let distinct = relations[relation].profile.distinctCount(id, estimator.context)
        return Member(relation: relation, id: id, type: type, distinct: distinct)
    }

    private mutating func merge(_ a: Member, _ b: Member) {
        let first = classes.firstIndex { $0.members.contains { $0.id == a.id } }
        let second = classes.firstIndex { $0.members.contains { $0.id == b.id } }
        var members: [Member] = []
        for index in Set([first, second].compactMap { $0 }).sorted(by: >) {
            members += classes.remove(at: index).members
        }
        for member in [a, b] where !members.contains(where: { $0.id == member.id }) { members.append(member) }
        var mask: UInt64 = 0
        for member in members { mask |= 1 << UInt64(member.relation) }
        classes.append(EqualityClass(members: members, mask: mask))
    }

    private mutating func resolveAttachments() {
        for index in relations.indices {
            guard var attachment = relations[index].attachment else { continue }
            var used = ColumnSet()
            for conjunct in attachment.condition { used.formUnion(conjunct.columns) }
            used.subtract(relations[index].columns)
            let read = mask(of: used) & ~(1 << UInt64(index))
            if read != 0 { attachment.required = read }
            attachment.factor = factor(attachment, index)
            relations[index].attachment = attachment
        }
    }

    private func factor(_ attachment: Attachment, _ index: Int) -> Double {
        var left = PlanProfile(rows: 1)
        for other in relations.indices where attachment.required & (1 << UInt64(other)) != 0 {
            left.rows = max(left.rows, relations[other].profile.rows)
            left.distinct.merge(relations[other].profile.distinct) { a, _ in a }
            left.keys += relations[other].profile.keys
        }
        let right = relations[index].profile
        let shape = estimator.shape(attachment.condition, left, right, relations[index].columns)
        switch attachment.kind {
        case .semi: return shape.leftMatch
        case .anti, .antiNullAware: return max(0.05, 1 - 0.9 * shape.leftMatch)
        case .left: return max(1, right.rows * shape.selectivity)
        case .inner, .right, .full, .mark, .single: return 1
        }
    }

    private mutating func connect() {
        neighbors = Array(repeating: 0, count: relations.count)
        for group in classes { connectAll(group.mask) }
        for predicate in predicates { connectAll(predicate.mask) }
        for index in relations.indices {
            if let attachment = relations[index].attachment { connectAll(attachment.required | 1 << UInt64(index)) }
        }
        connectComponents()
    }

    private mutating func connectAll(_ mask: UInt64) {
        for index in relations.indices where mask & (1 << UInt64(index)) != 0 {
            neighbors[index] |= mask & ~(1 << UInt64(index))
        }
    }

    /// Unconnected parts need a cross join somewhere: their smallest relations become neighbours of everything.
    private mutating func connectComponents() {
        var components: [UInt64] = []
        var seen: UInt64 = 0
        for index in relations.indices where seen & (1 << UInt64(index)) == 0 {
            var component: UInt64 = 1 << UInt64(index)
            var grown = true
            while grown {
                grown = false
                for other in relations.indices where component & (1 << UInt64(other)) != 0 {
                    if neighbors[other] & ~component != 0 {
                        component |= neighbors[other]
                        grown = true
                    }
                }
            }
            seen |= component
            components.append(component)
        }
        guard components.count > 1 else { return }
        if relations.count <= 8 {
            for index in relations.indices { neighbors[index] |= all & ~(1 << UInt64(index)) }
            return
        }
        for (position, component) in components.enumerated().dropFirst() {
            let previous = components[position - 1]
            for index in relations.indices where component & (1 << UInt64(index)) != 0 { neighbors[index] |= previous }
            for index in relations.indices where previous & (1 << UInt64(index)) != 0 { neighbors[index] |= component }
        }
    }

    private mutating func findCompositeKeys() {
        for index in relations.indices where relations[index].attachment == nil {
            for key in relations[index].profile.keys where key.columns.count > 1 {
                let covering = key.columns.elements.compactMap { id in
                    classes.firstIndex { $0.members.contains { $0.id == id && $0.relation == index } }
                }
                guard covering.count == key.columns.count else { continue }
                compositeKeys.append(CompositeKey(relation: index, classes: covering, domain: key.domain))
            }
        }
    }

    /// Puts a plan in a relation's place that delivers what the region needs of it. Estimates stay: what the new plan
    /// leaves out would be lost in the region's joins anyway.
    mutating func replacePlan(of index: Int, with plan: LogicalPlan) { relations[index].plan = plan }

    // MARK: Estimates

    /// Estimated rows of joining a set, whatever the order.
    func rows(_ set: UInt64) -> Double {
        var result = 1.0
        for index in relations.indices where set & (1 << UInt64(index)) != 0 {
            result *= relations[index].attachment?.factor ?? relations[index].profile.rows
        }
        for group in classes where (group.mask & set).nonzeroBitCount > 1 { result *= share(group, set) }
        for predicate in predicates where predicate.mask & ~set == 0 { result *= predicate.share }
        for key in compositeKeys where set & (1 << UInt64(key.relation)) != 0 { result *= correction(key, set) }
        return max(1, result)
    }

    /// One over every member's distinct count but the smallest.
    private func share(_ group: EqualityClass, _ set: UInt64) -> Double {
        var product = 1.0
        var smallest = Double.infinity
        var seen: UInt64 = 0
        for member in group.members {
            let bit = UInt64(1) << UInt64(member.relation)
            guard set & bit != 0, seen & bit == 0 else { continue }
            seen |= bit
            product *= member.distinct
            smallest = min(smallest, member.distinct)
        }
        return smallest / product
    }

    private func correction(_ key: CompositeKey, _ set: UInt64) -> Double {
        var partners = set & ~(1 << UInt64(key.relation))
        var product = 1.0
        for index in key.classes {
            partners &= classes[index].mask
            var most = 1.0
            for member in classes[index].members where set & (1 << UInt64(member.relation)) != 0 {
                most = max(most, member.distinct)
            }
            product *= most
        }
        return partners == 0 ? 1 : max(1, product / key.domain)
    }

    /// Whether `relation` has a key inside the columns by which it joins `other`: one partner at most.
    func isUnique(_ relation: Int, joining other: UInt64) -> Bool {
        let profile = relations[relation].profile
        guard !profile.keys.isEmpty else { return false }
        var joined = ColumnSet()
        for group in classes where group.mask & other != 0 {
            for member in group.members where member.relation == relation { joined.insert(member.id) }
        }
        return profile.keys.contains { $0.columns.isSubset(of: joined) }
    }
}

extension JoinKind {
    /// Joins whose right input can be joined at any time after the relations it depends on.
    var isAttachment: Bool {
        switch self {
        case .left, .semi, .anti, .mark, .single, .antiNullAware: true
        case .inner, .right, .full: false
        }
    }
}
