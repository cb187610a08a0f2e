import QueryPlan
import SQLSyntax
import SQLTypes

/// CONNECT BY: the rows of FROM as a forest. A recursion starts with the rows of START WITH, and each of its rounds
/// joins FROM's rows to the rows that the round before has found; the rest of the SELECT reads what all rounds have
/// found. The order of work is Oracle's: joins, the hierarchy, then what is left of WHERE.
final class Hierarchy {
    /// What is being bound: it decides where PRIOR and LEVEL may stand.
    private enum Part { case start, connect, rest }

    private let session: BindingSession
    private let clause: ConnectByClause
    /// FROM's columns, and where the rest of the SELECT finds them in the hierarchy.
    private let sources: [OutputColumn]
    private let columns: [OutputColumn]
    private let level: OutputColumn
    /// Of the parent's row, by the id of the row's own column; made when PRIOR asks for them.
    private var parents: [ColumnID: OutputColumn] = [:]
    /// Those that the rest of the SELECT asks for, which the recursion must keep.
    private var kept: [OutputColumn] = []
    private var part = Part.rest
    private var start: BoundExpression?
    private var connect = BoundExpression.constant(.boolean(true), .boolean)
    private var input: LogicalPlan

    init(_ clause: ConnectByClause, from item: FromItem, _ session: BindingSession) {
        self.session = session
        self.clause = clause
        input = item.plan
        var known: Set<ColumnID> = []
        var found: [OutputColumn] = []
        for column in item.visible.map(\.column) + item.relations.flatMap(\.columns)
        where known.insert(column.id).inserted {
            found.append(OutputColumn(id: column.id, name: column.name, type: column.type))
        }
        sources = found
        columns = found.map { OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type) }
        Collations(session).note(columns, like: sources)
        level = OutputColumn(id: session.makeColumn(), name: "level", type: .integer)
    }

    /// The pseudo column LEVEL.
    var levelColumn: ScopeColumn { ScopeColumn(name: level.name, id: level.id, type: level.type) }

    /// Columns that only CONNECT BY has: LEVEL, and those of parents that PRIOR has asked for.
    var pseudoColumns: [OutputColumn] { [level] + kept }

    /// What the rest of the SELECT sees in the place of FROM.
    func entry(for item: FromItem) -> FromItem {
        let own = Dictionary(uniqueKeysWithValues: zip(sources.map(\.id), columns.map(\.id)))
        func moved(_ column: ScopeColumn) -> ScopeColumn {
            var copy = column
            copy.id = own[column.id] ?? column.id
            return copy
        }
        var result = item
        for index in result.relations.indices {
            result.relations[index].columns = result.relations[index].columns.map(moved)
        }
        for index in result.visible.indices { result.visible[index].column = moved(result.visible[index].column) }
        return result
    }

    // MARK: Conditions

    /// Binds START WITH and CONNECT BY, whose names are those of the rest of the SELECT.
    func bindConditions(_ binder: ExpressionBinder) throws {
        let outer = binder.scope.outerColumns.count
        if let written = clause.startWith { start = try bound(written, .start, binder) }
        connect = try bound(clause.condition, .connect, binder)
        if binder.scope.outerColumns.count > outer {
            throw SQLError(
                .featureNotSupported, "CONNECT BY cannot use columns of an outer query", at: clause.position)
        }
    }

    private func bound(_ written: Expression, _ part: Part, _ binder: ExpressionBinder) throws -> BoundExpression {
        self.part = part
        defer { self.part = .rest }
        let condition = try binder.bindCondition(written)
        if condition.hasCorrelatedSubquery {
            throw SQLError(
                .featureNotSupported, "correlated subqueries in START WITH and CONNECT BY are not supported",
                at: written.position)
        }
        return condition
    }

    /// `PRIOR x`: x of the parent's row.
    func prior(_ operand: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        guard part != .start else {
            throw SQLError(.syntaxError, "PRIOR is not allowed in START WITH", at: position)
        }
        guard !operand.containsSubquery else {
            throw SQLError(.featureNotSupported, "PRIOR of a subquery is not supported", at: position)
        }
        return operand.replacing { id in self.parent(of: id).map { .column($0.id, $0.type) } }
    }

    private func parent(of id: ColumnID) -> OutputColumn? {
        guard let own = (columns + [level]).first(where: { $0.id == id }) else { return nil }
        let known = parents[id] ?? OutputColumn(id: session.makeColumn(), name: own.name, type: own.type)
        parents[id] = known
        Collations(session).note([known], like: [own])
        if part == .rest, !kept.contains(known) { kept.append(known) }
        return known
    }

    /// Takes the terms of WHERE that join relations of FROM to FROM itself, and gives back the rest.
    func takeJoins(from filter: BoundExpression, among entries: [FromItem]) -> BoundExpression {
        guard entries.count > 1 else { return filter }
        let terms = if case .and(let terms) = filter { terms } else { [filter] }
        let back = Dictionary(uniqueKeysWithValues: zip(columns.map(\.id), sources))
        let ids = entries.map { Set($0.visible.map(\.column.id) + $0.relations.flatMap(\.columns).map(\.id)) }
        var rest: [BoundExpression] = []
        for term in terms {
            var used: Set<ColumnID> = []
            term.forEachColumn({ used.insert($0) }, subquery: { _ in used.insert(self.level.id) })
            let origins = used.map { back[$0]?.id }
            let touched = ids.count { entry in origins.contains { $0.map(entry.contains) ?? false } }
            if touched > 1, origins.allSatisfy({ $0 != nil }) {
                input = .filter(term.replacing { back[$0].map { .column($0.id, $0.type) } }, input)
            } else {
                rest.append(term)
            }
        }
        return rest.count == terms.count
            ? filter : rest.isEmpty ? .constant(.boolean(true), .boolean) : rest.count == 1 ? rest[0] : .and(rest)
    }

    // MARK: The plan

    /// The hierarchy's rows under the ids that the rest of the SELECT uses.
    func plan() throws -> LogicalPlan {
        let path = clause.noCycle ? HierarchyPath(session) : nil
        let rowColumns = sources + (path.map { [$0.number] } ?? [])
        let rows = CommonTable(
            id: try session.makeCommonTableID(), name: "connect by rows",
            definition: LogicalQuery(plan: path?.numbered(input) ?? input, outputs: rowColumns))
        let found = (columns + [level] + kept + (path.map { [$0.path] } ?? [])).map {
            OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
        }
        let working = try session.makeCommonTableID()
        let step = self.step(rows, working: working, found, path)
        let recursion = LogicalRecursion(workingID: working, step: step.plan, stepColumns: step.columns)
        let all = try session.makeCommonTableID()
        let visible = columns + [level] + kept
        let reference = LogicalWithReference(
            id: all, alias: "connect by", columns: visible, sources: Array(found.prefix(visible.count).map(\.id)))
        let body = LogicalPlan.with(
            LogicalWith(
                id: all, name: "connect by", definition: first(rows, found, path), definitionColumns: found,
                recursion: recursion, body: .withReference(reference)))
        return .with(
            LogicalWith(
                id: rows.id, name: rows.name, definition: rows.definition.plan,
                definitionColumns: rows.definition.outputs, body: body))
    }

    /// The roots.
    private func first(
        _ rows: CommonTable, _ found: [OutputColumn], _ path: HierarchyPath?
    ) -> LogicalPlan {
        let own = rows.reference(session)
        var values: [BoundExpression] = own.columns.prefix(columns.count).map { .column($0.id, $0.type) }
        let one = BoundExpression.constant(.integer(1), .integer)
        values.append(one)
        values += kept.map { .constant(.null, $0.type) }
        if let path { values.append(path.root(of: own.columns[columns.count])) }
        var plan = LogicalPlan.withReference(own)
        if let start {
            let here = zip(columns, own.columns).map { ($0.id, BoundExpression.column($1.id, $1.type)) }
            let map = Dictionary(uniqueKeysWithValues: here + [(level.id, one)])
            plan = .filter(start.replacing { map[$0] }, plan)
        }
        return .project(zip(found, values).map { ProjectedColumn(id: $0.id, expression: $1) }, plan)
    }

    /// The children of the rows found last.
    private func step(
        _ rows: CommonTable, working: Int, _ found: [OutputColumn], _ path: HierarchyPath?
    ) -> (plan: LogicalPlan, columns: [ColumnID]) {
        let last = CommonTable(
            id: working, name: "connect by", definition: LogicalQuery(plan: input, outputs: found)
        ).reference(session)
        let own = rows.reference(session)
        let parentValues = (0...columns.count).map { index in
            BoundExpression.column(last.columns[index].id, last.columns[index].type)
        }
        let one = BoundExpression.constant(.integer(1), .integer)
        var map: [ColumnID: BoundExpression] = [level.id: .call(.add, [parentValues[columns.count], one], .integer)]
        for (column, here) in zip(columns, own.columns) { map[column.id] = .column(here.id, here.type) }
        for (column, value) in zip(columns + [level], parentValues) {
            if let parent = parents[column.id] { map[parent.id] = value }
        }
        var terms = [connect.replacing { map[$0] }]
        var values = (columns + [level] + kept).map { map[$0.id] ?? .constant(.null, $0.type) }
        if let path, let lastPath = last.columns.last {
            let number = own.columns[columns.count]
            terms.append(path.isNew(number, in: .column(lastPath.id, lastPath.type)))
            values.append(path.extended(.column(lastPath.id, lastPath.type), by: number))
        }
        let join = LogicalJoin(
            kind: .inner, condition: terms.count == 1 ? terms[0] : .and(terms), left: .withReference(last),
            right: .withReference(own))
        let ids = values.map { _ in session.makeColumn() }
        let projected = zip(ids, values).map { ProjectedColumn(id: $0, expression: $1) }
        return (.project(projected, .join(join)), ids)
    }
}

/// NOCYCLE: rows have numbers, and each row of the hierarchy has the numbers on its way from the root.
private struct HierarchyPath {
    let number: OutputColumn
    let path: OutputColumn

    init(_ session: BindingSession) {
        number = OutputColumn(id: session.makeColumn(), name: "number", type: .bigint)
        path = OutputColumn(id: session.makeColumn(), name: "path", type: .varbyte(SQLType.maximumVarbyteLength))
    }

    func numbered(_ input: LogicalPlan) -> LogicalPlan {
        let call = WindowCall(function: .rowNumber, arguments: [], type: .bigint)
        return .window(
            LogicalWindow(
                partitionBy: [], orderBy: [], functions: [LogicalWindow.Function(id: number.id, call: call)],
                input: input))
    }

    func root(of number: OutputColumn) -> BoundExpression { extended(.constant(.string([]), path.type), by: number) }

    func extended(_ path: BoundExpression, by number: OutputColumn) -> BoundExpression {
        .call(.wayExtended, [path, .column(number.id, .bigint)], path.type)
    }

    func isNew(_ number: OutputColumn, in path: BoundExpression) -> BoundExpression {
        .not(.call(.wayContains, [path, .column(number.id, .bigint)], .boolean))
    }
}

extension CommonTable {
    /// A use of the table, with column ids of its own.
    fileprivate func reference(_ session: BindingSession) -> LogicalWithReference {
        LogicalWithReference(
            id: id, alias: name,
            columns: definition.outputs.map {
                OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
            },
            sources: definition.outputs.map(\.id))
    }
}

extension BoundExpression {
    /// The same expression with other expressions in the place of columns. Plans of subqueries are not entered.
    func replacing(_ value: (ColumnID) -> BoundExpression?) -> BoundExpression {
        if case .column(let id, _) = self { return value(id) ?? self }
        return mapChildren { $0.replacing(value) }
    }

    fileprivate var hasCorrelatedSubquery: Bool {
        if case .subquery(let subquery) = self, !subquery.outerColumns.isEmpty { return true }
        return containsChild { $0.hasCorrelatedSubquery }
    }
}
