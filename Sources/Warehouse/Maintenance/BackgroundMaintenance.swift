import Catalog
import ColumnStore
import Platform
import SQLTypes
import Synchronization

/// What the warehouse does for itself. While nobody asks anything: ANALYZE of tables that have changed, VACUUM DELETE
/// ONLY of tables with many deleted rows; a statement of any other session cancels that, and it is tried again when the
/// warehouse is idle. At any time: new files of copy jobs are loaded (``CopyJobWatch``), and small files are put
/// together (``MergePartsProgram``), since under a steady load of changes they would grow in number without end. One
/// thread, one table at a time, in a session of its own.
final class BackgroundMaintenance: Sendable {
    /// How the work is chosen.
    struct Policy: Sendable {
        var analyzes = false
        var vacuums = false
        /// No statement must have run for so long.
        var idleMicroseconds: Int64 = 15_000_000
    }
    /// Share of rows that must have changed, or be deleted, before something is done.
    private static let changedPercent: Int64 = 10
    private static let deletedPercent = 10
    private static let leastDeletedRows = 1_000
    private static let roundNanoseconds: Int64 = 2_000_000_000

    private final class State: @unchecked Sendable {  // guarded by `monitor`
        var isStopping = false
        var isRunning = false
    }
    private let monitor = Monitor()
    private let state = State()
    private let policy: Policy
    let copyJobs: CopyJobWatch
    private let time: any TimeSource

    init(_ policy: Policy, _ time: any TimeSource) {
        self.policy = policy
        self.time = time
        copyJobs = CopyJobWatch(time)
    }

    /// - Parameter warehouse: not kept alive by the thread.
    func start(_ warehouse: Warehouse) throws {
        monitor.withLock { state.isRunning = true }
        do {
            try NativeThread.start(name: "maintenance") { [weak warehouse] in
                while self.waitForRound() {
                    guard let warehouse else { break }
                    self.round(warehouse)
                }
                self.monitor.withLock {
                    self.state.isRunning = false
                    self.monitor.wakeAll()
                }
            }
        } catch {
            monitor.withLock { state.isRunning = false }
            throw SQLError(error)
        }
    }

    /// Returns when the thread has ended; what it is doing is cancelled.
    func stop(_ sessions: SessionRegistry) {
        monitor.withLock {
            state.isStopping = true
            monitor.wakeAll()
        }
        sessions.cancelAutomatic()
        copyJobs.stop()
        monitor.withLock { while state.isRunning { monitor.wait() } }
    }

    private func waitForRound() -> Bool {
        monitor.withLock {
            if !state.isStopping {
                let next = time.monotonicNanoseconds() + BackgroundMaintenance.roundNanoseconds
                _ = time.wait(monitor, untilNanoseconds: next)
            }
            return !state.isStopping
        }
    }
    private var isStopping: Bool { monitor.withLock { state.isStopping } }

    // MARK: Work

    private func round(_ warehouse: Warehouse) {
        copyJobs.round(warehouse)
        do {
            try mergeParts(warehouse)
            guard isIdle(warehouse), let work = nextWork(warehouse) else { return }
            let session = try warehouse.connect(database: work.database)
            session.isAutomatic = true
            warehouse.sessions.markAutomatic(session.number)
            if !isStopping && isIdle(warehouse) { try session.query(work.statement) }
            try session.close()
        } catch {
            // What was cancelled or has failed is in the history, and is tried again in a later round.
        }
    }

    private func mergeParts(_ warehouse: Warehouse) throws {
        let snapshot = warehouse.store.snapshot()
        for table in snapshot.catalog.tablesOfAllDatabases where !isStopping {
            guard let data = snapshot.table(table.id), data.smallFileCount > MergePartsProgram.leastFiles else {
                continue
            }
            let session = try warehouse.connect()
            session.isAutomatic = true
            try session.run(MergePartsProgram(table: table))
            try session.close()
        }
    }

    private func isIdle(_ warehouse: Warehouse) -> Bool {
        let quiet = time.wallMicroseconds() - policy.idleMicroseconds
        return warehouse.sessions.isQuiet(since: quiet)
    }

    /// The statement for the table that needs it most; nil when all is well.
    private func nextWork(_ warehouse: Warehouse) -> (database: String, statement: String)? {
        let snapshot = warehouse.store.snapshot()
        var best: (share: Double, database: String, statement: String)?
        for catalog in snapshot.catalog.withinEach {
            guard let found = nextWork(warehouse, snapshot, catalog), found.share > best?.share ?? 0 else { continue }
            best = (found.share, catalog.database.name, found.statement)
        }
        return best.map { ($0.database, $0.statement) }
    }

    /// Of one database.
    private func nextWork(
        _ warehouse: Warehouse, _ snapshot: StoreSnapshot, _ catalog: CatalogSnapshot
    ) -> (share: Double, statement: String)? {
        // Replacing parts under an open block could make its changes conflict.
        let mayVacuum = policy.vacuums && warehouse.transactions.openTransactions.isEmpty
        var best: (share: Double, statement: String)?
        for case .table(let table) in catalog.allRelations where !table.isTemporary {
            guard let data = snapshot.table(table.id) else { continue }
            let name = CatalogArray.quoted(table.schema) + "." + CatalogArray.quoted(table.name)
            let deleted = data.deletedRowCount, stored = data.rowCount + deleted
            if mayVacuum && deleted >= BackgroundMaintenance.leastDeletedRows
                && deleted * 100 >= stored * BackgroundMaintenance.deletedPercent
            {
                let share = Double(deleted) / Double(stored)
                if share > best?.share ?? 0 { best = (share, "vacuum delete only \(name)") }
            }
            if policy.analyzes, let share = changedShare(table.id, data, warehouse.store.analyses),
                share > best?.share ?? 0
            {
                best = (share, "analyze \(name)")
            }
        }
        return best
    }

    private func changedShare(_ table: ObjectID, _ data: TableSnapshot, _ analyses: AnalysisRegistry) -> Double? {
        guard let analyzed = analyses.analyzed(table)?.analysis, let changed = analyses.changed(table) else {
            return data.rowCount > 0 ? 1 : nil
        }
        let rows = max(analyzed.rowCount, 1)
        guard changed.total > 0, changed.total * 100 >= rows * BackgroundMaintenance.changedPercent else { return nil }
        return min(Double(changed.total) / Double(rows), 1)
    }
}
