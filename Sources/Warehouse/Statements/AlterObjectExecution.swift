import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundAlterObject: StatementProgram {
    /// Redshift changes views by ALTER TABLE.
    var kind: StatementKind {
        StatementKind(object.kind.facts.relationKind == nil ? "ALTER \(object.kind.words)" : "ALTER TABLE")
    }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        try rights.requireOwner(of: object)
        switch action {
        case .owner(let owner): try rights.requireSelf(owner)
        case .setSchema(let schema): try rights.requireCreate(inSchema: schema)
        case .rename: break
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            let changed: CatalogObject
            switch action {
            case .owner(let name):
                let owner = try catalog.handOver(object.definition, to: name)
                changed = object.with { $0.owner = owner }
            case .rename(let name): changed = object.with { $0.name = name }
            case .setSchema(let schema): changed = object.with { $0.schema = schema }
            }
            catalog.remove(object)
            if let occupant = catalog.occupant(ofPlaceOf: changed) { throw occupant.alreadyExists }
            catalog.put(changed)
        }
        try execution.handler.end(tag: kind.name)
    }
}
