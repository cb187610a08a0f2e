import QueryPlan
import SQLTypes

/// A maximal set of relations connected by inner joins, whose conjuncts may be evaluated anywhere.
struct InnerJoinRegion {
    let context: OptimizerContext

    /// The region below `join` with `filters`, every conjunct as low as it goes, relations in their written order.
    func pushed(_ join: LogicalJoin, _ filters: [BoundExpression], _ pushDown: FilterPushDown) -> LogicalPlan {
        var relations: [LogicalPlan] = []
        var conjuncts: [BoundExpression] = filters
        Self.flatten(.join(join), &relations, &conjuncts)
        context.note(columnSets: relations.count)
        defer { context.note(columnSets: 0 - relations.count) }
        let columnSets = relations.map(\.outputColumns)
        var distinct = ExpressionList(conjuncts)
        deriveFromDisjunctions(&distinct, columnSets)
        deriveFromEqualities(&distinct, columnSets)
        conjuncts = distinct.items
        var local: [[BoundExpression]] = Array(repeating: [], count: relations.count)
        var joining: [(conjunct: BoundExpression, columns: ColumnSet)] = []
        for conjunct in conjuncts {
            let columns = conjunct.columns
            if conjunct.isVolatile {
                joining.append((conjunct, columns))
            } else if let home = columnSets.firstIndex(where: { columns.isSubset(of: $0) }) {
                local[home].append(conjunct)
            } else {
                joining.append((conjunct, columns))
            }
        }
        for index in relations.indices { relations[index] = pushDown.push(relations[index], local[index]) }
        return leftDeep(relations, columnSets, joining)
    }

    static func flatten(
        _ plan: LogicalPlan, _ relations: inout [LogicalPlan], _ conjuncts: inout [BoundExpression]
    ) {
        switch plan {
        case .join(let join) where join.kind == .inner:
            flatten(join.left, &relations, &conjuncts)
            flatten(join.right, &relations, &conjuncts)
            join.condition?.appendConjuncts(to: &conjuncts)
        case .filter(let condition, let input) where !condition.isVolatile:
            flatten(input, &relations, &conjuncts)
            condition.appendConjuncts(to: &conjuncts)
        default: relations.append(plan)
        }
    }

    static func withoutDuplicates(_ conjuncts: [BoundExpression]) -> [BoundExpression] {
        ExpressionList(conjuncts).items
    }

    /// Joins in order, preferring relations that a conjunct connects with those already joined.
    func leftDeep(
        _ relations: [LogicalPlan], _ columnSets: [ColumnSet],
        _ joining: [(conjunct: BoundExpression, columns: ColumnSet)]
    ) -> LogicalPlan {
        var plan = relations[0]
        var available = columnSets[0]
        var remaining = Array(relations.indices.dropFirst())
        var open = joining
        while !remaining.isEmpty && !context.isStopped {
            let position = remaining.firstIndex { index in
                let both = available.union(columnSets[index])
                return open.contains { $0.columns.isSubset(of: both) && $0.columns.intersects(columnSets[index]) }
            }
            let next = remaining.remove(at: position ?? 0)
            available.formUnion(columnSets[next])
            let ready = open.filter { $0.columns.isSubset(of: available) }
            open.removeAll { $0.columns.isSubset(of: available) }
            plan = .join(
                LogicalJoin(
                    kind: .inner, condition: .conjunction(ready.map(\.conjunct)), left: plan, right: relations[next]))
        }
        return plan.filtered(open.map(\.conjunct))
    }

    /// `(a.x = 1 AND b.y = 2) OR (a.x = 3 AND b.y = 4)` implies `a.x IN (1, 3)` and `b.y IN (2, 4)`.
    private func deriveFromDisjunctions(_ conjuncts: inout ExpressionList, _ columnSets: [ColumnSet]) {
        for conjunct in conjuncts.items {
            guard case .or = conjunct else { continue }
            let used = conjunct.columns
            let homes = columnSets.indices.filter { columnSets[$0].intersects(used) }
            guard homes.count > 1 else { continue }
            for home in homes {
                if context.isStopped { return }
                for derived in conjunct.implied(of: columnSets[home]) { add(derived, to: &conjuncts) }
            }
        }
    }

    /// Filters on one column of an equality class hold for the others; two members in one relation are equal there.
    private func deriveFromEqualities(_ conjuncts: inout ExpressionList, _ columnSets: [ColumnSet]) {
        let classes = EqualityClasses(conjuncts.items)
        guard !classes.isEmpty else { return }
        for conjunct in conjuncts.items where !conjunct.isVolatile {
            if case .comparison(.equal, .column, .column) = conjunct { continue }
            let columns = conjunct.columns
            guard columns.count == 1, let id = columns.elements.first, let members = classes.members(of: id),
                let own = members.first(where: { $0.id == id })
            else { continue }
            if context.isStopped { return }
            for member in members where member.id != id {
                let derived = EqualitySubstitution.replaced(conjunct, id, own.type, by: (member.id, member.type))
                if let derived { add(derived, to: &conjuncts) }
            }
        }
        for members in classes.all where members.count > 2 {
            for set in columnSets {
                let inside = members.filter { set.contains($0.id) }
                for member in inside.dropFirst() {
                    let equality = BoundExpression.comparison(
                        .equal, .column(inside[0].id, inside[0].type), .column(member.id, member.type))
                    add(equality, to: &conjuncts)
                }
            }
        }
    }

    /// Long filters over many relations follow from each other in great numbers.
    private func add(_ derived: BoundExpression, to conjuncts: inout ExpressionList) {
        guard conjuncts.append(derived) else { return }
        context.note(derived)
    }
}

/// Columns known equal through `a = b` conjuncts.
struct EqualityClasses {
    struct Member {
        var id: ColumnID
        var type: SQLType
    }
    private(set) var all: [[Member]] = []

    init(_ conjuncts: [BoundExpression]) {
        for conjunct in conjuncts {
            guard case .comparison(.equal, .column(let a, let aType), .column(let b, let bType)) = conjunct,
                a != b
            else { continue }
            add(Member(id: a, type: aType), Member(id: b, type: bType))
        }
    }

    var isEmpty: Bool { all.isEmpty }
    private var places: [ColumnID: Int] = [:]

    private mutating func add(_ a: Member, _ b: Member) {
        switch (places[a.id], places[b.id]) {
        case (nil, nil):
            all.append([a, b])
            places[a.id] = all.count - 1
            places[b.id] = all.count - 1
        case (let i?, nil):
            all[i].append(b)
            places[b.id] = i
        case (nil, let j?):
            all[j].append(a)
            places[a.id] = j
        case (let i?, let j?) where i != j: unite(min(i, j), max(i, j))
        default: break
        }
    }

    private mutating func unite(_ first: Int, _ second: Int) {
        all[first] += all[second]
        for member in all[second] { places[member.id] = first }
        all.remove(at: second)
        for (id, place) in places where place > second { places[id] = place - 1 }
    }

    func members(of id: ColumnID) -> [Member]? { places[id].map { all[$0] } }
}

extension BoundExpression {
    /// What an OR says of some columns alone: nothing unless each branch says something of them.
    func implied(of columns: ColumnSet) -> [BoundExpression] {
        guard case .or(let branches) = self, !isVolatile else { return [] }
        var parts: [BoundExpression] = []
        for branch in branches {
            let local = branch.conjuncts.filter {
                let used = $0.columns
                return !used.isEmpty && used.isSubset(of: columns)
            }
            guard let part = BoundExpression.conjunction(local) else { return [] }
            parts.append(part)
        }
        return ExpressionSimplifier.disjunction(parts).conjuncts
    }
}
