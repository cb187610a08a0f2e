import Binder
import Catalog
import ColumnStore
import SQLTypes

extension BoundComment: StatementProgram {
    var kind: StatementKind { StatementKind("COMMENT") }
    var effects: StatementEffects { .definition() }

    func check(_ rights: StatementRights) throws {
        switch target {
        case .relation(let relation): try rights.requireOwner(of: relation)
        case .column(let table, _): try rights.requireOwner(of: .table(table))
        case .viewColumn(let view, _): try rights.requireOwner(of: .view(view))
        case .schema(let schema):
            if !rights.session.owns(schema.owner) { throw rights.notOwner("schema \(schema.name)") }
        case .database(let name):
            if !rights.session.owns(rights.catalog.databaseOwner) { throw rights.notOwner("database \(name)") }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.commit { catalog in
            switch target {
            case .relation(.table(var table)):
                table.comment = text
                catalog.put(.table(table))
            case .relation(.view(var view)):
                view.comment = text
                catalog.put(.view(view))
            case .column(var table, let index):
                table.columns[index].comment = text
                catalog.put(.table(table))
            case .viewColumn(var view, let index):
                view.columnComments[index] = text
                catalog.put(.view(view))
            case .database, .schema:
                throw SQLError(.featureNotSupported, "comments on databases and schemas are not kept yet")
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}
