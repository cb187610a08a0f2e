import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// MERGE: matched target rows as an inner join with the source, new rows as what of the source has no match.
struct MergeBinder {
    private let statements: StatementBinder
    private var session: BindingSession { statements.session }

    init(_ statements: StatementBinder) { self.statements = statements }

    private struct Sides {
        var table: TableDefinition
        var target: LogicalScan
        var source: FromItem
        /// Names of both sides.
        var scope: Scope
        var matched: LogicalPlan
        var unmatched: LogicalPlan
    }

    func bind(_ node: MergeStatement) throws -> BoundMerge {
        let sides = try bindSides(node)
        switch node.action {
        case .removeDuplicates:
            let delete = try statements.delete(sides.table, sides.target, sides.matched)
            return BoundMerge(
                table: sides.table, matched: .delete(delete), insertion: try distinctRows(sides, node),
                isStrict: false)
        case .clauses(let matched, let notMatched):
            return BoundMerge(
                table: sides.table, matched: try matched.map { try bind($0, sides) },
                insertion: try notMatched.map { try bind($0, sides, node) }, isStrict: true)
        }
    }

    private func bindSides(_ node: MergeStatement) throws -> Sides {
        let table = try session.requireTable(node.target, for: "merge into")
        let scope = Scope(parent: nil, commonTables: nil)
        let from = FromBinder(queries: statements.queries, scope: scope)
        let (target, scan) = try statements.target(table, node.targetAlias, from, at: node.target.position)
        let source = try from.bind(node.source)
        if case .scan(let other) = source.plan, other.table.id == table.id {
            throw SQLError(
                .featureNotSupported, "source and target table of MERGE must not be the same", at: node.source.position)
        }
        let both = try JoinBinder(from: from).crossJoined(source, target, at: node.source.position)
        scope.setColumns(both.relations, both.visible)
        let condition = try ExpressionBinder(session, scope, clause: .joinCondition).bindCondition(node.condition)
        func joined(_ kind: JoinKind) -> LogicalPlan {
            .join(LogicalJoin(kind: kind, condition: condition, left: source.plan, right: target.plan))
        }
        return Sides(
            table: table, target: scan, source: source, scope: scope, matched: joined(.inner), unmatched: joined(.anti))
    }

    private func bind(_ action: MergeStatement.MatchedAction, _ sides: Sides) throws -> BoundMerge.Matched {
        switch action {
        case .delete:
            return .delete(try statements.delete(sides.table, sides.target, sides.matched))
        case .update(let list):
            return .update(
                try statements.update(
                    sides.table, sides.target, sides.matched, try statements.bind(list, sides.table, sides.scope)))
        }
    }

    private func bind(
        _ insertion: MergeStatement.Insertion, _ sides: Sides, _ node: MergeStatement
    ) throws -> BoundInsert {
        let inserts = InsertBinder(session)
        let targets = try TargetColumns(session).resolve(insertion.columns, of: sides.table, skipsIdentity: true)
        guard insertion.values.count <= targets.count,
            insertion.columns.isEmpty || insertion.values.count == targets.count
        else {
            throw SQLError(
                .syntaxError,
                insertion.values.count > targets.count
                    ? "INSERT has more expressions than target columns"
                    : "INSERT has more target columns than expressions", at: node.position)
        }
        let scope = Scope(parent: nil, commonTables: nil)
        scope.setColumns(sides.source.relations, sides.source.visible)
        let binder = ExpressionBinder(session, scope, clause: .values)
        let defaults = try inserts.defaultRow(sides.table)
        let values = try zip(insertion.values, targets).map { entry, index in
            try inserts.value(entry, sides.table.columns[index], defaults[index], binder)
        }
        let row = try inserts.complete(values, targets, sides.table, defaults, at: node.position)
        return insert(row, sides.unmatched, sides.table, given: targets)
    }

    /// REMOVE DUPLICATES: every different row of the source replaces what it matches.
    private func distinctRows(_ sides: Sides, _ node: MergeStatement) throws -> BoundInsert {
        let columns = sides.source.visible.map(\.column)
        guard columns.count == sides.table.columns.count else {
            throw SQLError(
                .datatypeMismatch, "MERGE with REMOVE DUPLICATES needs a source with the columns of the target",
                detail: "The source has \(columns.count) columns, the target \(sides.table.columns.count).",
                at: node.source.position)
        }
        let rows = try Collations(session).rows(columns.map { ($0.id, $0.type) })
        let plan = LogicalPlan.aggregate(
            LogicalAggregate(groups: rows.groups, aggregates: rows.aggregates, input: sides.source.plan))
        let assignment = Assignment(session)
        let row = try zip(columns, sides.table.columns).map { source, column in
            let id = rows.replaced[source.id] ?? source.id
            return try assignment.cast(.column(id, source.type), to: column, at: node.source.position)
        }
        return insert(row, plan, sides.table, given: Array(sides.table.columns.indices))
    }

    private func insert(
        _ row: [BoundExpression], _ plan: LogicalPlan, _ table: TableDefinition, given: [Int]
    ) -> BoundInsert {
        let outputs = table.columns.map { OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type) }
        let columns = zip(outputs, row).map { ProjectedColumn(id: $0.id, expression: $1) }
        let generated = table.columns.indices.filter { index in
            guard let identity = table.columns[index].identity else { return false }
            return identity.byDefault || !given.contains(index)
        }
        return BoundInsert(
            table: table, source: LogicalQuery(plan: .project(columns, plan), outputs: outputs),
            identityColumns: generated)
    }
}
