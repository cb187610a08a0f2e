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
            guard orReplace else { throw definition.alreadyExists }
            guard case .view = existing else {
                throw SQLError(.wrongObjectType, "\"\(definition.name)\" is not a view")
            }
        }
        try execution.commit { catalog in
            var placed = definition
            placed.id = existing?.id ?? catalog.makeObjectID()
            if let existing { placed.owner = existing.owner }
            catalog.put(placed.object)
            if existing == nil { catalog.grantDefaults(on: placed.object) }
        }
        try execution.handler.end(tag: kind.name)
    }
}
