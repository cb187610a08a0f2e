/// A query in FROM under a name: a derived table, a view, a use of a common table expression. The optimizer merges it
/// with the query around it; EXPLAIN finds its place in the plan by what is noted here.
package struct NamedSubquery: Sendable, Hashable {
    /// Operators that keep a query apart from the one around it. Others dissolve in it.
    package enum Operator: Sendable, Hashable { case aggregate, window, limit, append, setOperation }

    package var alias: String
    package var columns: Set<ColumnID>
    /// From the top.
    package var operators: [Operator]

    package init(alias: String, columns: Set<ColumnID>, operators: [Operator]) {
        self.alias = alias
        self.columns = columns
        self.operators = operators
    }

    /// - Parameter plan: as it was bound; its outputs are the derived table's columns.
    package init(alias: String, columns: [OutputColumn], plan: LogicalPlan) {
        self.init(alias: alias, columns: Set(columns.map(\.id)), operators: NamedSubquery.operators(of: plan))
    }

    private static func operators(of plan: LogicalPlan) -> [Operator] {
        var result: [Operator] = []
        var plan = plan
        while true {
            switch plan {
            case .scan, .systemScan, .values, .join, .withReference, .unnest: return result
            case .filter(_, let input), .project(_, let input), .sort(_, let input): plan = input
            case .with(let with): plan = with.body
            case .aggregate(let aggregate):
                result.append(.aggregate)
                plan = aggregate.input
            case .window(let window):
                result.append(.window)
                plan = window.input
            case .limit(let limit):
                result.append(.limit)
                plan = limit.input
            case .setOperation(let operation):
                guard operation.kind == .union else { return result + [.setOperation] }
                return result + (operation.all ? [.append] : [.aggregate, .append])
            }
        }
    }
}

/// Where the derived tables of a statement begin in its plan.
struct NamedSubqueryPlaces {
    /// By ``PhysicalPlan/step`` of the topmost operator, outermost table first.
    private(set) var aliases: [Int: [String]] = [:]
    private let tables: [NamedSubquery]

    init(_ plan: PhysicalPlan, _ tables: [NamedSubquery]) {
        self.tables = tables.filter { !$0.operators.isEmpty }
        if !self.tables.isEmpty { visit(plan) }
    }

    /// A chain of operators with one input each, and what is below it.
    private mutating func visit(_ top: PhysicalPlan) {
        var chain: [(plan: PhysicalPlan, operators: [NamedSubquery.Operator])] = []
        var plan = top
        while true {
            chain.append((plan, NamedSubqueryPlaces.operators(of: plan)))
            guard plan.children.count == 1 else { break }
            plan = plan.children[0]
        }
        if chain.contains(where: { !$0.operators.isEmpty }) { place(chain) }
        for child in plan.children { visit(child) }
    }

    private mutating func place(_ chain: [(plan: PhysicalPlan, operators: [NamedSubquery.Operator])]) {
        for table in tables.reversed() {
            var suffix: [NamedSubquery.Operator] = []
            for (index, node) in chain.enumerated().reversed() where !node.operators.isEmpty {
                suffix = node.operators + suffix
                if suffix.count < table.operators.count { continue }
                // Its columns leave this operator or a projection above it.
                let above = chain[..<index].lastIndex { !$0.operators.isEmpty }.map { $0 + 1 } ?? 0
                let shows = chain[above...index].contains { part in
                    part.plan.outputs.contains { table.columns.contains($0.id) }
                }
                if suffix == table.operators && shows { aliases[node.plan.step, default: []].append(table.alias) }
                break
            }
        }
    }

    /// A limit is one operator, though slices and leader may each have a part of it.
    private static func operators(of plan: PhysicalPlan) -> [NamedSubquery.Operator] {
        switch plan.operation {
        case .aggregate: [.aggregate]
        case .window: [.window]
        case .append: [.append]
        case .setOperation: [.setOperation]
        case .limit, .topN: plan.distribution == .leader ? [.limit] : []
        case .tableScan, .systemScan, .values, .filter, .project, .join, .unnest, .sort, .with, .recursiveWith,
            .withReference,
            .gather:
            []
        }
    }
}
