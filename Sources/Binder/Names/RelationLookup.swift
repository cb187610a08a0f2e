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
            return catalog.relation(schema: schema, name: name.name)
        }
        if let found = findTemporary(name.name) { return found }
        for schema in searchPath {
            if let found = catalog.relation(schema: schema, name: name.name) { return found }
        }
        return nil
    }

    private func findTemporary(_ name: String) -> Relation? {
        for relation in temporary.allRelations where relation.name == name { return relation }
        return nil
    }

    func checkDatabase(_ name: ObjectName) throws {
        guard name.parts.count <= 3 else {
            throw SQLError(
                .syntaxError, "improper qualified name (too many dotted names): \(name)", at: name.position)
        }
        if let database = name.database, database != catalog.database {
            throw SQLError(
                .featureNotSupported, "cross-database references are not implemented: \"\(name)\"", at: name.position)
        }
    }

    func requireTable(_ name: ObjectName, for action: String) throws -> TableDefinition {
        switch try findRelation(name) {
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
        for schema in searchPath where catalog.schemas[schema] != nil { return schema }
        throw SQLError(.invalidSchemaName, "no schema has been selected to create in", at: name.position)
    }
}
