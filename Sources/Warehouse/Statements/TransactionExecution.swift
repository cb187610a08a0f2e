import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

/// BEGIN, COMMIT and ROLLBACK: about the block itself, so they run also where it has failed.
extension TransactionStatement: StatementProgram {
    var kind: StatementKind { StatementKind("TRANSACTION", .ownRule) }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) {}

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        switch command {
        case .begin: try begin(execution)
        case .commit:
            let session = execution.session
            if session.transaction == nil { execution.handler.notice("WARNING:  there is no transaction in progress") }
            let failed = session.transaction?.hasFailed ?? false
            try session.commitTransaction()
            try execution.handler.end(tag: failed ? "ROLLBACK" : "COMMIT")
        case .rollback:
            let session = execution.session
            if session.transaction == nil { execution.handler.notice("WARNING:  there is no transaction in progress") }
            session.rollBackTransaction()
            try execution.handler.end(tag: "ROLLBACK")
        }
    }

    private func begin(_ execution: StatementExecution) throws {
        let session = execution.session
        if session.transaction != nil {
            execution.handler.notice("WARNING:  there is already a transaction in progress")
        } else {
            var modes = session.defaultTransactionModes
            if let words = isolationLevel, let level = IsolationLevel(words: words) { modes.isolation = level }
            if let readOnly { modes.isReadOnly = readOnly }
            session.transaction = session.warehouse.transactions.begin(
                session: session.number, isExplicit: true, modes: modes)
        }
        try execution.handler.end(tag: "BEGIN")
    }
}

/// LOCK: its tables are locked when it runs; outside of a block they would be free again at once.
extension BoundLock: StatementProgram {
    var kind: StatementKind {
        StatementKind("LOCK TABLE", .inside("LOCK TABLE can only be used in transaction blocks"))
    }
    var effects: StatementEffects {
        var effects = StatementEffects.definition(of: tables.map(\.id))
        effects.written = []
        effects.settlesSnapshot = false
        return effects
    }

    func check(_ rights: StatementRights) throws {
        for table in tables {
            let held = rights.session.privileges(on: .table(table), in: rights.catalog)
            if held.isDisjoint(with: [.update, .delete, .truncate]) { throw rights.denied("relation \(table.name)") }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.handler.end(tag: kind.name)
    }
}
