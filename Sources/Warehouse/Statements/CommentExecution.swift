import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundComment: StatementProgram {
    var kind: StatementKind { StatementKind("COMMENT") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        switch target {
        case .object(let object): try rights.requireOwner(of: object)
        case .column(let relation, _): try rights.requireOwner(of: relation)
        case .schema(let schema):
            if !rights.session.owns(schema.owner) { throw rights.notOwner("schema \(schema.name)") }
        case .database(let name):
            if !rights.session.owns(rights.catalog.databaseOwner) { throw rights.notOwner("database \(name)") }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            switch target {
            case .object(let object): catalog.put(object.with { $0.comment = text })
            case .column(let relation, let index): catalog.put(relation.commenting(column: index, text))
            case .database, .schema:
                throw SQLError(.featureNotSupported, "comments on databases and schemas are not kept yet")
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}
