import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

extension StatementExecution {
    func createTable(_ definition: TableDefinition, ifNotExists: Bool, _ snapshot: StoreSnapshot) throws {
        if try skipExisting(definition.schema, definition.name, ifNotExists, definition.isTemporary, snapshot) {
            return try handler.end(tag: "CREATE TABLE")
        }
        try commit { catalog in
            let table = self.place(definition, in: &catalog)
            catalog.put(.table(table))
            catalog.grantDefaults(on: .table(table))
        }
        try handler.end(tag: "CREATE TABLE")
    }

    /// Gives a new definition its id, and a temporary one its schema.
    func place(_ definition: TableDefinition, in catalog: inout CatalogSnapshot) -> TableDefinition {
        var table = definition
        table.id = catalog.makeObjectID()
        if table.isTemporary {
            table.schema = session.temporarySchema
            if catalog.schemas[table.schema] == nil {
                let id = catalog.makeObjectID()
                catalog.put(SchemaDefinition(id: id, name: table.schema, owner: table.owner))
            }
        }
        return table
    }

    /// True when the relation exists and IF NOT EXISTS forgives it.
    func skipExisting(
        _ schema: String, _ name: String, _ ifNotExists: Bool, _ isTemporary: Bool, _ snapshot: StoreSnapshot
    ) throws -> Bool {
        let schema = isTemporary ? session.temporarySchema : schema
        guard snapshot.catalog.relation(schema: schema, name: name) != nil else { return false }
        guard ifNotExists else {
            throw SQLError(.duplicateTable, "Relation \"\(name)\" already exists")
        }
        handler.notice("INFO:  Relation \"\(name)\" already exists and will be skipped")
        return true
    }

    func createView(_ view: ViewDefinition, orReplace: Bool, _ snapshot: StoreSnapshot) throws {
        let existing = snapshot.catalog.relation(schema: view.schema, name: view.name)
        if let existing {
            guard orReplace else { throw SQLError(.duplicateTable, "Relation \"\(view.name)\" already exists") }
            guard case .view = existing else {
                throw SQLError(.wrongObjectType, "\"\(view.name)\" is not a view")
            }
        }
        try commit { catalog in
            var placed = view
            placed.id = existing?.id ?? catalog.makeObjectID()
            if let existing { placed.owner = existing.owner }
            catalog.put(.view(placed))
            if existing == nil { catalog.grantDefaults(on: .view(placed)) }
        }
        try handler.end(tag: "CREATE VIEW")
    }

    func alterView(_ view: ViewDefinition, _ action: BoundAlterTable.Action) throws {
        try commit { catalog in
            var changed = view
            switch action {
            case .owner(let name): try catalog.changeOwner(of: &changed, to: name)
            case .renameTable(let name):
                catalog.removeRelation(schema: view.schema, name: view.name)
                changed.name = name
            case .setSchema(let schema):
                guard catalog.relation(schema: schema, name: view.name) == nil else {
                    throw SQLError(.duplicateTable, "Relation \"\(view.name)\" already exists")
                }
                catalog.removeRelation(schema: view.schema, name: view.name)
                changed.schema = schema
            default: break
            }
            catalog.put(.view(changed))
        }
        try handler.end(tag: "ALTER TABLE")
    }

    func truncate(_ table: TableDefinition, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        change.emptied = [table.id]
        try apply(change, on: snapshot)
        try handler.end(tag: "TRUNCATE TABLE")
    }

    func createSchema(_ schema: SchemaDefinition, ifNotExists: Bool, _ snapshot: StoreSnapshot) throws {
        if snapshot.catalog.schemas[schema.name] != nil {
            guard ifNotExists else {
                throw SQLError(.duplicateSchema, "Schema \"\(schema.name)\" already exists")
            }
            handler.notice("INFO:  Schema \"\(schema.name)\" already exists and will be skipped")
            return try handler.end(tag: "CREATE SCHEMA")
        }
        try commit { catalog in
            var placed = schema
            placed.id = catalog.makeObjectID()
            catalog.put(placed)
        }
        try handler.end(tag: "CREATE SCHEMA")
    }

    func alterSchema(
        _ schema: SchemaDefinition, _ action: AlterSchemaStatement.Action, _ snapshot: StoreSnapshot
    ) throws {
        switch action {
        case .renameTo(let name):
            if snapshot.catalog.schemas[name.text] != nil {
                throw SQLError(.duplicateSchema, "Schema \"\(name.text)\" already exists")
            }
            try commit { $0.renameSchema(schema.name, to: name.text) }
        case .ownerTo(let owner):
            try commit { catalog in
                try catalog.changeOwner(of: schema, to: owner)
            }
        case .quota: break
        }
        try handler.end(tag: "ALTER SCHEMA")
    }

    func comment(_ comment: BoundComment, _ snapshot: StoreSnapshot) throws {
        try commit { catalog in
            switch comment.target {
            case .relation(.table(var table)):
                table.comment = comment.text
                catalog.put(.table(table))
            case .relation(.view(var view)):
                view.comment = comment.text
                catalog.put(.view(view))
            case .column(var table, let index):
                table.columns[index].comment = comment.text
                catalog.put(.table(table))
            case .viewColumn(var view, let index):
                view.columnComments[index] = comment.text
                catalog.put(.view(view))
            case .database, .schema:
                throw SQLError(.featureNotSupported, "comments on databases and schemas are not kept yet")
            }
        }
        try handler.end(tag: "COMMENT")
    }
}

extension CatalogSnapshot {
    fileprivate mutating func renameSchema(_ old: String, to new: String) {
        guard var schema = schemas[old] else { return }
        let moved = relations(inSchema: old)
        removeSchema(old)
        schema.name = new
        put(schema)
        for relation in moved {
            switch relation {
            case .table(var table):
                table.schema = new
                put(.table(table))
            case .view(var view):
                view.schema = new
                put(.view(view))
            }
        }
    }
}
