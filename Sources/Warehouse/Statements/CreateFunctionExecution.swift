import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundCreateFunction: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE FUNCTION") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        if let existing = rights.catalog.functions[definition.schema]?[definition.signature] {
            try rights.requireOwner(of: .function(existing))
        }
        if rights.session.has(system: definition.kind.facts.creation) { return }
        try rights.requireCreate(inSchema: definition.schema)
        let language = rights.session.privileges(on: .language("sql"), owner: UserDefinition.bootstrapID)
        if !language.contains(.usage) { throw rights.denied("language sql") }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let existing = snapshot.catalog.functions[definition.schema]?[definition.signature]
        if let existing, !orReplace { throw existing.alreadyExists }
        try execution.commit { catalog in
            var placed = definition
            placed.id = existing?.id ?? catalog.makeObjectID()
            if let existing {
                placed.owner = existing.owner
                placed.comment = existing.comment
            }
            catalog.put(placed.object)
            if existing == nil { catalog.grantDefaults(on: placed.object) }
        }
        try execution.handler.end(tag: kind.name)
    }
}
