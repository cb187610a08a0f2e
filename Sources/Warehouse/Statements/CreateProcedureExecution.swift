import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundCreateProcedure: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE PROCEDURE") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        if let existing = rights.catalog.procedures[definition.schema]?[definition.signature] {
            try rights.requireOwner(of: .procedure(existing))
        }
        if rights.session.has(system: definition.kind.facts.creation) { return }
        try rights.requireCreate(inSchema: definition.schema)
        let language = rights.session.privileges(on: .language("plpgsql"), owner: UserDefinition.bootstrapID)
        if !language.contains(.usage) { throw rights.denied("language plpgsql") }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        // A parameter that does not exist, or not with the value, is refused here and not by each call.
        var settings = execution.session.settings
        for setting in definition.settings { try settings.set(setting.name, setting.value) }
        let existing = snapshot.catalog.procedures[definition.schema]?[definition.signature]
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
