import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// COMMENT.
extension StatementBinder {
    func bindComment(_ node: CommentStatement) throws -> BoundComment {
        BoundComment(target: try commentTarget(node), text: node.text)
    }

    private func commentTarget(_ node: CommentStatement) throws -> BoundComment.Target {
        switch node.kind {
        case .column: return try column(node)
        case .constraint: return try constraint(node)
        case .database: return .database(try session.requireDatabase(node.name.last))
        case .schema: return .schema(try requireSchema(node.name))
        default: break
        }
        guard let kind = ObjectKind(words: node.kind.rawValue) else {
            throw RefusedStatement.error("COMMENT ON \(node.kind.rawValue)", at: node.position)
        }
        guard let object = try session.findObject(kind, node.name, arguments: node.argumentTypes) else {
            throw kind.facts.relationKind == nil
                ? session.unknownObject(kind, node.name, arguments: node.argumentTypes)
                : session.unknownRelation(node.name)
        }
        return .object(object)
    }

    private func constraint(_ node: CommentStatement) throws -> BoundComment.Target {
        guard let name = node.table else {
            throw SQLError(.syntaxError, "COMMENT ON CONSTRAINT needs ON and a table", at: node.position)
        }
        let table = try session.requireTable(name, for: "comment on a constraint of")
        guard let index = table.constraints.firstIndex(where: { $0.name == node.name.name }) else {
            throw SQLError(
                .undefinedObject, "constraint \"\(node.name.name)\" for table \"\(table.name)\" does not exist",
                at: node.name.position)
        }
        return .constraint(table, index)
    }

    private func column(_ node: CommentStatement) throws -> BoundComment.Target {
        guard node.name.parts.count > 1 else {
            throw SQLError(.syntaxError, "column name must be qualified", at: node.position)
        }
        let relationName = ObjectName(parts: Array(node.name.parts.dropLast()))
        if case .view(let view)? = try session.findRelation(relationName) {
            return .column(.view(view), try column(node.name.last, of: view))
        }
        let table = try session.requireTable(relationName, for: "comment on a column of", mayBeView: true)
        return .column(.table(table), try table.requireColumn(node.name.last))
    }

    /// Late-binding views know their columns only when they are bound.
    private func column(_ name: Identifier, of view: ViewDefinition) throws -> Int {
        let outputs = try ViewExpansion(queries).expand(view, at: name.position).outputs
        guard let index = outputs.firstIndex(where: { $0.name == name.text }) else {
            throw SQLError(
                .undefinedColumn, "column \"\(name)\" of relation \"\(view.name)\" does not exist", at: name.position)
        }
        return index
    }
}
