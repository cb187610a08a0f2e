import Catalog
import QueryPlan
import SQLTypes

/// What the passes of one statement share. Confined to the thread that plans it.
package final class OptimizerContext {
    let shape: ClusterShape
    let settings: OptimizerSettings
    let ids: ColumnIDSource
    let budget: PlanningBudget
    private let statisticsProvider: any StatisticsProvider
    private var statistics: [ObjectID: TableStatistics?] = [:]
    private var columns: [ColumnFacts?] = []
    private var nextWithID = 0
    private var patternShares: [PatternKey: Double] = [:]

    private struct PatternKey: Hashable {
        var column: ColumnID
        var pattern: [UInt8]
        var ignoresCase: Bool
    }

    init(
        shape: ClusterShape, settings: OptimizerSettings, ids: ColumnIDSource, statistics: any StatisticsProvider,
        budget: PlanningBudget
    ) {
        self.shape = shape
        self.settings = settings
        self.ids = ids
        statisticsProvider = statistics
        self.budget = budget
    }

    func tableStatistics(_ table: ObjectID) -> TableStatistics? {
        if let known = statistics[table] { return known }
        let found = statisticsProvider.statistics(of: table)
        statistics[table] = .some(found)
        return found
    }

    /// What share of a column's values matches a pattern; worked out once, asked for by every plan that is weighed.
    func patternShare(
        _ column: ColumnID, _ pattern: [UInt8], _ ignoresCase: Bool, _ compute: () -> Double
    ) -> Double {
        let key = PatternKey(column: column, pattern: pattern, ignoresCase: ignoresCase)
        if let known = patternShares[key] { return known }
        let share = compute()
        patternShares[key] = share
        return share
    }

    func makeWithID() -> Int {
        defer { nextWithID += 1 }
        return nextWithID
    }

    /// Counts an expression that a rewrite has added to the plan.
    func note(_ expression: BoundExpression) { budget.note(bytes: expression.size(upTo: 1 << 16) * Self.nodeBytes) }
    private static let nodeBytes = 192

    /// What so many sets of columns take while a pass holds them; negative when it lets them go.
    func note(columnSets count: Int) { budget.note(bytes: count * columns.count / 8) }

    /// Everything that a pass makes is thrown away: it may stop where it is.
    var isStopped: Bool { budget.isSpent }

    // MARK: Columns

    func facts(_ id: ColumnID) -> ColumnFacts {
        let index = Int(id.raw)
        return (index < columns.count ? columns[index] : nil) ?? ColumnFacts(name: "?column?", type: .unknown)
    }

    func set(_ id: ColumnID, _ facts: ColumnFacts) {
        ids.reserve(through: id)
        while columns.count <= Int(id.raw) { columns.append(nil) }
        columns[Int(id.raw)] = facts
    }

    func makeColumn(_ name: String, _ type: SQLType) -> ColumnID {
        let id = ids.make()
        set(id, ColumnFacts(name: name, type: type))
        return id
    }

    func makeCopy(of id: ColumnID) -> ColumnID {
        let copy = ids.make()
        set(copy, facts(id))
        return copy
    }

    func column(_ id: ColumnID) -> BoundExpression { .column(id, facts(id).type) }
    func output(_ id: ColumnID) -> OutputColumn {
        let facts = facts(id)
        return OutputColumn(id: id, name: facts.name, type: facts.type)
    }

    /// Whether every node has all rows of a table.
    func isReplicated(_ table: TableDefinition) -> Bool {
        switch table.distribution {
        case .all: true
        case .auto: (tableStatistics(table.id)?.rowCount ?? 0) <= PlanCost.automaticReplicationRows
        case .even, .key: false
        }
    }

    /// Learns the columns of a bound plan, definitions before uses.
    func register(_ plan: LogicalPlan, below depth: Int = 0) throws {
        try budget.check()
        try PlanHeight.check(depth)
        for child in plan.children { try register(child, below: depth + 1) }
        var subqueries: [LogicalPlan] = []
        plan.forEachExpression { $0.forEachSubquery { subqueries.append($0.plan) } }
        for subquery in subqueries { try register(subquery, below: depth + 1) }
        switch plan {
        case .scan(let scan): registerScan(scan)
        case .systemScan(let scan): registerOutputs(scan.columns)
        case .values(let values): registerOutputs(values.columns)
        case .project(let columns, _): registerProjections(columns)
        case .join(let join):
            if case .mark(let id, _) = join.kind { set(id, ColumnFacts(name: "mark", type: .boolean)) }
        case .aggregate(let aggregate):
            registerProjections(aggregate.groups)
            for item in aggregate.aggregates {
                set(item.id, ColumnFacts(name: item.call.function.rawValue, type: item.call.type))
            }
            if let id = aggregate.groupingColumn { set(id, ColumnFacts(name: "grouping", type: .integer)) }
        case .window(let window):
            for function in window.functions {
                set(function.id, ColumnFacts(name: "window", type: function.call.type))
            }
        case .unnest(let unnest): registerOutputs(unnest.specification.columns)
        case .setOperation(let operation):
            for (index, output) in operation.outputs.enumerated() {
                var copy = facts(operation.leftColumns[index])
                copy.name = output.name
                copy.type = output.type
                copy.notNull = false
                set(output.id, copy)
            }
        case .with(let with): nextWithID = max(nextWithID, with.id + 1, (with.recursion?.workingID ?? 0) + 1)
        case .withReference(let reference):
            nextWithID = max(nextWithID, reference.id + 1)
            for (index, output) in reference.columns.enumerated() {
                var copy = facts(reference.sources[index])
                copy.name = output.name
                copy.type = output.type
                set(output.id, copy)
            }
        case .filter, .sort, .limit: break
        }
    }

    private func registerOutputs(_ outputs: [OutputColumn]) {
        for output in outputs { set(output.id, ColumnFacts(name: output.name, type: output.type)) }
    }

    private func registerProjections(_ projections: [ProjectedColumn]) {
        for column in projections {
            if let source = column.expression.asColumn {
                if source != column.id { set(column.id, facts(source)) }
            } else {
                set(column.id, ColumnFacts(name: "?column?", type: column.expression.type))
            }
        }
    }

    private func registerScan(_ scan: LogicalScan) {
        let statistics = tableStatistics(scan.table.id)
        for column in scan.columns {
            guard column.index < scan.table.columns.count else {
                set(column.id, ColumnFacts(name: "row", type: column.type))
                continue
            }
            let definition = scan.table.columns[column.index]
            var facts = ColumnFacts(name: definition.name, type: column.type)
            facts.notNull = definition.notNull
            facts.table = scan.table.id
            facts.tableColumn = column.index
            if let statistics, column.index < statistics.columns.count {
                let known = statistics.columns[column.index]
                facts.distinct = known.distinctCount > 0 ? known.distinctCount : nil
                facts.width = known.averageWidth
                facts.nullFraction = Double(known.nullCount) / Double(max(1, statistics.rowCount))
            }
            if scan.table.declaredKeys.contains([column.index]) {
                facts.distinct = Double(max(1, statistics?.rowCount ?? 1000))
            }
            set(column.id, facts)
        }
    }

    func columnStatistics(_ id: ColumnID) -> ColumnStatistics? {
        let facts = facts(id)
        guard let table = facts.table, let statistics = tableStatistics(table),
            facts.tableColumn < statistics.columns.count
        else { return nil }
        return statistics.columns[facts.tableColumn]
    }
}

/// What is known of a column wherever it appears in the statement: its origin never changes, only its rows do.
struct ColumnFacts: Sendable {
    var name: String
    var type: SQLType
    /// Declared NOT NULL in its table; outer joins may still add NULLs.
    var notNull = false
    var table: ObjectID?
    var tableColumn = 0
    var distinct: Double?
    var nullFraction = 0.0
    var width: Double

    init(name: String, type: SQLType) {
        self.name = name
        self.type = type
        width = type.estimatedWidth
    }
}
