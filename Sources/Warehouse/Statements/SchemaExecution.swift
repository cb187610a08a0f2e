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
        try execution.inBlock(if: !elements.isEmpty) {
            try execution.commit { catalog in
                var placed = definition
                placed.id = catalog.makeObjectID()
                catalog.put(placed)
            }
            try execution.make(elements, inSchema: definition.name)
            if !elements.isEmpty { try execution.commit(handOver) }
        }
        try execution.handler.end(tag: kind.name)
    }

    /// What is made with the schema belongs to its owner, whoever made it.
    private func handOver(_ catalog: inout CatalogSnapshot) {
        for relation in catalog.relations(inSchema: definition.name) where relation.owner != definition.owner {
            catalog.put(CatalogObject.relation(relation).with { $0.owner = definition.owner })
        }
    }
}

extension StatementExecution {
    /// What `body` does is done as a whole or not at all: in the session's block, or in one for this alone.
    fileprivate func inBlock(if isNeeded: Bool, _ body: () throws -> Void) throws {
        guard isNeeded, session.transaction == nil else { return try body() }
        endOwnTransaction()
        session.transaction = warehouse.transactions.begin(
            session: session.number, isExplicit: true, modes: session.defaultTransactionModes)
        do {
            try body()
        } catch {
            session.rollBackTransaction()
            throw error
        }
        try session.commitTransaction()
    }

    /// Elements of CREATE SCHEMA: statements of their own, whose names are looked up in the new schema first.
    fileprivate func make(_ elements: [Statement], inSchema schema: String) throws {
        if elements.isEmpty { return }
        let path = session.settings["search_path"]
        try session.settings.set("search_path", "\"\(schema)\", \(path)")
        var failure: (any Error)?
        do {
            for element in elements {
                let inner = StatementExecution(
                    session: session, queryID: queryID, text: text, budget: budget, handler: QueryResult())
                let parsed = ParsedStatement(statement: element, byteRange: 0..<0, parameterCount: 0)
                try inner.follow(.parsed(parsed, text))
            }
        } catch {
            failure = error
        }
        try session.settings.set("search_path", path)
        if let failure { throw failure }
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
