import Catalog
import QueryPlan

/// The table columns that a plan filters, joins or groups by: ANALYZE ... PREDICATE COLUMNS looks at these.
package struct PredicateColumns {
    /// Indexes into the tables' columns.
    package private(set) var columns: [ObjectID: Set<Int>] = [:]
    private var origins = ColumnTable<(table: ObjectID, column: Int)>()

    package init(_ query: PhysicalQuery) { walk(query.plan) }

    private mutating func walk(_ plan: PhysicalPlan) {
        // Definitions come before uses: children first.
        for child in plan.children { walk(child) }
        switch plan.operation {
        case .tableScan(let scan):
            for column in scan.columns where !column.isHidden { origins[column.id] = (scan.table.id, column.index) }
            note(scan.conjuncts)
        case .filter(let conjuncts): note(conjuncts)
        case .project(let columns):
            for column in columns {
                if let source = column.expression.asColumn { origins[column.id] = origins[source] }
            }
        case .join(let join):
            for key in join.keys { note([key.outer, key.inner]) }
            note(join.residual)
        case .aggregate(let aggregate):
            for group in aggregate.groups {
                note([group.expression])
                if let source = group.expression.asColumn { origins[group.id] = origins[source] }
            }
        case .withReference(_, _, let sources):
            for (output, source) in zip(plan.outputs, sources) { origins[output.id] = origins[source] }
        case .append(let inputs):
            for (output, source) in zip(plan.outputs, inputs.first ?? []) { origins[output.id] = origins[source] }
        case .systemScan, .values, .window, .unnest, .sort, .topN, .limit, .setOperation, .with, .recursiveWith,
            .gather:
            break
        }
    }

    private mutating func note(_ expressions: [BoundExpression]) {
        for expression in expressions {
            for id in expression.columns.elements {
                guard let origin = origins[id] else { continue }
                columns[origin.table, default: []].insert(origin.column)
            }
        }
    }
}
