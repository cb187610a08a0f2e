import QueryPlan
import SQLSyntax
import SQLTypes

/// `t.items AS i AT n` and `UNPIVOT t.object AS v AT k` in FROM: rows of a SUPER value of an earlier entry, or of an
/// enclosing query.
struct UnnestBinder {
    let from: FromBinder

    private var session: BindingSession { from.session }

    /// The entries so far with the rows of this one; nil where it is an ordinary table.
    ///
    /// - Parameter keepsRows: rows without elements stay.
    func bind(_ reference: TableReference, over left: FromItem?, keepsRows: Bool = false) throws -> FromItem? {
        let path: Expression
        let alias: TableAlias?
        var form = UnnestSpecification.Form.array
        switch reference {
        case .table(let table):
            guard table.name.parts.count > 1 else { return nil }
            (path, alias) = (.name(table.name), table.alias)
        case .navigation(let table): (path, alias) = (table.path, table.alias)
        case .objectUnpivot(let table):
            (path, alias) = (table.path, table.alias)
            form = .object
        case .subquery, .function, .join, .pivot, .unpivot: return nil
        }
        let scope = Scope(parent: from.scope.parent, commonTables: from.scope.commonTables)
        if let left { scope.setColumns(left.relations, left.visible) }
        let binder = ExpressionBinder(session, scope, clause: .joinCondition)
        if case .table(let table) = reference {
            guard isKnown(table.name.parts[0], left), try isPath(table.name, binder) else { return nil }
        }
        let source = try binder.bind(path)
        guard source.type == .semistructured else {
            throw SQLError(
                .datatypeMismatch, "cannot iterate over type \(source.type.nameWithoutModifiers) in FROM",
                hint: "Only values of type SUPER can be unnested.", at: path.position)
        }
        try session.countOperator()
        from.scope.inheritOuterColumns(of: scope)
        return item(left, source, alias, name: name(of: path), form, keepsRows: keepsRows)
    }

    /// Whether a name begins with an entry of FROM rather than with a schema.
    private func isKnown(_ name: Identifier, _ left: FromItem?) -> Bool {
        if let left, left.relations.contains(where: { $0.alias == name.text }) { return true }
        var scope = from.scope.parent
        while let here = scope {
            if here.relations.contains(where: { $0.alias == name.text }) { return true }
            scope = here.parent
        }
        return false
    }

    private func isPath(_ name: ObjectName, _ binder: ExpressionBinder) throws -> Bool {
        if let found = try ColumnLookup.find(name, from: binder.scope) { return found.column.type == .semistructured }
        return try SuperNavigation(binder).path(name) != nil
    }

    private func item(
        _ left: FromItem?, _ source: BoundExpression, _ alias: TableAlias?, name: String,
        _ form: UnnestSpecification.Form, keepsRows: Bool
    ) -> FromItem {
        let name = alias?.name.text ?? name
        let value = OutputColumn(id: session.makeColumn(), name: name, type: .semistructured)
        let placeType = form == .array ? SQLType.bigint : .varchar(SQLType.maximumVarcharLength)
        let place = OutputColumn(id: session.makeColumn(), name: alias?.at?.text ?? "", type: placeType)
        let specification = UnnestSpecification(
            form: form, source: source, value: value, place: place, keepsRows: keepsRows, alias: name)
        var columns = [ScopeColumn(name: value.name, id: value.id, type: value.type)]
        if alias?.at != nil { columns.append(ScopeColumn(name: place.name, id: place.id, type: place.type)) }
        let range = RangeTable(alias: name, schema: nil, database: nil, columns: columns)
        let input = left?.plan ?? .values(LogicalValues(columns: [], rows: [[]]))
        return FromItem(
            plan: .unnest(LogicalUnnest(specification, input: input)), relations: (left?.relations ?? []) + [range],
            visible: (left?.visible ?? []) + columns.map { FromItem.VisibleColumn(column: $0, relation: name) })
    }

    /// The last attribute of the path.
    private func name(of path: Expression) -> String {
        switch path {
        case .name(let name): return name.name
        case .navigation(let node):
            for step in node.steps.reversed() { if case .field(let field) = step { return field.text } }
            return name(of: node.base)
        default: return "unnest"
        }
    }
}
