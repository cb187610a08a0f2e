import QueryPlan
import SQLSyntax
import SQLTypes

/// An entry of WITH RECURSIVE that reads itself: `first UNION ALL step`. Types are those of the first query; texts may
/// grow.
struct RecursiveTable {
    private let queries: QueryBinder
    private let parent: Scope?
    private let scope: CommonTableScope?

    private var session: BindingSession { queries.session }

    init(_ queries: QueryBinder, _ parent: Scope?, _ scope: CommonTableScope?) {
        self.queries = queries
        self.parent = parent
        self.scope = scope
    }

    func bind(_ entry: SQLSyntax.CommonTable) throws -> CommonTable {
        let union = try union(of: entry)
        var first = try queries.bindBody(union.left, parent: parent, commonTables: scope, keepsUnknown: false)
        let types = first.outputs.map { output in
            output.type.isString ? SQLType.varchar(SQLType.maximumVarcharLength) : output.type
        }
        first = try converted(first, types, entry)
        first.outputs = try RelationAlias.renamed(
            first.outputs, entry.columns, relation: entry.name.text, at: entry.name.position)
        let working = CommonTable(
            id: try session.makeCommonTableID(), name: entry.name.text, definition: first.logical)
        var step = try queries.bindBody(
            union.right, parent: parent, commonTables: CommonTableScope(working, next: scope), keepsUnknown: false)
        guard step.outputs.count == types.count else {
            throw SQLError(
                .syntaxError, "each UNION query must have the same number of columns", at: union.position)
        }
        if step.plan.aggregatesItself {
            throw SQLError(
                .invalidRecursion, "aggregate functions not allowed in a recursive query's recursive term",
                at: union.position)
        }
        step = try converted(step, types, entry)
        guard first.outerColumns.isEmpty, step.outerColumns.isEmpty else {
            throw SQLError(
                .featureNotSupported, "recursive common table expressions cannot use columns of an outer query",
                at: entry.name.position)
        }
        return CommonTable(
            id: try session.makeCommonTableID(), name: entry.name.text, definition: first.logical,
            recursion: LogicalRecursion(
                workingID: working.id, step: step.plan, stepColumns: step.outputs.map(\.id)))
    }

    private func union(of entry: SQLSyntax.CommonTable) throws -> SetOperation {
        let query = entry.query
        let name = entry.name.text
        guard case .setOperation(let union) = query.body, union.kind == .union, union.all, query.with == nil,
            !QueryReferences.names(name, in: Query(body: union.left)),
            QueryReferences.names(name, in: Query(body: union.right))
        else {
            throw SQLError(
                .invalidRecursion,
                "recursive query \"\(name)\" does not have the form non-recursive-term UNION ALL recursive-term",
                at: entry.name.position)
        }
        guard query.orderBy.isEmpty, query.limit == nil, query.offset == nil else {
            throw SQLError(
                .featureNotSupported, "ORDER BY, LIMIT and OFFSET in a recursive query are not supported",
                at: entry.name.position)
        }
        if case .select(let select) = union.right,
            select.isDistinct || select.groupBy != nil || select.having != nil || select.top != nil
        {
            throw SQLError(
                .featureNotSupported, "DISTINCT, GROUP BY and TOP in the recursive part are not supported",
                at: select.position)
        }
        return union
    }

    /// Outputs under ids of their own, of these types.
    private func converted(
        _ bound: BoundQuery, _ types: [SQLType], _ entry: SQLSyntax.CommonTable
    ) throws -> BoundQuery {
        var copy = bound
        var columns: [ProjectedColumn] = []
        for (index, output) in bound.outputs.enumerated() {
            let value = try Coercion(session).cast(
                .column(output.id, output.type), to: types[index], .assignment, at: entry.name.position)
            let id = session.makeColumn()
            columns.append(ProjectedColumn(id: id, expression: value))
            copy.outputs[index] = OutputColumn(id: id, name: output.name, type: types[index])
            Collations(session).note([copy.outputs[index]], like: [output])
        }
        copy.plan = .project(columns, bound.plan)
        return copy
    }
}

extension LogicalPlan {
    /// Its rows are groups of those that it reads.
    fileprivate var aggregatesItself: Bool {
        switch self {
        case .aggregate: true
        case .project(_, let input), .filter(_, let input), .sort(_, let input): input.aggregatesItself
        case .window(let window): window.input.aggregatesItself
        default: false
        }
    }
}
