import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

/// REFRESH MATERIALIZED VIEW: new rows take the place of the old ones in one commit, unless nothing has changed.
struct RefreshMaterializedViewProgram: StatementProgram {
    let node: BoundRefreshMaterializedView
    let plan: PhysicalQuery

    var kind: StatementKind { StatementKind("REFRESH MATERIALIZED VIEW") }
    var effects: StatementEffects {
        var effects = StatementEffects.definition(of: node.inner.map(\.id) + [node.view.id])
        effects.usesRows = true
        effects.admission = .createTableAs
        return effects
    }

    func check(_ rights: StatementRights) throws {
        for view in node.inner + [node.view] { try rights.requireOwner(of: .table(view)) }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        var work = RefreshWork(snapshot)
        for view in node.inner {
            let inner = try execution.refreshProgram(of: view, work.snapshot)
            try inner.refresh(execution, &work)
        }
        // Planned for what those were before: a larger table may be spread over the slices now.
        let isStale = work.entries.contains { $0.isChange }
        let own = try isStale ? execution.refreshProgram(of: node.view, work.snapshot) : self
        try own.refresh(execution, &work)
        if let change = work.change { try execution.apply(change, on: snapshot) }
        for entry in work.entries {
            execution.handler.notice("INFO:  Materialized view \(entry.name) \(entry.outcome.notice)")
            execution.warehouse.refreshLog.add(entry)
        }
        try execution.handler.end(tag: kind.name)
    }

    fileprivate func refresh(_ execution: StatementExecution, _ work: inout RefreshWork) throws {
        let start = execution.warehouse.time.wallMicroseconds(), snapshot = work.snapshot
        var outcome = RefreshLog.Outcome.unchanged
        if !isUpToDate(snapshot) {
            try work.add(try recompute(execution, snapshot), execution)
            outcome = .recomputed
        }
        work.entries.append(
            RefreshLog.Entry(
                user: execution.user.id, session: execution.session.number,
                transaction: execution.transactionNumber, view: node.view.id, schema: node.view.schema,
                name: node.view.name, startMicroseconds: start,
                endMicroseconds: execution.warehouse.time.wallMicroseconds(), outcome: outcome))
    }

    private func isUpToDate(_ snapshot: StoreSnapshot) -> Bool {
        guard node.isRepeatable, plan.isRepeatable, let query = node.view.materialized else { return false }
        return query.isUpToDate(snapshot) && query.sources.map(\.table) == node.scanned
    }

    private func recompute(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws -> StoreChange {
        var change = StoreChange()
        var table = node.view
        // Columns of the tables behind it may have become longer since.
        for (index, output) in node.source.outputs.enumerated() where table.columns.indices.contains(index) {
            table.columns[index].type = output.type == .unknown ? .text : output.type
        }
        let rows = InsertProgram(table: table, source: .plan(plan), identityColumns: [])
        let written = try execution.write(rows, snapshot, replacing: true)
        table.materialized?.isRepeatable = node.isRepeatable && plan.isRepeatable
        table.materialized?.sources = execution.sources(node.scanned, snapshot, &change)
        table.materialized?.viewDigest = snapshot.catalog.viewDigest(of: node.view.references)
        table.materialized?.transaction = execution.transactionNumber
        var catalog = snapshot.catalog
        catalog.put(.table(table))
        change.catalog = catalog
        change.emptied = [table.id]
        change.added = [written.parts]
        execution.rowCount += written.parts.rowCount
        return change
    }
}

/// What one statement refreshes: each view reads what those before it have got.
private struct RefreshWork {
    private let base: StoreSnapshot
    private(set) var snapshot: StoreSnapshot
    private(set) var change: StoreChange?
    var entries: [RefreshLog.Entry] = []

    init(_ snapshot: StoreSnapshot) {
        base = snapshot
        self.snapshot = snapshot
    }

    mutating func add(_ more: StoreChange, _ execution: StatementExecution) throws {
        var more = more
        more.mark(over: snapshot, execution.store)
        snapshot = try execution.session.located(execution.store.overlay(more, on: snapshot))
        if change == nil { change = more } else { change?.merge(more, base: base.state) }
    }
}

extension StatementExecution {
    /// Bound and planned anew, with the rights of whoever refreshes.
    fileprivate func refreshProgram(
        of view: TableDefinition, _ snapshot: StoreSnapshot
    ) throws -> RefreshMaterializedViewProgram {
        let name = ObjectName(parts: [Identifier(view.schema), Identifier(view.name)])
        let statement = RefreshMaterializedViewStatement(name: name, cascade: false, position: .unknown)
        let planned = try plan(.refreshMaterializedView(statement), snapshot).planned
        try authorise(planned, snapshot)
        guard let program = planned.program as? RefreshMaterializedViewProgram else {
            throw SQLError(.internalError, "\(view.name) is no materialized view")
        }
        return program
    }
}
