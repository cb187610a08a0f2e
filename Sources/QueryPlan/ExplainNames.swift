import Catalog

/// Names of a plan's columns: those of tables by name, computed ones by their expression.
struct ExplainNames: Sendable {
    private enum Source {
        case table(alias: String, name: String)
        case text(String)
    }
    private var sources: [ColumnID: Source] = [:]
    private var scanCount = 0
    /// Names stand in names: a few levels of `x + x` would be longer than memory.
    private static let longestName = 512
    /// Joins with a subquery of one row, by step: PostgreSQL's plans run it first and know its value as `$0`.
    private var initPlans: Set<Int> = []
    private var parameterCount = 0
    private let derivedColumns: Set<ColumnID>

    init(_ query: PhysicalQuery) {
        derivedColumns = query.namedSubqueries.reduce(into: []) { $0.formUnion($1.columns) }
        collect(query.plan)
    }

    /// Whether a join only brings in the one row of a subquery that stands in an expression.
    func isInitPlan(_ plan: PhysicalPlan) -> Bool { initPlans.contains(plan.step) }

    /// The column's name alone.
    func bare(_ id: ColumnID) -> String {
        switch sources[id] {
        case .table(_, let name)?: name
        case .text(let text)?: text
        case nil: "\"?column?\""
        }
    }

    /// With its table's name when the plan reads several.
    func qualified(_ id: ColumnID) -> String {
        if case .table(let alias, let name)? = sources[id], scanCount > 1 { return "\(alias).\(name)" }
        return bare(id)
    }

    func columns(of plan: PhysicalPlan) -> Set<ColumnID> { Set(plan.outputs.map(\.id)) }

    private mutating func collect(_ plan: PhysicalPlan) {
        for child in plan.children { collect(child) }
        switch plan.operation {
        case .tableScan(let scan):
            scanCount += 1
            for column in scan.columns where column.index < scan.table.columns.count {
                sources[column.id] = .table(alias: scan.alias, name: scan.table.columns[column.index].name)
            }
        case .systemScan(let scan):
            scanCount += 1
            for column in scan.columns { sources[column.id] = .table(alias: scan.alias, name: column.name) }
        case .project(let columns): collect(columns)
        case .aggregate(let aggregate):
            collect(aggregate.groups)
            for item in aggregate.aggregates {
                if item.call.function == .anyValue, case .column(let id, _)? = item.call.arguments.first {
                    sources[item.id] = sources[id]
                } else {
                    sources[item.id] = .text(Self.bounded(ExplainExpression(column: qualified).aggregate(item.call)))
                }
            }
        case .window(let window):
            for function in window.functions {
                sources[function.id] = .text(
                    Self.bounded(ExplainExpression(column: qualified).window(function.call)))
            }
        case .unnest(let unnest):
            for column in unnest.columns { sources[column.id] = .table(alias: unnest.alias, name: column.name) }
        case .append(let inputs):
            for (index, output) in plan.outputs.enumerated() where index < (inputs.first?.count ?? 0) {
                sources[output.id] = sources[inputs[0][index]]
            }
        case .setOperation(_, _, let left, _):
            for (output, source) in zip(plan.outputs, left) { sources[output.id] = sources[source] }
        case .withReference(_, let alias, let columns):
            for (output, source) in zip(plan.outputs, columns) {
                sources[output.id] = .table(alias: alias, name: bare(source))
            }
        case .join(let join):
            if case .mark(let id, _) = join.kind { sources[id] = .text("(hashed subplan)") }
            if join.kind == .inner || join.kind == .single { noteInitPlan(plan) }
        case .values: for output in plan.outputs { sources[output.id] = .text(output.name) }
        case .filter, .sort, .topN, .limit, .with, .recursiveWith, .gather: break
        }
    }

    private mutating func noteInitPlan(_ join: PhysicalPlan) {
        let inner = join.children[1]
        guard inner.isOneRow, !inner.outputs.contains(where: { derivedColumns.contains($0.id) }) else { return }
        initPlans.insert(join.step)
        for output in inner.outputs {
            sources[output.id] = .text("$\(parameterCount)")
            parameterCount += 1
        }
    }

    private mutating func collect(_ columns: [ProjectedColumn]) {
        for column in columns {
            if case .column(let source, _) = column.expression {
                if source != column.id { sources[column.id] = sources[source] }
            } else {
                let text = ExplainExpression(column: qualified).text(column.expression)
                sources[column.id] = .text(Self.bounded(ExplainExpression.unwrapped(text)))
            }
        }
    }

    private static func bounded(_ text: String) -> String {
        if text.utf8.count <= longestName { return text }
        return String(decoding: text.utf8.prefix(longestName), as: UTF8.self) + "..."
    }
}

extension PhysicalPlan {
    /// At most one row, whatever the tables hold.
    fileprivate var isOneRow: Bool {
        switch operation {
        case .aggregate(let aggregate): aggregate.method == .plain
        case .values(let values): values.rows.count <= 1
        case .limit(let count, _): count == 1 || children[0].isOneRow
        case .topN(_, let count, _): count == 1
        case .project, .gather, .sort, .filter: children.first?.isOneRow ?? true
        case .tableScan, .systemScan, .join, .window, .unnest, .append, .setOperation, .with, .recursiveWith,
            .withReference:
            false
        }
    }
}
