import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE TABLE AS and SELECT INTO.
extension StatementBinder {
    func bindCreateTableAs(_ node: CreateTableAsStatement) throws -> BoundStatement {
        var bound = try queries.bind(node.query, parent: nil, commonTables: nil)
        bound.outputs = try RelationAlias.renamed(
            bound.outputs, node.columns, relation: node.name.name, at: node.name.position)
        if !node.columns.isEmpty && node.columns.count < bound.outputs.count {
            throw SQLError(.syntaxError, "too few column names were specified", at: node.position)
        }
        let target = NewTable(name: node.name, isTemporary: node.isTemporary, ifNotExists: node.ifNotExists)
        return try createTable(target, node.attributes, from: bound, at: node.query.position)
    }

    func bindSelectInto(_ into: IntoClause, _ query: Query) throws -> BoundStatement {
        let bound = try queries.bind(query, parent: nil, commonTables: nil)
        let target = NewTable(name: into.name, isTemporary: into.isTemporary, ifNotExists: false)
        return try createTable(target, TableAttributes(), from: bound, at: query.position)
    }

    private struct NewTable {
        var name: ObjectName
        var isTemporary: Bool
        var ifNotExists: Bool
    }

    private func createTable(
        _ target: NewTable, _ attributes: TableAttributes, from bound: BoundQuery, at position: SourcePosition
    ) throws -> BoundStatement {
        let table = try tableDefinition(
            target.name, isTemporary: target.isTemporary, ifNotExists: target.ifNotExists, attributes, of: bound,
            draft: inherited(attributes, bound), at: position)
        return .createTableAs(
            BoundCreateTableAs(definition: table, source: bound.logical, ifNotExists: target.ifNotExists))
    }

    /// A table for the rows of a query.
    func tableDefinition(
        _ name: ObjectName, isTemporary: Bool = false, ifNotExists: Bool = false, _ attributes: TableAttributes,
        of bound: BoundQuery, draft: TableDraft, at position: SourcePosition
    ) throws -> TableDefinition {
        let naming = TableNaming(session)
        var table = try naming.definition(name, isTemporary: isTemporary)
        if !ifNotExists { try naming.checkFree(table, at: name.position) }
        for (index, output) in bound.outputs.enumerated() {
            if table.columnIndex(output.name) != nil {
                throw SQLError(
                    .duplicateColumn, "column \"\(output.name)\" specified more than once", at: position)
            }
            let type = output.type == .unknown ? SQLType.text : output.type
            guard type != .interval else {
                throw SQLError(
                    .featureNotSupported, "column \"\(output.name)\" may have both months and days",
                    hint: "Cast it to INTERVAL YEAR TO MONTH or INTERVAL DAY TO SECOND.", at: position)
            }
            var column = Catalog.ColumnDefinition(id: Int32(index), name: output.name, type: type)
            if type.isString {
                let isInsensitive = Collations(session).isInsensitive(.column(output.id, type))
                column.collation = isInsensitive ? .caseInsensitive : .caseSensitive
            }
            table.columns.append(column)
        }
        try PhysicalDesign(attributes).apply(to: &table, draft: draft)
        table.nextColumnID = Int32(table.columns.count)
        return table
    }

    /// Without attributes a plain copy of one table keeps that table's distribution and sort keys.
    private func inherited(_ attributes: TableAttributes, _ bound: BoundQuery) -> TableDraft {
        var draft = TableDraft()
        guard attributes.distributionStyle == nil, attributes.distributionKey == nil, attributes.sortKey == nil,
            let scan = bound.plan.onlyScan
        else { return draft }
        var position: [Int: Int] = [:]
        for (index, output) in bound.outputs.enumerated() {
            if let column = scan.columns.first(where: { $0.id == output.id }), position[column.index] == nil {
                position[column.index] = index
            }
        }
        if case .key(let column) = scan.table.distribution, let index = position[column] {
            draft.distributionColumn = (index, .unknown)
        }
        if case .compound(let columns) = scan.table.sortKey {
            let kept = columns.map { position[$0] }
            if kept.allSatisfy({ $0 != nil }) { draft.sortColumns = kept.compactMap { $0 } }
        }
        return draft
    }
}

extension LogicalPlan {
    /// The scan below projections and filters, if the plan is nothing else.
    fileprivate var onlyScan: LogicalScan? {
        switch self {
        case .scan(let scan): scan
        case .project(_, let input), .filter(_, let input): input.onlyScan
        default: nil
        }
    }
}
