import Catalog
import Workload

/// What a statement touches, known before it runs: from this come its locks, the check of serializable transactions,
/// what a read-only transaction refuses, and how it is admitted.
struct StatementEffects: Sendable {
    /// What must be as it was planned when the locks are held.
    enum Basis: Sendable {
        case wholeState
        /// New rows need the table's definition alone.
        case definition(TableDefinition)
    }

    /// Neither data nor definitions become others.
    var isReadOnly = true
    /// The session's own statements leave a block's snapshot open.
    var settlesSnapshot = true
    /// Rows that it scans go into its result or into tables.
    var usesRows = false
    /// Tables to be locked: those whose rows or definitions change.
    var tables: [ObjectID] = []
    var lock = TableLocks.Mode.exclusive
    /// Alone in its transaction others may add rows at the same time.
    var onlyAppends = false
    /// Tables whose contents or shape become others.
    var written: Set<ObjectID> = []
    /// What it writes depends on what the table was: true for everything but new rows.
    var dependsOnTarget = true
    var basis = Basis.wholeState
    /// How it gets its share of the machine; nil: the leader alone does it, at once. So it does a `select` of catalogs
    /// and constants only.
    var admission: AdmissionRequest.Kind?

    /// Of the session's own state.
    static let session: StatementEffects = {
        var effects = StatementEffects()
        effects.settlesSnapshot = false
        return effects
    }()

    /// It reads definitions or what the session keeps.
    static let lookup = StatementEffects()

    /// It reads rows.
    static let query: StatementEffects = {
        var effects = StatementEffects()
        effects.usesRows = true
        effects.admission = .select
        return effects
    }()

    /// Rows of a table become others.
    static func change(of table: TableDefinition) -> StatementEffects {
        var effects = StatementEffects.query
        effects.admission = .change
        effects.isReadOnly = false
        effects.tables = [table.id]
        effects.lock = .write
        effects.written = [table.id]
        return effects
    }

    /// New rows of a table, from a query or from files.
    static func addition(to table: TableDefinition, onlyAppends: Bool = false) -> StatementEffects {
        var effects = StatementEffects.change(of: table)
        effects.onlyAppends = onlyAppends
        effects.dependsOnTarget = false
        return effects
    }

    /// Definitions become others, with or without a table's rows.
    static func definition(of tables: [ObjectID] = []) -> StatementEffects {
        var effects = StatementEffects()
        effects.isReadOnly = false
        effects.tables = tables
        effects.written = Set(tables)
        return effects
    }

    /// For the check of serializable transactions.
    func tablesRead(_ scanned: Set<ObjectID>) -> Set<ObjectID> {
        let read = usesRows ? scanned : []
        return dependsOnTarget ? read.union(written) : read
    }

    func changesOnlyTemporaryTables(_ catalog: CatalogSnapshot) -> Bool {
        guard lock == .write, !tables.isEmpty else { return false }
        return tables.allSatisfy { id in
            if case .table(let table)? = catalog.relation(id: id) { table.isTemporary } else { false }
        }
    }
}
