import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

extension BoundDrop: StatementProgram {
    var kind: StatementKind { StatementKind("DROP \(objectKind.rawValue)") }
    var effects: StatementEffects {
        .definition(of: targets.compactMap { if case .relation(.table(let table)) = $0 { table.id } else { nil } })
    }

    func check(_ rights: StatementRights) throws {
        for target in targets {
            switch target {
            case .relation(let relation): try check(relation, rights)
            case .schema(let schema):
                if rights.session.has(system: "DROP SCHEMA") || rights.session.owns(schema.owner) { continue }
                if rights.session.privileges(on: schema).contains(.drop) { continue }
                throw rights.notOwner("schema \(schema.name)")
            }
        }
    }

    private func check(_ relation: Relation, _ rights: StatementRights) throws {
        let session = rights.session
        let noun = if case .view = relation { "VIEW" } else { "TABLE" }
        if session.has(system: "DROP \(noun)") || session.owns(relation.owner) { return }
        if session.privileges(on: relation, in: rights.catalog).contains(.drop) { return }
        if let schema = rights.catalog.schemas[relation.schema], session.owns(schema.owner) { return }
        throw rights.notOwner("relation \(relation.name)")
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.drop(self) }
}

extension StatementExecution {
    fileprivate func drop(_ drop: BoundDrop) throws {
        for name in drop.missing {
            handler.notice(
                "INFO:  \(drop.objectKind.rawValue.capitalizedWord) \"\(name)\" does not exist and will be skipped")
        }
        try commit { catalog in
            for target in drop.targets {
                switch target {
                case .relation(let relation): try self.remove(relation, cascade: drop.cascade, from: &catalog)
                case .schema(let schema): try self.remove(schema, cascade: drop.cascade, from: &catalog)
                }
            }
            catalog.forgetAccessOfDropped()
        }
        try handler.end(tag: drop.kind.name)
    }

    /// With CASCADE everything that depends on the relation goes as well, to any depth.
    private func remove(_ relation: Relation, cascade: Bool, from catalog: inout CatalogSnapshot) throws {
        let dependents = catalog.dependents(of: relation.id)
        if let first = dependents.first, !cascade {
            throw SQLError(
                .dependentObjects, "cannot drop \(relation.kind) \(relation.name) because other objects depend on it",
                detail: "view \(first.name) depends on \(relation.kind) \(relation.name)",
                hint: "Use DROP ... CASCADE to drop the dependent objects too.")
        }
        catalog.removeRelation(schema: relation.schema, name: relation.name)
        for view in dependents where catalog.relation(schema: view.schema, name: view.name) != nil {
            handler.notice("NOTICE:  drop cascades to view \(view.name)")
            try remove(.view(view), cascade: true, from: &catalog)
        }
    }

    private func remove(_ schema: SchemaDefinition, cascade: Bool, from catalog: inout CatalogSnapshot) throws {
        let inside = catalog.relations(inSchema: schema.name)
        if !inside.isEmpty && !cascade {
            throw SQLError(
                .dependentObjects, "cannot drop schema \(schema.name) because other objects depend on it",
                hint: "Use DROP ... CASCADE to drop the dependent objects too.")
        }
        for relation in inside where catalog.relation(id: relation.id) != nil {
            try remove(relation, cascade: true, from: &catalog)
        }
        catalog.removeSchema(schema.name)
    }
}

extension Relation {
    fileprivate var kind: String {
        switch self {
        case .table: "table"
        case .view: "view"
        }
    }
}
extension String {
    fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst().lowercased() }
}
