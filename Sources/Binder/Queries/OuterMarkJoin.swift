import QueryPlan
import SQLSyntax
import SQLTypes

/// Oracle's outer joins: conditions of WHERE whose columns of one FROM entry carry `(+)` are that entry's join
/// conditions, and rows without a match keep NULLs in its place.
struct OuterMarkJoin {
    private struct Marked {
        var entry: Int
        var condition: BoundExpression
        var needed: Set<Int>
        var position: SourcePosition
    }
    private let select: SelectBinder
    private let entries: [FromItem]

    init(_ select: SelectBinder, _ entries: [FromItem]) {
        self.select = select
        self.entries = entries
    }

    /// The plan of FROM and WHERE.
    func bind(_ filter: Expression) throws -> LogicalPlan {
        var marked: [Marked] = []
        var others: [BoundExpression] = []
        for term in terms(of: filter) {
            select.scope.outerMarks = []
            let condition = try select.binder(.filter).bindCondition(term)
            let marks = Set(select.scope.outerMarks.compactMap(entry))
            guard let target = marks.first else {
                others.append(condition)
                continue
            }
            guard marks.count == 1, entries[target].relations.count == 1 else {
                throw error("(+) can mark columns of one table only, which is joined by no other syntax", term.position)
            }
            var columns = ReferencedColumns()
            columns.add(condition)
            let needed = Set(columns.found.elements.compactMap(entry)).subtracting(marks)
            marked.append(Marked(entry: target, condition: condition, needed: needed, position: term.position))
        }
        let plan = try joined(marked)
        return others.isEmpty ? plan : SelectBinder.filtered(plan, others.count == 1 ? others[0] : .and(others))
    }

    private func terms(of filter: Expression) -> [Expression] {
        if case .and(let list) = filter { return list.terms.flatMap(terms) }
        return [filter]
    }

    private func entry(of id: ColumnID) -> Int? {
        entries.firstIndex { $0.relations.contains { $0.columns.contains { $0.id == id } } }
    }

    /// Entries without marks first, then each marked one as soon as those that its conditions read are there.
    private func joined(_ marked: [Marked]) throws -> LogicalPlan {
        var waiting = Set(marked.map(\.entry))
        var plan: LogicalPlan?
        for index in entries.indices where !waiting.contains(index) {
            plan = plan.map { join(.inner, $0, entries[index].plan, nil) } ?? entries[index].plan
        }
        guard var result = plan else {
            throw error("a table without (+) must be left in FROM", marked.first?.position ?? .unknown)
        }
        while !waiting.isEmpty {
            let ready = waiting.sorted().first { index in
                marked.allSatisfy { $0.entry != index || $0.needed.isDisjoint(with: waiting) }
            }
            guard let ready else {
                throw error("two tables cannot be outer-joined to each other", marked.first?.position ?? .unknown)
            }
            let conditions = marked.filter { $0.entry == ready }.map(\.condition)
            result = join(
                .left, result, entries[ready].plan, conditions.count == 1 ? conditions[0] : .and(conditions))
            waiting.remove(ready)
        }
        return result
    }

    private func join(
        _ kind: JoinKind, _ left: LogicalPlan, _ right: LogicalPlan, _ condition: BoundExpression?
    ) -> LogicalPlan {
        .join(LogicalJoin(kind: kind, condition: condition, left: left, right: right))
    }

    private func error(_ message: String, _ position: SourcePosition) -> SQLError {
        SQLError(.syntaxError, message, at: position)
    }
}

extension ExpressionBinder {
    /// `column (+)`: the column, noted for ``OuterMarkJoin``.
    func bindOuterMark(_ node: OuterJoinMark) throws -> BoundExpression {
        guard clause == .filter else {
            throw SQLError(.syntaxError, "(+) is only allowed in WHERE", at: node.position)
        }
        let bound = try bind(node.column)
        guard let id = bound.asColumn, !scope.isOuter(id) else {
            throw SQLError(.syntaxError, "(+) marks columns of FROM", at: node.position)
        }
        scope.outerMarks.append(id)
        return bound
    }
}
