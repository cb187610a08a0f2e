import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// CREATE, ALTER SCHEMA; DROP of anything; COMMENT.
extension StatementBinder {
    func bindCreateSchema(_ node: CreateSchemaStatement) throws -> BoundStatement {
        guard let name = node.name?.name ?? node.owner?.text else {
            throw SQLError(.syntaxError, "a schema needs a name", at: node.position)
        }
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
        let definition = SchemaDefinition(id: ObjectID(0), name: name, owner: owner ?? session.settings.user.id)
        return .createSchema(BoundCreateSchema(definition: definition, ifNotExists: node.ifNotExists))
    }

    func bindAlterSchema(_ node: AlterSchemaStatement) throws -> BoundStatement {
        let schema = try requireSchema(node.name)
        if case .renameTo(let name) = node.action, session.catalog.schemas[name.text] != nil {
            throw SQLError(.duplicateSchema, "schema \"\(name)\" already exists", at: name.position)
        }
        return .alterSchema(BoundAlterSchema(schema: schema, action: node.action))
    }

    private func requireSchema(_ name: ObjectName) throws -> SchemaDefinition {
        guard let schema = session.catalog.schemas[name.name] else {
            throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.position)
        }
        return schema
    }

    // MARK: DROP

    func bindDrop(_ node: DropStatement) throws -> BoundDrop {
        var result = BoundDrop(objectKind: node.kind, targets: [], missing: [], cascade: node.cascade)
        for target in node.targets {
            guard let found = try dropTarget(node, target.name) else {
                result.missing.append(target.name.name)
                continue
            }
            result.targets.append(found)
            if case .relation(let relation) = found, !node.cascade { try checkDependents(relation, node) }
        }
        return result
    }

    private func dropTarget(_ node: DropStatement, _ name: ObjectName) throws -> BoundDrop.Target? {
        switch node.kind {
        case .table, .view:
            guard let relation = try session.findRelation(name) else {
                if node.ifExists { return nil }
                let noun = node.kind == .table ? "table" : "view"
                throw SQLError(.undefinedTable, "\(noun) \"\(name)\" does not exist", at: name.position)
            }
            let isView = if case .view = relation { true } else { false }
            if isView != (node.kind == .view) {
                throw SQLError(
                    .wrongObjectType, "\"\(name.name)\" is not a \(node.kind == .view ? "view" : "table")",
                    hint: "Use DROP \(isView ? "VIEW" : "TABLE") to remove a \(isView ? "view" : "table").",
                    at: name.position)
            }
            return .relation(relation)
        case .schema:
            if node.ifExists && session.catalog.schemas[name.name] == nil { return nil }
            let schema = try requireSchema(name)
            if !node.cascade && !session.catalog.relations(inSchema: schema.name).isEmpty {
                throw SQLError(
                    .dependentObjects, "cannot drop schema \(schema.name) because other objects depend on it",
                    hint: "Use DROP ... CASCADE to drop the dependent objects too.", at: name.position)
            }
            return .schema(schema)
        default:
            throw SQLError(
                .featureNotSupported, "DROP \(node.kind.rawValue) is not supported yet", at: node.position)
        }
    }

    private func checkDependents(_ relation: Relation, _ node: DropStatement) throws {
        let dropped = Set(node.targets.map(\.name.name))
        let views = session.catalog.dependents(of: relation.id).filter { !dropped.contains($0.name) }
        guard let first = views.first else { return }
        let noun = if case .view = relation { "view" } else { "table" }
        throw SQLError(
            .dependentObjects,
            "cannot drop \(noun) \(relation.name) because other objects depend on it",
            detail: "view \(first.name) depends on \(noun) \(relation.name)",
            hint: "Use DROP ... CASCADE to drop the dependent objects too.", at: node.position)
    }

    // MARK: COMMENT

    func bindComment(_ node: CommentStatement) throws -> BoundComment {
        BoundComment(target: try commentTarget(node), text: node.text)
    }

    private func column(_ name: Identifier, of view: ViewDefinition) throws -> Int {
        let outputs = try ViewExpansion(queries).expand(view, at: name.position).outputs
        guard let index = outputs.firstIndex(where: { $0.name == name.text }) else {
            throw SQLError(
                .undefinedColumn, "column \"\(name)\" of relation \"\(view.name)\" does not exist", at: name.position)
        }
        return index
    }

    private func commentTarget(_ node: CommentStatement) throws -> BoundComment.Target {
        switch node.kind {
        case .table, .view:
            guard let relation = try session.findRelation(node.name) else { throw session.unknownRelation(node.name) }
            return .relation(relation)
        case .column:
            guard node.name.parts.count > 1 else {
                throw SQLError(.syntaxError, "column name must be qualified", at: node.position)
            }
            let tableName = ObjectName(parts: Array(node.name.parts.dropLast()))
            if case .view(let view)? = try session.findRelation(tableName) {
                return .viewColumn(view, try column(node.name.last, of: view))
            }
            let table = try session.requireTable(tableName, for: "comment on a column of")
            return .column(table, try table.requireColumn(node.name.last))
        case .database: return .database(node.name.name)
        case .schema: return .schema(try requireSchema(node.name))
        default:
            throw SQLError(
                .featureNotSupported, "COMMENT ON \(node.kind.rawValue) is not supported yet", at: node.position)
        }
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
