import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundCreateView: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE VIEW") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        let existing = rights.catalog.relation(schema: definition.schema, name: definition.name)
        if let existing { try rights.requireOwner(of: existing) }
        if !rights.session.has(system: "CREATE OR REPLACE VIEW") {
            try rights.requireCreate(inSchema: definition.schema)
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let existing = snapshot.catalog.relation(schema: definition.schema, name: definition.name)
        if let existing {
            guard orReplace else { throw SQLError(.duplicateTable, "Relation \"\(definition.name)\" already exists") }
            guard case .view = existing else {
                throw SQLError(.wrongObjectType, "\"\(definition.name)\" is not a view")
            }
        }
        try execution.commit { catalog in
            var placed = definition
            placed.id = existing?.id ?? catalog.makeObjectID()
            if let existing { placed.owner = existing.owner }
            catalog.put(.view(placed))
            if existing == nil { catalog.grantDefaults(on: .view(placed)) }
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundAlterView: StatementProgram {
    var kind: StatementKind { StatementKind("ALTER TABLE") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        try rights.requireOwner(of: .view(view))
        switch action {
        case .owner(let owner): try rights.requireSelf(owner)
        case .setSchema(let schema): try rights.requireCreate(inSchema: schema)
        case .rename: break
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            var changed = view
            switch action {
            case .owner(let name): try catalog.changeOwner(of: &changed, to: name)
            case .rename(let name):
                catalog.removeRelation(schema: view.schema, name: view.name)
                changed.name = name
            case .setSchema(let schema):
                guard catalog.relation(schema: schema, name: view.name) == nil else {
                    throw SQLError(.duplicateTable, "Relation \"\(view.name)\" already exists")
                }
                catalog.removeRelation(schema: view.schema, name: view.name)
                changed.schema = schema
            }
            catalog.put(.view(changed))
        }
        try execution.handler.end(tag: kind.name)
    }
}
