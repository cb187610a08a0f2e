import QueryPlan
import SQLSyntax
import SQLTypes

/// JOIN with its conditions, and the comma of FROM.
struct JoinBinder {
    let from: FromBinder

    private var session: BindingSession { from.session }

    func bind(_ join: Join) throws -> FromItem {
        let chain = chain(of: join)
        return try joined(chain, from.bind(chain[chain.count - 1].left))
    }

    /// A join whose first entry is unnested from those before it; nil where it is another one.
    func bind(_ join: Join, over left: FromItem) throws -> FromItem? {
        let chain = chain(of: join)
        guard let first = try UnnestBinder(from: from).bind(chain[chain.count - 1].left, over: left) else { return nil }
        if let step = chain.first(where: { $0.kind == .right || $0.kind == .full }) {
            throw SQLError(
                .featureNotSupported, "\(step.kind.rawValue) JOIN behind an unnested SUPER value is not supported",
                hint: "Put the unnesting into a derived table.", at: step.position)
        }
        return try joined(chain, first)
    }

    /// Chains lean to the left: walk down them in a loop.
    private func chain(of join: Join) -> [Join] {
        var chain = [join]
        while case .join(let left) = chain[chain.count - 1].left { chain.append(left) }
        return chain
    }

    private func joined(_ chain: [Join], _ first: FromItem) throws -> FromItem {
        var result = first
        for step in chain.reversed() {
            if let unnested = try unnested(step, result) {
                result = unnested
            } else {
                result = try joined(step, result, try from.bind(step.right))
            }
        }
        return result
    }

    /// `JOIN t.items AS i ON TRUE`.
    private func unnested(_ join: Join, _ left: FromItem) throws -> FromItem? {
        let isLeft = join.kind == .left
        guard let item = try UnnestBinder(from: from).bind(join.right, over: left, keepsRows: isLeft) else {
            return nil
        }
        try checkAlias(of: item, beside: left, at: join.position)
        var isPlain = join.constraint == .none
        if case .on(.literal(let literal)) = join.constraint, literal.value == .boolean(true) { isPlain = true }
        guard isPlain, join.kind == .inner || join.kind == .cross || isLeft else {
            throw SQLError(
                .featureNotSupported, "unnested SUPER values can only be joined by INNER or LEFT JOIN ... ON TRUE",
                hint: "Conditions on elements go to WHERE.", at: join.position)
        }
        return item
    }

    func crossJoined(_ left: FromItem, _ right: FromItem, at position: SourcePosition) throws -> FromItem {
        try checkAliases(left, right, at: position)
        let plan = LogicalJoin(kind: .inner, condition: nil, left: left.plan, right: right.plan)
        return FromItem(
            plan: .join(plan), relations: left.relations + right.relations, visible: left.visible + right.visible)
    }

    private func joined(_ join: Join, _ left: FromItem, _ right: FromItem) throws -> FromItem {
        try checkAliases(left, right, at: join.position)
        switch join.constraint {
        case .none: return try crossJoined(left, right, at: join.position)
        case .on(let condition): return try joinedOn(condition, join, left, right)
        case .using(let names): return try joinedUsing(names, join, left, right)
        case .natural:
            let rightNames = Set(right.visible.map(\.column.name))
            let names = left.visible.map(\.column.name).filter { rightNames.contains($0) }
            return try joinedUsing(names.map { Identifier($0, position: join.position) }, join, left, right)
        }
    }

    private func joinedOn(
        _ condition: Expression, _ join: Join, _ left: FromItem, _ right: FromItem
    ) throws -> FromItem {
        let scope = Scope(parent: from.scope.parent, commonTables: from.scope.commonTables)
        scope.setColumns(left.relations + right.relations, left.visible + right.visible)
        let bound = try ExpressionBinder(session, scope, clause: .joinCondition).bindCondition(condition)
        from.scope.inheritOuterColumns(of: scope)
        let plan = LogicalJoin(
            kind: join.kind.logical, condition: bound == .constant(.boolean(true), .boolean) ? nil : bound,
            left: left.plan, right: right.plan)
        return FromItem(
            plan: .join(plan), relations: left.relations + right.relations, visible: left.visible + right.visible)
    }

    /// USING and NATURAL: the named columns appear once, first, and without a table.
    private func joinedUsing(
        _ names: [Identifier], _ join: Join, _ left: FromItem, _ right: FromItem
    ) throws -> FromItem {
        var conditions: [BoundExpression] = []
        var merged: [FromItem.VisibleColumn] = []
        var computed: [ProjectedColumn] = []
        let comparison = ComparisonBinder(session)
        for name in names {
            let first = try column(name, of: left, side: "left")
            let second = try column(name, of: right, side: "right")
            let condition = try comparison.compare(
                .equal, .column(first.id, first.type), .column(second.id, second.type), at: name.position)
            conditions.append(condition)
            let column = try mergedColumn(first, second, join.kind, &computed, at: name.position)
            merged.append(FromItem.VisibleColumn(column: column, relation: nil))
        }
        let condition: BoundExpression? =
            conditions.count > 1 ? .and(conditions) : conditions.first
        var plan = LogicalPlan.join(
            LogicalJoin(kind: join.kind.logical, condition: condition, left: left.plan, right: right.plan))
        let hidden = Set(names.map(\.text))
        let rest = (left.visible + right.visible).filter { !hidden.contains($0.column.name) }
        let relations = left.relations + right.relations
        if !computed.isEmpty {
            var ids: Set<ColumnID> = []
            let kept = (relations.flatMap(\.columns) + (left.visible + right.visible).map(\.column))
                .filter { ids.insert($0.id).inserted }
                .map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }
            plan = .project(kept + computed, plan)
        }
        return FromItem(plan: plan, relations: relations, visible: merged + rest)
    }

    /// An outer side's value may be missing, so it is the other side's, or either's in a full join.
    private func mergedColumn(
        _ first: ScopeColumn, _ second: ScopeColumn, _ kind: Join.Kind, _ computed: inout [ProjectedColumn],
        at position: SourcePosition
    ) throws -> ScopeColumn {
        switch kind {
        case .inner, .left, .cross: return first
        case .right: return second
        case .full:
            let type = CommonType.ofResults(first.type, second.type) ?? first.type
            let coercion = Coercion(session)
            let sides = try [first, second].map {
                try coercion.cast(.column($0.id, $0.type), to: type, .implicit, at: position)
            }
            let id = session.makeColumn()
            computed.append(ProjectedColumn(id: id, expression: .call(.coalesce, sides, type)))
            Collations(session).note(id, like: .call(.coalesce, sides, type))
            return ScopeColumn(name: first.name, id: id, type: type)
        }
    }

    private func column(_ name: Identifier, of item: FromItem, side: String) throws -> ScopeColumn {
        let matches = item.visible.filter { $0.column.name == name.text }
        if matches.count > 1 {
            throw SQLError(
                .ambiguousColumn, "common column name \"\(name)\" appears more than once in \(side) table",
                at: name.position)
        }
        guard let match = matches.first else {
            throw SQLError(
                .undefinedColumn, "column \"\(name)\" specified in USING clause does not exist in \(side) table",
                at: name.position)
        }
        return match.column
    }

    /// Of what was unnested last.
    func checkAlias(of item: FromItem, beside left: FromItem, at position: SourcePosition) throws {
        let own = FromItem(plan: item.plan, relations: Array(item.relations.suffix(1)), visible: [])
        try checkAliases(left, own, at: position)
    }

    private func checkAliases(_ left: FromItem, _ right: FromItem, at position: SourcePosition) throws {
        for second in right.relations where !second.alias.isEmpty {
            for first in left.relations where first.alias == second.alias {
                // The same name in different schemas or databases can still be told apart.
                if let one = first.schema, let other = second.schema, one != other { continue }
                if let one = first.database, let other = second.database, one != other { continue }
                throw SQLError(
                    .duplicateAlias, "table name \"\(second.alias)\" specified more than once", at: position)
            }
        }
    }
}

extension Join.Kind {
    var logical: JoinKind {
        switch self {
        case .inner, .cross: .inner
        case .left: .left
        case .right: .right
        case .full: .full
        }
    }
}
