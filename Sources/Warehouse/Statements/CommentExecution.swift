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
        case .constraint(let table, _): try rights.requireOwner(of: Relation.table(table))
        case .schema(let schema):
            if !rights.session.owns(schema.owner) { throw rights.notOwner("schema \(schema.name)") }
        case .database(let database):
            if !rights.session.owns(database.owner) { throw rights.notOwner("database \(database.name)") }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            switch target {
            case .object(let object): catalog.put(object.with { $0.comment = text })
            case .column(let relation, let index): catalog.put(relation.commenting(column: index, text))
            case .database(var database):
                database.comment = text
                catalog.put(database)
            case .constraint(var table, let index):
                table.constraints[index].comment = text
                catalog.put(.table(table))
            case .schema(var schema):
                schema.comment = text
                catalog.put(schema)
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}
