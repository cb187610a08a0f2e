import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// DROP of schemas and of what lives in them.
extension StatementBinder {
    func bindDrop(_ node: DropStatement) throws -> BoundDrop {
        var result = BoundDrop(noun: node.kind, targets: [], missing: [], cascade: node.cascade)
        for target in node.targets {
            guard let found = try dropTarget(node, target) else {
                result.missing.append(target.name.name)
                continue
            }
            result.targets.append(found)
        }
        if !node.cascade { try checkDependents(result, at: node.position) }
        return result
    }

    private func dropTarget(_ node: DropStatement, _ target: DropStatement.Target) throws -> BoundDrop.Target? {
        let name = target.name
        if node.kind == .schema {
            try session.checkDatabase(ofSchema: name)
            if node.ifExists && session.catalog.schemas[name.name] == nil { return nil }
            let schema = try requireSchema(name)
            if !node.cascade && !session.catalog.objects(inSchema: schema.name).isEmpty {
                throw SQLError(
                    .dependentObjects, "cannot drop schema \(schema.name) because other objects depend on it",
                    hint: "Use DROP ... CASCADE to drop the dependent objects too.", at: name.position)
            }
            return .schema(schema)
        }
        guard let kind = ObjectKind(words: node.kind.rawValue) else {
            throw RefusedStatement.error("DROP \(node.kind.rawValue)", at: node.position)
        }
        guard let object = try session.findObject(kind, name, arguments: target.argumentTypes) else {
            if node.ifExists { return nil }
            throw session.unknownObject(kind, name, arguments: target.argumentTypes)
        }
        guard object.kind == kind else {
            throw SQLError(
                .wrongObjectType, "\"\(name.name)\" is not a \(kind.noun)",
                hint: "Use DROP \(object.kind.words) to remove a \(object.kind.noun).", at: name.position)
        }
        return .object(object)
    }

    /// What goes with the same statement does not count.
    private func checkDependents(_ drop: BoundDrop, at position: SourcePosition) throws {
        let objects = drop.targets.compactMap { if case .object(let object) = $0 { object } else { nil } }
        let gone = Set(objects.map(\.id))
        for object in objects {
            guard let first = session.catalog.needs(of: object, besides: gone).first else { continue }
            throw object.cannotBeDropped(because: first, at: position.offset)
        }
    }
}

extension CatalogSnapshot {
    /// What keeps an object from being dropped alone, in words.
    package func needs(of object: CatalogObject, besides gone: Set<ObjectID>) -> [String] {
        let keys = object.kind == .table ? foreignKeys(to: object.id).filter { !gone.contains($0.table.id) } : []
        return dependents(of: object.id).filter { !gone.contains($0.id) }.map { "\($0.kind.noun) \($0.title)" }
            + keys.map { "constraint \($0.constraint.name) on table \($0.table.name)" }
    }
}

extension CatalogObject {
    package func cannotBeDropped(because need: String, at offset: Int? = nil) -> SQLError {
        var error = SQLError(
            .dependentObjects, "cannot drop \(kind.noun) \(title) because other objects depend on it",
            detail: "\(need) depends on \(kind.noun) \(title)",
            hint: "Use DROP ... CASCADE to drop the dependent objects too.")
        error.position = offset
        return error
    }
}
