import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Finding stored relations and schemas by name.
extension BindingSession {
    /// The temporary schema comes before the search path, as in Redshift.
    func findRelation(_ name: ObjectName) throws -> Relation? {
        try checkDatabase(name)
        if let schema = name.schema {
            if schema == "pg_temp" { return findTemporary(name.name) }
            try checkUsage(of: schema, at: name.position)
            return catalog.relation(schema: schema, name: name.name)
        }
        if let found = findTemporary(name.name) { return found }
        return searched { catalog.relation(schema: $0, name: name.name) }
    }

    /// What is found first on the search path.
    func searched<Found>(_ find: (String) throws -> Found?) rethrows -> Found? {
        for (place, schema) in searchPath.enumerated() {
            if place == userSchemaPlace { access.noteSearchOfUserSchema() }
            if mayUse(schema), let found = try find(schema) { return found }
        }
        return nil
    }

    // MARK: Privileges

    private func mayUse(_ schema: String) -> Bool {
        catalog.schemas[schema].map { access.mayUse($0, catalog) } ?? true
    }

    func checkUsage(of schema: String, at position: SourcePosition) throws {
        if mayUse(schema) { return }
        throw SQLError(.insufficientPrivilege, "permission denied for schema \(schema)", at: position)
    }

    /// A late-binding view does not settle what its bare names mean, so those are read with the rights of whoever asks.
    func recordUse(of table: TableDefinition, needed: PrivilegeSet, _ plan: LogicalPlan, name: ObjectName?) {
        let isUnsettled = name?.parts.count == 1 && openTexts.last?.isLateBinding == true
        let columns = if case .scan(let scan) = plan { scan.columns.map(\.id) } else { [ColumnID]() }
        access.add(.table(table), needed: needed, columns: columns, asSession: isUnsettled)
        if let name { note(.table(table), as: name, columns: columns) }
    }

    private func findTemporary(_ name: String) -> Relation? {
        for relation in temporary.allRelations where relation.name == name { return relation }
        return nil
    }

    /// - Parameter mayBeView: a materialized one serves as well.
    func requireTable(_ name: ObjectName, for action: String, mayBeView: Bool = false) throws -> TableDefinition {
        switch try findRelation(name) {
        case .table(let table) where table.materialized != nil && !mayBeView:
            throw SQLError(
                .wrongObjectType, "cannot \(action) materialized view \"\(name.name)\"",
                hint: "Its rows are those of its query; use REFRESH MATERIALIZED VIEW.", at: name.position)
        case .table(let table): return table
        case .view:
            throw SQLError(.wrongObjectType, "cannot \(action) view \"\(name.name)\"", at: name.position)
        case nil:
            if systemColumns(of: name) != nil {
                throw SQLError(
                    .insufficientPrivilege, "permission denied: \"\(name.name)\" is a system catalog",
                    at: name.position)
            }
            throw unknownRelation(name)
        }
    }

    func systemColumns(of name: ObjectName) -> [SystemColumn]? {
        systemRelations.columns(ofRelation: name.name, schema: name.schema)
    }

    private static let systemSchemas: Set<String> = ["pg_catalog", "information_schema"]

    func unknownRelation(_ name: ObjectName) -> SQLError {
        if let schema = name.schema, catalog.schemas[schema] == nil, !Self.systemSchemas.contains(schema) {
            return SQLError(.invalidSchemaName, "schema \"\(schema)\" does not exist", at: name.position)
        }
        let schemas = name.schema.map { [$0] } ?? searchPath
        let names =
            schemas.flatMap { catalog.relations(inSchema: $0).map(\.name) }
            + temporary.allRelations.map(\.name) + systemRelations.relationNames
        let hint = EditDistance.nearest(to: name.name, among: names).map { "Did you mean \"\($0)\"?" }
        return SQLError(.undefinedTable, "relation \"\(name)\" does not exist", hint: hint, at: name.position)
    }

    /// The schema that a new object goes into.
    func creationSchema(for name: ObjectName) throws -> String {
        try checkDatabase(name)
        if let schema = name.schema {
            guard catalog.schemas[schema] != nil else {
                throw SQLError(.invalidSchemaName, "schema \"\(schema)\" does not exist", at: name.position)
            }
            return schema
        }
        if let found = searched({ catalog.schemas[$0] != nil ? $0 : nil }) { return found }
        throw SQLError(.invalidSchemaName, "no schema has been selected to create in", at: name.position)
    }
}
