import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLSyntax
import SQLTypes
import Synchronization
import Workload

/// VACUUM: parts are read, written again in the table's order without deleted rows, and replaced in one commit. Readers
/// go on with the old parts; a crash leaves either the old or the new ones.
extension BoundVacuum: StatementProgram {
    var kind: StatementKind { StatementKind("VACUUM", .outside("VACUUM")) }
    var effects: StatementEffects {
        // It locks one table after the other while it runs.
        var effects = StatementEffects.definition()
        effects.admission = .maintenance
        return effects
    }
    /// The tables of others are left out when it runs.
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws { try execution.vacuum(self, snapshot) }
}

extension StatementExecution {
    fileprivate func vacuum(_ node: BoundVacuum, _ snapshot: StoreSnapshot) throws {
        let statement = node.statement
        try store.checkpoint()
        let tables = statementRights(snapshot).maintained(
            node.tables, "VACUUM", names: statement.table != nil, handler.notice)
        for definition in tables {
            try vacuum(definition, statement)
            // One table at a time: others may be written while this one is done.
            warehouse.transactions.locks.releaseAll(
                TableLocks.Owner(transaction: transaction.number, session: session.number))
        }
        try handler.end(tag: "VACUUM")
    }

    private func vacuum(_ definition: TableDefinition, _ statement: VacuumStatement) throws {
        let log = warehouse.vacuumLog
        log.begin(definition.name, now: warehouse.time.wallMicroseconds())
        do {
            _ = try lock([definition.id], .exclusive)
            let snapshot = store.settledSnapshot()
            guard let table = snapshot.table(definition.id) else { return log.step("Skipped") }
            try vacuum(table, statement, snapshot)
        } catch {
            log.step("Failed")
            throw error
        }
    }

    private func vacuum(_ table: TableSnapshot, _ statement: VacuumStatement, _ snapshot: StoreSnapshot) throws {
        let log = warehouse.vacuumLog
        let id = table.definition.id
        let plan = try VacuumPlan(table, statement.kind, threshold: statement.thresholdPercent)
        var entry = VacuumLog.Entry(
            user: session.effectiveUser,
            transaction: transaction.number, query: queryID, table: id, name: table.definition.name,
            kind: statement.kind, threshold: statement.thresholdPercent ?? 95, isAutomatic: session.isAutomatic,
            rowsBefore: table.rowCount, sortedRowsBefore: try table.sortedRowCount, bytesBefore: table.byteCount,
            deletedRows: table.deletedRowCount, startMicroseconds: warehouse.time.wallMicroseconds())
        entry.partsRead = plan.parts.count
        let rewritten = plan.parts.reduce(0) { $0 + $1.rowCount }
        entry.rewrittenPercentage = rewritten * 100 / max(table.rowCount + table.deletedRowCount, 1)
        entry.isSkipped = plan.parts.isEmpty
        entry.isDeleteOnly = plan.isDeleteOnly
        if plan.parts.isEmpty {
            if statement.table != nil && statement.kind != .deleteOnly && table.rowCount > 0 {
                handler.notice(
                    "INFO:  table \"\(table.definition.name)\" is sorted to the threshold already, nothing to do")
            }
        } else {
            log.step(plan.isDeleteOnly ? "Delete" : statement.kind == .sortOnly ? "Sort" : "Merge")
            var change = StoreChange()
            change.removed = [id: Set(plan.parts.map(\.id))]
            let written = try rewrite(plan.parts, of: table, as: table.definition) { log.advance($0) }
            entry.partsWritten = written.partCount
            change.added = [written]
            try apply(change, on: snapshot)
        }
        entry.endMicroseconds = warehouse.time.wallMicroseconds()
        if let after = store.snapshot().table(id) {
            entry.rowsAfter = after.rowCount
            entry.sortedRowsAfter = try after.sortedRowCount
            entry.bytesAfter = after.byteCount
        }
        log.step(plan.parts.isEmpty ? "Skipped" : "Complete")
        log.add(entry)
    }

    /// Reads the rows that are left and writes them under a definition, all workers at once.
    ///
    /// - Parameters:
    ///   - new: another store for them.
    ///   - progress: is told the share of row groups read.
    func rewrite(
        _ parts: [Part], of table: TableSnapshot, as definition: TableDefinition, into new: Store? = nil,
        progress: @escaping @Sendable (Double) -> Void = { _ in }
    ) throws -> WrittenParts {
        // A part of the rows keeps the placement that the table has by now.
        let writer = try (new ?? store).writer(
            for: definition, replacing: parts.count == (try table.parts.count), usesLog: false)
        do {
            let groups = parts.flatMap { part in (0..<part.rowGroupCount).map { (part, $0) } }
            let next = Atomic<Int>(0)
            let types = table.definition.columns.map(\.type)
            let cancellation = self.cancellation
            let budget = warehouse.budget, groupBytes = types.decodedGroupBytes
            let isAlone = groups.count <= 4 || groupBytes * workers.count > budget.limit / 16
            try workers.run { worker, turn in
                if isAlone && worker > 0 { return true }
                // One worker must go on; the others help where there is room for what they read.
                if worker == 0 {
                    try budget.reserveWhenPossible(groupBytes, cancellation)
                } else if !budget.tryReserve(groupBytes) {
                    return true
                }
                defer { budget.release(groupBytes) }
                let lane = writer.makeLane()
                while true {
                    let index = next.add(1, ordering: .relaxed).oldValue
                    if index >= groups.count { return true }
                    try cancellation.check()
                    let batch = ColumnBatch(types: types)
                    try groups[index].0.decodeLive(group: groups[index].1, into: batch)
                    try lane.append(batch)
                    progress(Double(index + 1) / Double(groups.count))
                    turn.pay()
                }
            }
            return try writer.finish(workers)
        } catch {
            writer.abort()
            throw error
        }
    }
}

extension [SQLType] {
    /// About what the rows of one row group take in memory, all columns at once.
    fileprivate var decodedGroupBytes: Int {
        let rowBytes = reduce(0) { $0 + $1.physical.byteWidth + ($1.physical == .string ? 16 : 0) }
        return rowBytes * StorageLimits.rowGroupRows
    }
}

/// Which parts of a table a VACUUM has to write again; none when the table is good enough.
struct VacuumPlan {
    private(set) var parts: [Part] = []
    /// Only deleted rows go; the order is good enough or not asked for.
    private(set) var isDeleteOnly = false

    /// - Parameter threshold: TO n PERCENT; nil: sorted to 95 per cent is enough, all deleted rows go.
    init(_ table: TableSnapshot, _ kind: VacuumStatement.Kind, threshold: Int?) throws {
        if table.rowCount == 0 && table.deletedRowCount == 0 { return }
        let goal = threshold ?? 95
        let stored = table.rowCount + table.deletedRowCount
        let hasTooManyDeleted =
            table.deletedRowCount > 0
            && (threshold == nil || goal == 100 || table.rowCount * 100 < stored * goal)
        let withDeleted = hasTooManyDeleted ? try table.parts.filter { $0.deletedRowCount > 0 } : []
        let isSorted = try VacuumPlan.isSorted(table, goal)
        let isScattered = try table.slices.contains { $0.count > 8 }
        switch kind {
        case .reindex: parts = try table.parts
        case .deleteOnly:
            parts = withDeleted
            isDeleteOnly = true
        case .sortOnly: if !isSorted { parts = try table.parts }
        case .recluster:
            // The unsorted region alone is put in order; what is sorted stays as it is.
            if !isSorted { parts = try table.unsortedParts }
        case .full:
            if isSorted && !isScattered {
                parts = withDeleted
                isDeleteOnly = true
            } else {
                parts = try table.parts
            }
        }
    }

    private static func isSorted(_ table: TableSnapshot, _ goal: Int) throws -> Bool {
        if !table.definition.hasSortKey { return true }
        let sorted = try table.sortedRowCount
        return goal == 100 ? sorted == table.rowCount : sorted * 100 >= table.rowCount * goal
    }
}

extension TableDefinition {
    var hasSortKey: Bool {
        switch sortKey {
        case .none, .auto: false
        case .compound, .interleaved: true
        }
    }
}

/// What STL_VACUUM and its relatives tell. In memory, bounded, newest kept. Safe from any thread.
final class VacuumLog: Sendable {
    struct Entry: Sendable {
        var user: Int
        var transaction: Int64
        var query: Int
        var table: ObjectID
        var name: String
        var kind: VacuumStatement.Kind
        var threshold: Int
        var isAutomatic: Bool
        var rowsBefore: Int
        var sortedRowsBefore: Int
        var bytesBefore: Int
        var deletedRows: Int
        var startMicroseconds: Int64
        var isSkipped = false
        var isDeleteOnly = false
        var partsRead = 0
        var rewrittenPercentage = 0
        var partsWritten = 0
        var rowsAfter = 0
        var sortedRowsAfter = 0
        var bytesAfter = 0
        var endMicroseconds: Int64 = 0
    }
    /// The table that is being vacuumed, or was last.
    struct Progress: Sendable {
        var table: String
        var status: String
        var fraction = 0.0
        var startMicroseconds: Int64
    }
    private struct State {
        var entries: [Entry] = []
        var progress: Progress?
    }
    private let state = Lock(State())
    private static let kept = 10_000

    func begin(_ table: String, now: Int64) {
        state.withLock { $0.progress = Progress(table: table, status: "Initialize", startMicroseconds: now) }
    }
    func step(_ status: String) { state.withLock { $0.progress?.status = status } }
    func advance(_ fraction: Double) {
        state.withLock { state in
            guard var progress = state.progress else { return }
            progress.fraction = max(progress.fraction, fraction)
            state.progress = progress
        }
    }
    func add(_ entry: Entry) {
        state.withLock {
            $0.entries.append(entry)
            if $0.entries.count > 2 * VacuumLog.kept { $0.entries.removeFirst($0.entries.count - VacuumLog.kept) }
        }
    }
    var entries: [Entry] { state.withLock { $0.entries } }
    var progress: Progress? { state.withLock { $0.progress } }
}
