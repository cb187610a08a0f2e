import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

/// RESIZE CLUSTER: all rows are written again for other numbers of nodes and slices. Other statements wait; blocks of
/// other sessions must have ended.
extension ResizeStatement: StatementProgram {
    var kind: StatementKind { StatementKind("RESIZE CLUSTER", .outside("RESIZE CLUSTER")) }
    var effects: StatementEffects { .definition() }
    func check(_ rights: StatementRights) throws { throw rights.notSuperuser("resize the cluster") }
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.resize(self) }
}

extension StatementExecution {
    fileprivate func resize(_ statement: ResizeStatement) throws {
        let present = warehouse.shape
        guard (1...128).contains(statement.nodes), (1...256).contains(statement.slices ?? 1) else {
            throw SQLError(
                .invalidParameterValue, "a warehouse has 1 to 128 nodes with 1 to 256 slices each",
                at: statement.position)
        }
        let shape = ClusterShape(
            nodes: Int(statement.nodes), slicesPerNode: statement.slices.map { Int($0) } ?? present.slicesPerNode)
        let isDone: Void? = try warehouse.gate.alone(cancellation) {
            guard warehouse.transactions.openTransactions.allSatisfy({ !$0.isExplicit }) else {
                throw SQLError(
                    .objectInUse, "RESIZE CLUSTER needs that no other session is in a transaction block",
                    hint: "SVV_TRANSACTIONS shows them; PG_TERMINATE_BACKEND ends them.")
            }
        } _: {
            if shape != present { try warehouse.resize(to: shape) { try rewriteAll(into: $0, $1) } }
        }
        if isDone == nil { throw SQLError(.objectInUse, "another RESIZE CLUSTER is running") }
        try handler.end(tag: statement.kind.name)
    }

    /// All tables of a state, for a new store.
    private func rewriteAll(into new: Store, _ state: StoreSnapshot) throws -> StoreChange {
        var change = StoreChange()
        change.catalog = state.catalog
        for definition in state.catalog.tablesOfAllDatabases {
            for column in definition.columns {
                let key = IdentityKey(table: definition.id, column: column.id)
                if let next = state.nextIdentity(key) { change.identity[key] = next }
            }
            guard let table = state.table(definition.id), table.rowCount > 0 else { continue }
            change.added.append(try rewrite(try table.parts, of: table, as: definition, into: new))
        }
        return change
    }
}
