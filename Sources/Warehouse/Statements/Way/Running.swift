import Catalog
import ColumnStore

/// A statement's way: the program runs on the state that it was planned on.
extension StatementExecution {
    func run(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) throws {
        let transaction = self.transaction, effects = planned.effects
        if transaction.isExplicit && effects.settlesSnapshot { transaction.settle(snapshot) }
        if transaction.isExplicit || transaction.isolation == .serializable, effects.usesRows || !effects.isReadOnly {
            try warehouse.transactions.note(
                transaction, snapshot, reads: effects.tablesRead(planned.scanned), writes: effects.written,
                session: session.number)
        }
        try planned.program.run(self, snapshot)
    }
}
