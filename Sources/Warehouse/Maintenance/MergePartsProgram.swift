import Catalog
import ColumnStore
import Workload

/// Puts the small files that checkpoints have left of a table together, in the background: many of them make every scan
/// slower. Holds the table's lock for the time of rewriting at most some hundred thousand rows.
struct MergePartsProgram: StatementProgram {
    let table: TableDefinition

    /// Files of a table that are left alone, and rows from which on a file is not small.
    static let leastFiles = 64
    private static let smallRows = 16_384

    var text: String { "vacuum merge \(CatalogArray.quoted(table.schema)).\(CatalogArray.quoted(table.name))" }
    var kind: StatementKind { StatementKind("VACUUM", .outside("VACUUM")) }
    var effects: StatementEffects {
        var effects = StatementEffects.definition(of: [table.id])
        effects.lock = .write
        effects.written = []
        effects.admission = .maintenance
        return effects
    }
    /// Nobody but the warehouse asks for it.
    func check(_ rights: StatementRights) throws { throw rights.notSuperuser("merge parts") }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if let data = snapshot.table(table.id) {
            // Files alone: rows in the log wait for a checkpoint.
            let small = try data.parts.filter { $0.isOnDisk && $0.rowCount < MergePartsProgram.smallRows }
            if small.count > MergePartsProgram.leastFiles {
                var change = StoreChange()
                change.removed = [table.id: Set(small.map(\.id))]
                change.added = [try execution.rewrite(small, of: data, as: data.definition)]
                try execution.apply(change, on: snapshot)
            }
        }
        try execution.handler.end(tag: kind.name)
    }
}
