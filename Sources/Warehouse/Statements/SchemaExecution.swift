import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

extension BoundCreateSchema: StatementProgram {
    var kind: StatementKind { StatementKind("CREATE SCHEMA") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        if !rights.session.has(system: "CREATE SCHEMA") { try rights.requireCreateOnDatabase() }
        if definition.owner != rights.session.user.id { throw rights.notSelf() }
        if setsQuota { throw rights.mayNotSetQuota }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if snapshot.catalog.schemas[definition.name] != nil {
            guard ifNotExists else {
                throw SQLError(.duplicateSchema, "Schema \"\(definition.name)\" already exists")
            }
            execution.handler.notice("INFO:  Schema \"\(definition.name)\" already exists and will be skipped")
            return try execution.handler.end(tag: kind.name)
        }
        try execution.commit { catalog in
            var placed = definition
            placed.id = catalog.makeObjectID()
            catalog.put(placed)
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension BoundAlterSchema: StatementProgram {
    var kind: StatementKind { StatementKind("ALTER SCHEMA") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        let privileges = rights.session.privileges(on: schema, in: rights.catalog)
        guard rights.session.owns(schema.owner) || privileges.contains(.alter) else {
            throw rights.notOwner("schema \(schema.name)")
        }
        switch action {
        case .renameTo: try rights.requireCreateOnDatabase()
        case .ownerTo(let owner): try rights.requireSelf(owner.text)
        case .quota: throw rights.mayNotSetQuota
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        switch action {
        case .renameTo(let name):
            if snapshot.catalog.schemas[name.text] != nil {
                throw SQLError(.duplicateSchema, "Schema \"\(name.text)\" already exists")
            }
            try execution.commit { $0.renameSchema(schema.name, to: name.text) }
        case .ownerTo(let owner): try execution.commit { try $0.changeOwner(of: schema, to: owner) }
        case .quota(let quota):
            try execution.commit { catalog in
                var changed = schema
                changed.quotaMegabytes = quota.limitMegabytes
                catalog.put(changed)
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}

extension StatementRights {
    fileprivate var mayNotSetQuota: SQLError {
        SQLError(.insufficientPrivilege, "must be superuser to set quotas of schemas")
    }
}

extension CatalogSnapshot {
    fileprivate mutating func renameSchema(_ old: String, to new: String) {
        guard var schema = schemas[old] else { return }
        let moved = objects(inSchema: old)
        removeSchema(old)
        schema.name = new
        put(schema)
        for object in moved { put(object.with { $0.schema = new }) }
    }
}
