import Binder
import Catalog
import SQLTypes

extension StatementExecution {
    /// Views that read this one keep reading it: their dependencies are ids.
    func alterView(_ change: BoundAlterView) throws {
        try commit { catalog in
            var view = change.view
            catalog.removeRelation(schema: view.schema, name: view.name)
            for action in change.actions {
                switch action {
                case .rename(let name): view.name = name
                case .owner(let owner): view.owner = owner
                case .setSchema(let schema): view.schema = schema
                }
            }
            guard catalog.relation(schema: view.schema, name: view.name) == nil else {
                throw SQLError(.duplicateTable, "Relation \"\(view.name)\" already exists")
            }
            catalog.put(.view(view))
        }
        try handler.end(tag: "ALTER TABLE")
    }
}
