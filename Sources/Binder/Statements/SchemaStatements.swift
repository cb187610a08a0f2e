import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE and ALTER SCHEMA.
extension StatementBinder {
    func bindCreateSchema(_ node: CreateSchemaStatement) throws -> BoundStatement {
        guard let name = node.name?.name ?? node.owner?.text else {
            throw SQLError(.syntaxError, "a schema needs a name", at: node.position)
        }
        if let written = node.name { try session.checkDatabase(ofSchema: written) }
        if name.hasPrefix("pg_") {
            throw SQLError(
                "42939", "unacceptable schema name \"\(name)\"",
                detail: "The prefix \"pg_\" is reserved for system schemas.", at: node.position)
        }
        if session.catalog.schemas[name] != nil && !node.ifNotExists {
            let position = node.name?.position ?? node.position
            throw SQLError(.duplicateSchema, "schema \"\(name)\" already exists", at: position)
        }
        let owner = try node.owner.map {
            try PrincipalLookup(session.catalog.accounts, at: node.position).user($0).id
        }
        let definition = SchemaDefinition(
            id: ObjectID(0), name: name, owner: owner ?? session.settings.user.id,
            quotaMegabytes: node.quota?.limitMegabytes)
        return .createSchema(
            BoundCreateSchema(
                definition: definition, ifNotExists: node.ifNotExists, setsQuota: node.quota != nil,
                elements: node.elements))
    }

    func bindAlterSchema(_ node: AlterSchemaStatement) throws -> BoundStatement {
        let schema = try requireSchema(node.name)
        if case .renameTo(let name) = node.action, session.catalog.schemas[name.text] != nil {
            throw SQLError(.duplicateSchema, "schema \"\(name)\" already exists", at: name.position)
        }
        return .alterSchema(BoundAlterSchema(schema: schema, action: node.action))
    }

    func requireSchema(_ name: ObjectName) throws -> SchemaDefinition {
        try session.checkDatabase(ofSchema: name)
        guard let schema = session.catalog.schemas[name.name] else {
            throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.position)
        }
        return schema
    }
}

extension TableDefinition {
    func requireColumn(_ name: Identifier) throws -> Int {
        guard let index = columnIndex(name.text) else {
            let hint = EditDistance.nearest(to: name.text, among: columns.map(\.name)).map {
                "Perhaps you meant to reference the column \"\(self.name).\($0)\"."
            }
            throw SQLError(
                .undefinedColumn, "column \"\(name)\" of relation \"\(self.name)\" does not exist", hint: hint,
                at: name.position)
        }
        return index
    }
}

extension SchemaQuota {
    /// nil: unlimited.
    package var limitMegabytes: Int64? {
        switch self {
        case .unlimited: nil
        case .megabytes(let limit): limit
        }
    }
}
