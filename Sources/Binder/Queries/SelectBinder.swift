import QueryPlan
import SQLSyntax
import SQLTypes

/// One item of a SELECT list, bound.
struct SelectOutput {
    var name: String
    var expression: BoundExpression
    var position: SourcePosition
    /// Set when the item is projected.
    var id: ColumnID
}

/// Binds one SELECT with the ORDER BY and LIMIT behind it. The order of work is that of SQL's meaning: FROM, WHERE,
/// GROUP BY, the list, HAVING, QUALIFY, DISTINCT, ORDER BY, LIMIT; the plan is built from the inside out at the end.
final class SelectBinder {
    let queries: QueryBinder
    let body: SelectBody
    let scope: Scope
    let computed = ComputedColumns()
    private(set) var outputs: [SelectOutput] = []

    var session: BindingSession { queries.session }

    init(_ queries: QueryBinder, _ body: SelectBody, parent: Scope?, commonTables: CommonTableScope?) {
        self.queries = queries
        self.body = body
        scope = Scope(parent: parent, commonTables: commonTables)
        scope.namedWindows = body.windows
    }

    func binder(_ clause: Clause) -> ExpressionBinder {
        ExpressionBinder(session, scope, clause: clause, computed: computed)
    }

    func bind(tail: Query, keepsUnknown: Bool) throws -> BoundQuery {
        try refuseUnsupported()
        let (entries, from) = try bindFrom()
        var plan = from
        scope.aliases = SelectAliases(body.items)
        var condition: BoundExpression?
        if let filter = body.filter {
            condition = try bindFilter(filter, entries, &plan)
        }
        let grouping = try GroupingBinder(self).bind(body.groupBy)
        computed.grouping = grouping
        computed.showFoldedGroups(session)
        scope.hasGroupingSets = grouping?.sets != nil
        // The caller can type literals only in a projection that is the plan's top.
        let isTop = tail.orderBy.isEmpty && tail.limit == nil && tail.offset == nil && body.top == nil
        outputs = try bindList(keepsUnknown: keepsUnknown && isTop && !body.isDistinct)
        let having = try body.having.map { try binder(.having).bindCondition($0) }
        let qualify = try body.qualify.map { try binder(.qualify).bindCondition($0) }
        let keys = try OrderByBinder(self).bind(tail.orderBy)
        let tail = SelectTail(having: having, qualify: qualify, keys: keys, query: tail)
        if let column = computed.sliceColumn { plan = try SliceNumber.plan(plan, with: column, at: body.position) }
        if let hierarchy = scope.hierarchy { plan = try hierarchy.plan() }
        if let condition { plan = Self.filtered(plan, condition) }
        return try assemble(plan, tail)
    }

    /// What WHERE asks of the rows of FROM, or of the hierarchy that CONNECT BY makes of them; nil: the plan has it.
    private func bindFilter(
        _ filter: Expression, _ entries: [FromItem], _ plan: inout LogicalPlan
    ) throws -> BoundExpression? {
        let condition = try binder(.filter).bindCondition(filter)
        guard !scope.outerMarks.isEmpty else {
            return scope.hierarchy?.takeJoins(from: condition, among: entries) ?? condition
        }
        if let connect = body.connectBy {
            throw SQLError(
                .featureNotSupported, "(+) is not supported together with CONNECT BY", at: connect.position)
        }
        plan = try OuterMarkJoin(self, entries).bind(filter)
        return nil
    }

    private func refuseUnsupported() throws {
        if let first = body.distinctOn.first {
            throw SQLError(.featureNotSupported, "SELECT DISTINCT ON is not supported", at: first.position)
        }
        if let into = body.into, scope.parent != nil {
            throw SQLError(.syntaxError, "subquery cannot have SELECT INTO", at: into.name.position)
        }
    }

    private func bindFrom() throws -> (entries: [FromItem], plan: LogicalPlan) {
        guard let (entries, item) = try FromBinder(queries: queries, scope: scope).bind(body.from) else {
            if let connect = body.connectBy {
                throw SQLError(.syntaxError, "CONNECT BY needs a FROM clause", at: connect.position)
            }
            return ([], .values(LogicalValues(columns: [], rows: [[]])))
        }
        guard let connect = body.connectBy else {
            scope.setColumns(item.relations, item.visible)
            return (entries, item.plan)
        }
        let hierarchy = Hierarchy(connect, from: item, session)
        let seen = hierarchy.entry(for: item)
        scope.setColumns(seen.relations, seen.visible)
        scope.hierarchy = hierarchy
        try hierarchy.bindConditions(binder(.filter))
        return (entries, item.plan)
    }

    // MARK: The list

    private func bindList(keepsUnknown: Bool) throws -> [SelectOutput] {
        var result: [SelectOutput] = []
        let excluded = Set(body.exclude.map(\.text))
        var unused = excluded
        let binder = binder(.selectList)
        for (index, item) in body.items.enumerated() {
            switch item {
            case .wildcard(let qualifier, let position):
                for column in try expand(qualifier, at: position) {
                    unused.remove(column.name)
                    if excluded.contains(column.name) { continue }
                    scope.noteUse(column, at: position)
                    result.append(output(column.name, .column(column.id, column.type), position))
                }
            case .expression(let expression, let alias):
                scope.aliases?.limit = index
                var bound = try binder.bind(expression)
                if !keepsUnknown { bound = try Coercion(session).resolved(bound) }
                result.append(output(alias?.text ?? ColumnLabel.of(expression), bound, expression.position))
            }
        }
        scope.aliases?.limit = nil
        if let name = body.exclude.first(where: { unused.contains($0.text) }) {
            throw SQLError(
                .undefinedColumn, "column \"\(name)\" specified in EXCLUDE does not exist", at: name.position)
        }
        guard result.count <= BinderLimits.columns else {
            throw SQLError(.tooManyColumns, "target lists can have at most \(BinderLimits.columns) entries")
        }
        return result
    }

    /// A column that passes through keeps its id.
    private func output(_ name: String, _ expression: BoundExpression, _ position: SourcePosition) -> SelectOutput {
        var id: ColumnID?
        if case .column(let own, _) = expression, !scope.isOuter(own) { id = own }
        let column = id ?? session.makeColumn()
        Collations(session).note(column, like: expression)
        return SelectOutput(name: name, expression: expression, position: position, id: column)
    }

    private func expand(_ qualifier: ObjectName?, at position: SourcePosition) throws -> [ScopeColumn] {
        guard let qualifier else {
            guard !body.from.isEmpty else {
                throw SQLError(.syntaxError, "SELECT * with no tables specified is not valid", at: position)
            }
            return scope.visible.map(\.column)
        }
        guard let table = ColumnLookup.relations(named: qualifier.parts[...], in: scope).first else {
            throw ColumnLookup.unknownQualifier(qualifier.parts[...], from: scope, at: qualifier.position)
        }
        return table.columns
    }

    // MARK: The plan

    private func assemble(_ input: LogicalPlan, _ tail: SelectTail) throws -> BoundQuery {
        var (tail, plan) = (tail, input)
        let isAggregated = computed.grouping != nil || !computed.aggregates.isEmpty || tail.having != nil
        if isAggregated {
            guard computed.series == nil, computed.expansion == nil else {
                throw SQLError(
                    .featureNotSupported, "set-returning functions beside aggregates are not supported",
                    at: body.position)
            }
            plan = try aggregated(plan, &tail)
        }
        if let having = tail.having { plan = Self.filtered(plan, having) }
        plan = computed.windows.plan(over: plan)
        if let qualify = tail.qualify { plan = Self.filtered(plan, qualify) }
        if let expansion = computed.expansion { plan = expansion.plan(over: plan) }
        if let series = computed.series { plan = try expanded(plan, by: series, &tail) }
        return try projected(plan, tail)
    }

    /// A row for each row of the function; the list and ORDER BY speak of those.
    private func expanded(
        _ input: LogicalPlan, by series: SetReturningCall, _ tail: inout SelectTail
    ) throws -> LogicalPlan {
        var above = outputs.map(\.expression) + tail.keys.compactMap(\.expression)
        let plan = try series.plan(over: input, above: &above)
        for index in outputs.indices {
            if outputs[index].expression != above[index], case .column(let id, _) = above[index] {
                outputs[index].id = id
            }
            outputs[index].expression = above[index]
        }
        var rest = above.dropFirst(outputs.count)
        for index in tail.keys.indices where tail.keys[index].expression != nil {
            tail.keys[index].expression = rest.popFirst()
        }
        return plan
    }

    /// Puts the aggregation on the plan and makes everything above speak of its outputs.
    private func aggregated(_ input: LogicalPlan, _ tail: inout SelectTail) throws -> LogicalPlan {
        let groups = computed.grouping?.groups ?? []
        let rewrite = GroupingRewrite(scope: scope, computed: computed)
        for index in outputs.indices {
            let expression = try rewrite.rewritten(outputs[index].expression)
            if case .column(let id, _) = expression, !scope.outerColumns.contains(where: { $0.id == id }) {
                session.origins.note(id, like: outputs[index].expression)
                outputs[index].id = id
            }
            outputs[index].expression = expression
        }
        tail.having = try tail.having.map { try rewrite.rewritten($0) }
        tail.qualify = try tail.qualify.map { try rewrite.rewritten($0) }
        for index in tail.keys.indices {
            tail.keys[index].expression = try tail.keys[index].expression.map { try rewrite.rewritten($0) }
        }
        try computed.windows.rewrite { try rewrite.rewritten($0) }
        return .aggregate(
            LogicalAggregate(
                groups: groups, aggregates: computed.aggregates, groupingSets: computed.grouping?.sets,
                groupingColumn: computed.grouping?.usedMask, input: input))
    }

    private func projected(_ input: LogicalPlan, _ tail: SelectTail) throws -> BoundQuery {
        var columns: [ProjectedColumn] = []
        var seen: Set<ColumnID> = []
        for output in outputs where seen.insert(output.id).inserted {
            columns.append(ProjectedColumn(id: output.id, expression: output.expression))
        }
        let visible = columns
        var keys: [SortItem] = []
        let collations = Collations(session)
        for key in tail.keys {
            try session.budget.check()
            guard let expression = key.expression else {
                let output = outputs[key.output]
                keys.append(key.item.key(try collations.sortKey(.column(output.id, output.expression.type))))
                continue
            }
            if let match = outputs.first(where: { $0.expression == expression }) {
                keys.append(key.item.key(try collations.sortKey(.column(match.id, match.expression.type))))
            } else if case .constant = expression {
                continue
            } else if body.isDistinct {
                throw SQLError(
                    .invalidColumnReference,
                    "for SELECT DISTINCT, ORDER BY expressions must appear in select list",
                    at: key.item.expression.position)
            } else {
                var id = session.makeColumn()
                if case .column(let own, _) = expression, !seen.contains(own), !scope.isOuter(own) { id = own }
                collations.note(id, like: expression)
                if seen.insert(id).inserted { columns.append(ProjectedColumn(id: id, expression: expression)) }
                keys.append(key.item.key(try collations.sortKey(.column(id, expression.type))))
            }
        }
        var plan = LogicalPlan.project(columns, input)
        if body.isDistinct {
            session.columnIDs.note(distinct: visible.map(\.id))
            plan = try distinct(plan, visible, &keys)
        }
        if !keys.isEmpty { plan = .sort(keys, plan) }
        plan = try queries.limited(plan, limit: tail.query.limit, offset: tail.query.offset, top: body.top)
        if columns.count > visible.count {
            plan = .project(visible.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }, plan)
        }
        let result = outputs.map { OutputColumn(id: $0.id, name: $0.name, type: $0.expression.type) }
        return BoundQuery(plan: plan, outputs: result, outerColumns: scope.outerColumns)
    }

    /// Texts that ignore the case show one of their forms, under another id.
    private func distinct(
        _ plan: LogicalPlan, _ columns: [ProjectedColumn], _ keys: inout [SortItem]
    ) throws -> LogicalPlan {
        let rows = try Collations(session).rows(columns.map { ($0.id, $0.type) })
        if !rows.replaced.isEmpty {
            for index in outputs.indices { outputs[index].id = rows.replaced[outputs[index].id] ?? outputs[index].id }
            for index in keys.indices {
                let expression = keys[index].expression
                keys[index].expression = expression.replacing { id in
                    guard let shown = rows.replaced[id] else { return nil }
                    return columns.first { $0.id == id }.map { .column(shown, $0.type) }
                }
            }
        }
        return .aggregate(LogicalAggregate(groups: rows.groups, aggregates: rows.aggregates, input: plan))
    }

    static func filtered(_ plan: LogicalPlan, _ condition: BoundExpression) -> LogicalPlan {
        condition == .constant(.boolean(true), .boolean) ? plan : .filter(condition, plan)
    }
}

extension ProjectedColumn {
    var type: SQLType { expression.type }
}

/// What stands behind the list of a SELECT, bound but not yet in the plan.
struct SelectTail {
    var having: BoundExpression?
    var qualify: BoundExpression?
    var keys: [OrderKey]
    var query: Query
}

/// One ORDER BY item: an output of the list by index, or an expression.
struct OrderKey {
    var output: Int
    /// nil: the output.
    var expression: BoundExpression?
    var item: OrderItem
}

extension Scope {
    /// A local column was named outside of aggregates; the first place serves the error about GROUP BY.
    func noteUse(_ column: ScopeColumn, at position: SourcePosition) {
        if ungroupedUses[column.id] == nil { ungroupedUses[column.id] = position }
    }
}
