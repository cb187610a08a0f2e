import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes

extension StatementExecution {
    /// Catalogs are of the database that the session is connected to, whatever it uses.
    ///
    /// - Parameter overTables: for a plan that reads tables; its rows may not change settings.
    func systemSnapshot(_ snapshot: StoreSnapshot, overTables: Bool = false) -> SystemSnapshot {
        let own = ThreadIdentity()
        return SystemSnapshot(
            store: snapshot.within(session.database) ?? snapshot, time: warehouse.time, shape: warehouse.shape,
            log: warehouse.log,
            sessions: warehouse.sessions,
            transactions: warehouse.transactions, vacuums: warehouse.vacuumLog,
            analyzes: warehouse.analyzeLog, compressions: warehouse.compressionLog,
            procedures: warehouse.procedureLog, refreshes: warehouse.refreshLog,
            crashes: warehouse.crashes, workload: warehouse.workload,
            usage: warehouse.scalingUsage, analyses: store.analyses,
            lists: warehouse.catalogLists,
            account: user, accounts: accounts, temporarySchema: session.temporarySchema, sessionNumber: session.number,
            settings: session.settings, namespace: { [warehouse] in warehouse.namespace },
            setParameter: { [session] name, value, isLocal in
                // The session's settings are its own thread's; rows of tables are on all workers'.
                guard !overTables, own.isCurrent else {
                    throw SQLError(
                        .featureNotSupported, "set_config is not supported in queries over tables",
                        detail: "It runs on the leader node.")
                }
                try session.setParameter(name, value, isLocal: isLocal)
                // Without a block a local value is over with this statement, which shows it all the same.
                var settings = session.settings
                try settings.set(name, value)
                return try settings.value(name)
            },
            viewColumns: viewColumns(snapshot), cancellation: cancellation,
            savedSnapshots: { [store] in try store.savedSnapshots() },
            memory: { [warehouse] in warehouse.memoryAccounts() },
            copyJobLook: { [warehouse] in warehouse.copyJobs.look($0) })
    }

    /// Binds a view's text as a query of it would.
    private func viewColumns(_ snapshot: StoreSnapshot) -> @Sendable (ViewDefinition) -> [SystemColumn]? {
        let settings = session.settings
        // Who may see the view's name may see its columns.
        var reader = user
        reader.isSuperuser = true
        let user = reader
        let (cancellation, memory) = (self.cancellation, warehouse.budget)
        return { view in
            // A view that is too large to be read has no columns, and is no reason for the others to have none.
            let budget = PlanningBudget(cancellation, memory: memory, limit: settings.memoryLimitBytes)
            var reading = BinderSettings(user: user, budget: budget)
            (reading.datetime.order, reading.datetime.zone) = StoredText.dates(of: view.query)
            let binder = Binder(
                catalog: snapshot.catalog.within(databaseOf: .view(view)), searchPath: settings.searchPath,
                settings: reading, systemRelations: SystemRelations())
            let bound: LogicalQuery
            do {
                let options = StoredText.options(of: view.query)
                bound = try binder.bindQuery(try Parser.parseQuery(view.query, options: options, budget: budget))
            } catch {
                return nil
            }
            return bound.outputs.enumerated().map { index, output in
                let name = index < view.columnNames.count ? view.columnNames[index] : output.name
                return SystemColumn(name, output.type)
            }
        }
    }
}
