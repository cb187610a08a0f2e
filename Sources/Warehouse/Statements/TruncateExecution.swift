import Binder
import Catalog
import ColumnStore

extension BoundTruncate: StatementProgram {
    var kind: StatementKind { StatementKind("TRUNCATE TABLE", .commitsBlock) }
    var effects: StatementEffects { .definition(of: [table.id]) }

    func check(_ rights: StatementRights) throws {
        if !rights.session.has(system: "TRUNCATE TABLE") { try rights.require(.truncate, on: table) }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        change.emptied = [table.id]
        try execution.apply(change, on: snapshot)
        try execution.handler.end(tag: kind.name)
    }
}
