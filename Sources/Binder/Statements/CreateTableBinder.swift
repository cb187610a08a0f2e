import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE TABLE: columns, constraints and physical design become a definition.
struct CreateTableBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: CreateTableStatement) throws -> TableDefinition {
        var table = try TableNaming(session).definition(node.name, isTemporary: node.isTemporary)
        if !node.ifNotExists { try TableNaming(session).checkFree(table, at: node.name.position) }
        var draft = TableDraft()
        for element in node.elements { try add(element, to: &draft, &table) }
        try PhysicalDesign(node.attributes).apply(to: &table, draft: draft)
        try checkColumns(table, at: node.position)
        table.nextColumnID = Int32(table.columns.count)
        return table
    }

    private func checkColumns(_ table: TableDefinition, at position: SourcePosition) throws {
        guard !table.columns.isEmpty else {
            throw SQLError(.invalidTableDefinition, "table must have at least one column", at: position)
        }
        guard table.columns.count <= BinderLimits.columns else {
            throw SQLError(
                .tooManyColumns, "tables can have at most \(BinderLimits.columns) columns", at: position)
        }
    }

    private func add(_ element: TableElement, to draft: inout TableDraft, _ table: inout TableDefinition) throws {
        switch element {
        case .column(let column):
            if table.columnIndex(column.name.text) != nil {
                throw SQLError(
                    .duplicateColumn, "column \"\(column.name)\" specified more than once", at: column.name.position)
            }
            let bound = try ColumnBinder(session).bind(column, id: Int32(table.columns.count))
            let index = table.columns.count
            table.columns.append(bound)
            try draft.note(column, index: index)
            for attribute in column.attributes { try addConstraint(attribute, index, &table) }
        case .constraint(let constraint):
            let bound = try ConstraintBinder(session).bind(constraint, of: table)
            if bound.kind == .primaryKey { for index in bound.columns { table.columns[index].notNull = true } }
            table.constraints.append(bound)
        case .like(let like):
            try copyColumns(of: like, &table, &draft)
        }
    }

    private func addConstraint(
        _ attribute: ColumnAttribute, _ index: Int, _ table: inout TableDefinition
    ) throws {
        let binder = ConstraintBinder(session)
        switch attribute.kind {
        case .unique:
            table.constraints.append(try binder.make(.unique, [index], nil, of: table, at: attribute.position))
        case .primaryKey:
            table.columns[index].notNull = true
            table.constraints.append(try binder.make(.primaryKey, [index], nil, of: table, at: attribute.position))
        case .references(let name, let columns):
            let kind = try binder.foreignKey(name, columns, of: table, count: 1)
            table.constraints.append(try binder.make(kind, [index], nil, of: table, at: attribute.position))
        default: break
        }
    }

    private func copyColumns(of like: LikeTable, _ table: inout TableDefinition, _ draft: inout TableDraft) throws {
        let parent = try session.requireTable(like.name, for: "copy the columns of", mayBeView: true)
        session.access.add(.table(parent), needed: .select, columns: [])
        for column in parent.columns {
            guard table.columnIndex(column.name) == nil else {
                throw SQLError(
                    .duplicateColumn, "column \"\(column.name)\" specified more than once", at: like.name.position)
            }
            var copy = column
            copy.id = Int32(table.columns.count)
            copy.identity = nil
            copy.comment = nil
            if !like.includesDefaults { copy.defaultExpression = nil }
            table.columns.append(copy)
        }
        draft.likeParent = parent
    }
}

/// The name of a new table, and whether it is free.
struct TableNaming {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func definition(_ name: ObjectName, isTemporary: Bool) throws -> TableDefinition {
        if isTemporary, let schema = name.schema, schema != "pg_temp" {
            throw SQLError(
                .invalidTableDefinition, "cannot create temporary relation in non-temporary schema",
                at: name.position)
        }
        let schema = isTemporary ? "pg_temp" : try session.creationSchema(for: name)
        return TableDefinition(
            id: ObjectID(0), schema: schema, name: name.name, columns: [], isTemporary: isTemporary,
            owner: session.settings.user.id)
    }

    func checkFree(_ table: TableDefinition, at position: SourcePosition) throws {
        let existing =
            table.isTemporary
            ? session.temporary.allRelations.first { $0.name == table.name }
            : session.catalog.relation(schema: table.schema, name: table.name)
        if existing != nil {
            throw SQLError(.duplicateTable, "relation \"\(table.name)\" already exists", at: position)
        }
    }
}

/// What column attributes and LIKE say about the table's physical design.
struct TableDraft {
    var distributionColumn: (index: Int, position: SourcePosition)?
    var sortColumns: [Int] = []
    var sortPosition = SourcePosition.unknown
    var hasEncoding = false
    var likeParent: TableDefinition?

    mutating func note(_ column: SQLSyntax.ColumnDefinition, index: Int) throws {
        for attribute in column.attributes {
            switch attribute.kind {
            case .distributionKey:
                if distributionColumn != nil {
                    throw SQLError(
                        .invalidTableDefinition, "only one DISTKEY column is allowed", at: attribute.position)
                }
                distributionColumn = (index, attribute.position)
            case .sortKey:
                sortColumns.append(index)
                sortPosition = attribute.position
            case .encode(let name): if name != "auto" { hasEncoding = true }
            default: break
            }
        }
    }
}
