import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE, REFRESH and ALTER MATERIALIZED VIEW.
extension StatementBinder {
    func bindCreateMaterializedView(_ node: CreateMaterializedViewStatement) throws -> BoundStatement {
        try checkClauses(of: node.query)
        session.namedObjects = []
        var bound = try queries.bind(node.query, parent: nil, commonTables: nil)
        bound.outputs = try RelationAlias.renamed(
            bound.outputs, node.columns, relation: node.name.name, at: node.name.position)
        var table = try tableDefinition(
            node.name, node.attributes, of: bound, draft: TableDraft(), at: node.query.position)
        let references = session.references(used: ReferencedColumns.of(bound.logical))
        try checkSources(references, at: node.query.position)
        if !session.parameterTypes.isEmpty {
            throw SQLError(.syntaxError, "parameters are not supported in materialized views", at: node.position)
        }
        var query = MaterializedQuery(
            query: StoredText.dated(node.queryText, session.datetime), references: references,
            namesColumns: !node.columns.isEmpty, refreshesAutomatically: node.autoRefresh ?? false,
            isBackedUp: node.attributes.backup ?? true, isRepeatable: session.isReusable)
        if query.refreshesAutomatically { try checkAutoRefresh(query, at: node.position) }
        query.viewDigest = session.catalog.viewDigest(of: references)
        table.materialized = query
        return .createMaterializedView(
            BoundCreateMaterializedView(
                definition: table, source: bound.logical, scanned: session.scannedTables.sorted(),
                position: node.position.offset))
    }

    func bindRefreshMaterializedView(_ node: RefreshMaterializedViewStatement) throws -> BoundStatement {
        let (table, _, text) = try requireMaterializedView(node.name)
        let bound = try ViewExpansion(queries).expand(text, at: node.position)
        var inner: [TableDefinition] = []
        if node.cascade { try addMaterializedViews(behind: table, to: &inner) }
        return .refreshMaterializedView(
            BoundRefreshMaterializedView(
                view: table, source: bound.logical, scanned: session.scannedTables.sorted(),
                isRepeatable: session.isReusable, inner: inner))
    }

    func bindAlterMaterializedView(_ node: AlterMaterializedViewStatement) throws -> BoundStatement {
        let (table, query, _) = try requireMaterializedView(node.name)
        guard let autoRefresh = node.autoRefresh else {
            return try AlterTableBinder(session).bind(node.ofTable, ofView: table)
        }
        if autoRefresh { try checkAutoRefresh(query, at: node.position) }
        return .alterTable(BoundAlterTable(table: table, actions: [.autoRefresh(autoRefresh)]))
    }

    private func requireMaterializedView(
        _ name: ObjectName
    ) throws -> (table: TableDefinition, query: MaterializedQuery, text: ViewDefinition) {
        guard let found = try session.findRelation(name) else {
            throw SQLError(.undefinedTable, "materialized view \"\(name)\" does not exist", at: name.position)
        }
        guard case .table(let table) = found, let query = table.materialized, let text = table.materializedText else {
            throw SQLError(.wrongObjectType, "\"\(name.name)\" is not a materialized view", at: name.position)
        }
        return (table, query, text)
    }

    /// Materialized views that the view reads, at any depth, those in front that others read.
    private func addMaterializedViews(behind view: TableDefinition, to list: inout [TableDefinition]) throws {
        for object in session.catalog.objects(behind: view.references).sorted(by: { $0.id < $1.id }) {
            guard case .relation(.table(let inner)) = object, inner.materialized != nil,
                !list.contains(where: { $0.id == inner.id })
            else { continue }
            try session.deeper { try addMaterializedViews(behind: inner, to: &list) }
            list.append(inner)
        }
    }

    // MARK: What a definition may not have

    private func checkClauses(of query: Query) throws {
        func refuse(_ clause: String) -> SQLError {
            SQLError(
                .featureNotSupported, "\(clause) is not supported in the definition of a materialized view",
                at: query.position)
        }
        if !query.orderBy.isEmpty { throw refuse("ORDER BY") }
        if query.limit != nil || query.offset != nil { throw refuse("LIMIT or OFFSET") }
        if case .select(let select) = query.body {
            if select.top != nil { throw refuse("LIMIT or OFFSET") }
            if select.into != nil { throw refuse("INTO") }
        }
    }

    private func checkSources(_ references: [ObjectReference], at position: SourcePosition) throws {
        func refuse(_ what: String) -> SQLError {
            SQLError(.featureNotSupported, "Materialized views cannot use \(what)", at: position)
        }
        if session.scannedTables.contains(where: { session.temporary.relation(id: $0) != nil }) {
            throw refuse("temporary tables")
        }
        if !session.access.access.systemUses.isEmpty { throw refuse("system tables or views") }
        for object in session.catalog.objects(behind: references) {
            switch object {
            case .function: throw refuse("user-defined functions")
            case .relation(.view(let view)) where view.isLateBinding: throw refuse("late-binding views")
            case .relation, .procedure, .copyJob: continue
            }
        }
    }

    /// As Redshift documents for AUTO REFRESH YES.
    private func checkAutoRefresh(_ query: MaterializedQuery, at position: SourcePosition) throws {
        if !query.isRepeatable { throw AutoRefreshRules.mutable.at(position.offset) }
        if session.catalog.objects(behind: query.references).contains(where: { $0.kind == .materializedView }) {
            throw AutoRefreshRules.nested.at(position.offset)
        }
    }
}

/// What AUTO REFRESH YES is refused for.
package enum AutoRefreshRules {
    package static let mutable = SQLError(
        .featureNotSupported, "AUTO REFRESH YES is not supported for materialized views with mutable functions")
    package static let nested = SQLError(
        .featureNotSupported, "AUTO REFRESH YES is not supported for materialized views on materialized views")
}

package struct BoundCreateMaterializedView: Sendable {
    package var definition: TableDefinition
    package var source: LogicalQuery
    /// Tables that the query reads, inside of views as well.
    package var scanned: [ObjectID]
    package var position: Int?
}

package struct BoundRefreshMaterializedView: Sendable {
    package var view: TableDefinition
    package var source: LogicalQuery
    package var scanned: [ObjectID]
    /// As far as the binder knows.
    package var isRepeatable: Bool
    /// CASCADE: materialized views behind it, in the order of their refreshes.
    package var inner: [TableDefinition]
}
