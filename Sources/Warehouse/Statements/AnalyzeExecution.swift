import Binder
import Catalog
import ColumnStore
import Optimizer
import Platform
import QueryPlan
import SQLSyntax
import SQLTypes
import Workload

/// ANALYZE: samples tables and keeps what the planner wants to know of their columns. Takes no lock: it reads one
/// snapshot, and what it finds are estimates anyway.
extension BoundAnalyze: StatementProgram {
    var kind: StatementKind { StatementKind("ANALYZE") }
    var effects: StatementEffects {
        var effects = StatementEffects.lookup
        effects.admission = .maintenance
        return effects
    }
    /// The tables of others are left out when it runs.
    func check(_ rights: StatementRights) {}
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.analyze(self, snapshot)
    }
}

extension StatementExecution {
    /// Rows that a sample aims at.
    private static let sampleRows = 100_000

    fileprivate func analyze(_ node: BoundAnalyze, _ snapshot: StoreSnapshot) throws {
        let (statement, columns) = (node.statement, node.columns)
        let tables = statementRights(snapshot).maintained(
            node.tables, "ANALYZE", names: statement.table != nil, handler.notice)
        if statement.compression {
            return try analyzeCompression(tables, columns: columns, rows: statement.sampleRows, snapshot)
        }
        var done = 0
        for (index, table) in tables.enumerated() {
            if statement.isVerbose {
                handler.notice("INFO:  Analyzing \(table.schema).\(table.name) [\(index + 1)/\(tables.count)]")
            }
            let wanted = columns.isEmpty ? nil : columns
            if try analyze(table, wanted, statement.columns == .predicate, snapshot) {
                done += 1
            } else if statement.isVerbose {
                handler.notice("INFO:  Analyze of \(table.schema).\(table.name) skipped: few rows have changed")
            }
        }
        try handler.end(tag: done == 0 && !tables.isEmpty ? "ANALYZE SKIP" : "ANALYZE")
    }

    /// False when too few rows have changed since the last time.
    @discardableResult
    func analyze(
        _ table: TableDefinition, _ wanted: [Int]?, _ predicatesOnly: Bool, _ snapshot: StoreSnapshot
    ) throws -> Bool {
        guard let data = snapshot.table(table.id) else { return false }
        let analyses = store.analyses
        let predicates = analyses.predicates(table.id)
        var columns = wanted ?? Array(table.columns.indices)
        if predicatesOnly && wanted == nil && !predicates.isEmpty { columns = table.predicateColumns(predicates) }
        let previous = analyses.analyzed(table.id)?.analysis
        let changed = analyses.changed(table.id)
        var entry = AnalyzeLog.Entry(
            transaction: transaction.number, query: queryID, user: user.id, table: table,
            rows: data.rowCount,
            changedRows: changed?.total ?? Int64(data.rowCount),
            threshold: Double(session.settings["analyze_threshold_percent"]) ?? 10, startMicroseconds: started,
            previousMicroseconds: previous?.analyzedMicroseconds, predicateColumns: predicates.count,
            newPredicateColumns: table.columns.reduce(0) {
                $0 + (predicates[$1.id] != nil && previous?.columns[$1.id] == nil ? 1 : 0)
            }, isAutomatic: session.isAutomatic)
        let isNew = columns.contains { previous?.columns[table.columns[$0].id] == nil }
        if let previous, let changed, !isNew, entry.threshold > 0,
            Double(changed.total) * 100 < entry.threshold * Double(max(previous.rowCount, 1))
        {
            entry.status = "Skipped"
        } else {
            let analysis = try sample(data, columns)
            let isWhole = wanted == nil
            try analyses.record(analysis, of: table.id, liveRows: data.rowCount, isWhole: isWhole)
            warehouse.plans.invalidate()
            entry.status = columns.count == table.columns.count || !isWhole ? "Full" : "PredicateColumn"
        }
        entry.endMicroseconds = warehouse.time.wallMicroseconds()
        warehouse.analyzeLog.add(entry)
        return entry.status != "Skipped"
    }

    /// As many columns at once as there are workers; other statements get their turn in between.
    private func sample(_ table: TableSnapshot, _ columns: [Int]) throws -> TableAnalysis {
        let sample = try TableSample(table, rows: StatementExecution.sampleRows)
        let found = Lock<[Int32: ColumnAnalysis]>([:])
        let now = warehouse.time.wallMicroseconds()
        let workers = session.isAutomatic ? 1 : self.workers.count
        let one: (Int) throws -> Void = { column in
            let definition = table.definition.columns[column]
            var analysis = ColumnAnalyzer.analyze(
                try sample.values(column: column, of: table), type: definition.type,
                facts: table.statistics.columns[column], rowCount: table.statistics.rowCount,
                isComplete: sample.isComplete)
            analysis.analyzedMicroseconds = now
            found.withLock { $0[definition.id] = analysis }
        }
        for first in stride(from: 0, to: columns.count, by: workers) {
            try cancellation.check()
            if workers == 1 {
                try one(columns[first])
            } else {
                try self.workers.runParts { worker in
                    if first + worker < columns.count { try one(columns[first + worker]) }
                }
            }
        }
        return TableAnalysis(
            rowCount: table.statistics.rowCount, columns: found.withLock { $0 }, analyzedMicroseconds: now)
    }

    /// Remembers which columns a plan filters, joins and groups by.
    func notePredicates(_ plan: PhysicalQuery, _ snapshot: StoreSnapshot) {
        for (table, columns) in PredicateColumns(plan).columns {
            guard let definition = snapshot.table(table)?.definition else { continue }
            let ids = columns.compactMap { $0 < definition.columns.count ? definition.columns[$0].id : nil }
            store.analyses.notePredicates(table, ids, at: started)
        }
    }
}

extension TableDefinition {
    /// Columns that queries have used, the distribution key and the sort keys.
    fileprivate func predicateColumns(_ used: [Int32: PredicateUse]) -> [Int] {
        columns.indices.filter { index in
            used[columns[index].id] != nil || distribution == .key(index) || sortKey.columns.contains(index)
        }
    }
}

/// What STL_ANALYZE tells. In memory, bounded, newest kept.
final class AnalyzeLog: Sendable {
    struct Entry: Sendable {
        var transaction: Int64
        var query: Int
        /// A user's id.
        var user: Int
        var table: TableDefinition
        var rows: Int
        var changedRows: Int64
        /// Per cent, 0 ... 100.
        var threshold: Double
        /// The columns that show it are whole numbers.
        var shownThreshold: Int { Int(exactly: threshold.rounded()) ?? 0 }
        var startMicroseconds: Int64
        var previousMicroseconds: Int64?
        var predicateColumns: Int
        var newPredicateColumns: Int
        var isAutomatic: Bool
        var status = ""
        var endMicroseconds: Int64 = 0
    }
    private let state = Lock<[Entry]>([])
    private static let kept = 10_000

    func add(_ entry: Entry) {
        state.withLock {
            $0.append(entry)
            if $0.count > 2 * AnalyzeLog.kept { $0.removeFirst($0.count - AnalyzeLog.kept) }
        }
    }
    var entries: [Entry] { state.withLock { $0 } }
}
