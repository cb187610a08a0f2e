import Catalog
import SQLTypes

/// How a query runs: one node per step, chosen by the optimizer, immutable, shared by all workers.
package final class PhysicalPlan: Sendable {
    /// Number of the step within its statement, for the system tables and EXPLAIN ANALYZE.
    package let step: Int
    package let operation: PhysicalOperation
    package let children: [PhysicalPlan]
    /// Columns that leave the step.
    package let outputs: [OutputColumn]
    package let estimate: Estimate
    package let distribution: Distribution

    package init(
        step: Int, operation: PhysicalOperation, children: [PhysicalPlan], outputs: [OutputColumn],
        estimate: Estimate, distribution: Distribution
    ) {
        self.step = step
        self.operation = operation
        self.children = children
        self.outputs = outputs
        self.estimate = estimate
        self.distribution = distribution
    }
}

package struct Estimate: Hashable, Sendable {
    package var rows: Double
    /// Mean bytes of an output row.
    package var width: Double
    package var startupCost: Double
    package var totalCost: Double
    package init(rows: Double, width: Double, startupCost: Double, totalCost: Double) {
        self.rows = rows
        self.width = width
        self.startupCost = startupCost
        self.totalCost = totalCost
    }
}

/// Where the rows of a step's output are.
package enum Distribution: Hashable, Sendable {
    /// Spread without a rule.
    case arbitrary
    /// Rows with equal values of these columns are on one slice. Each entry lists columns known equal.
    case hash([Set<ColumnID>])
    /// Every node has all rows.
    case replicated
    /// Only the leader has rows.
    case leader
}

/// Redshift's names of what a join or aggregate moves.
package enum DistributionLabel: String, Hashable, Sendable {
    case none = "DS_DIST_NONE"
    case allNone = "DS_DIST_ALL_NONE"
    case broadcastInner = "DS_BCAST_INNER"
    case distributeInner = "DS_DIST_INNER"
    case distributeOuter = "DS_DIST_OUTER"
    case distributeBoth = "DS_DIST_BOTH"
    case allInner = "DS_DIST_ALL_INNER"
}

package indirect enum PhysicalOperation: Sendable {
    /// No children. Rows pass when all conjuncts are true; the engine orders conjuncts by cost.
    case tableScan(PhysicalTableScan)
    case systemScan(LogicalSystemScan)
    case values(LogicalValues)
    case filter([BoundExpression])
    case project([ProjectedColumn])
    /// children: [outer (probed), inner (built)].
    case join(PhysicalJoin)
    case aggregate(PhysicalAggregate)
    case window(LogicalWindowSpecification)
    case unnest(UnnestSpecification)
    case sort([SortItem])
    /// ORDER BY with LIMIT (and OFFSET): only `count + offset` rows are kept.
    case topN([SortItem], count: Int64, offset: Int64)
    case limit(count: Int64?, offset: Int64)
    /// UNION ALL; `inputs[k][i]` of child k becomes output i.
    case append(inputs: [[ColumnID]])
    /// INTERSECT and EXCEPT; children [left, right].
    case setOperation(LogicalSetOperation.Kind, all: Bool, left: [ColumnID], right: [ColumnID])
    /// children: [definition, body]; the definition's rows are computed once.
    case with(id: Int, name: String)
    /// children: [first rows, step, body]; the step runs over the rows made last, until it makes none.
    case recursiveWith(PhysicalRecursion)
    /// No children; output i is the definition's column `sources[i]`.
    case withReference(id: Int, alias: String, sources: [ColumnID])
    /// Rows go from the slices to the leader ("XN Network ... Send to Leader"); `merge` keeps their order.
    case gather(merge: [SortItem])
}

package struct PhysicalTableScan: Sendable {
    package var table: TableDefinition
    package var alias: String
    package var columns: [ScanColumn]
    package var conjuncts: [BoundExpression]
    package init(table: TableDefinition, alias: String, columns: [ScanColumn], conjuncts: [BoundExpression]) {
        self.table = table
        self.alias = alias
        self.columns = columns
        self.conjuncts = conjuncts
    }
}

/// A join whose inner (right, built) side is `children[1]`. Equality keys are split from the residual condition.
package struct PhysicalJoin: Sendable {
    package enum Kind: Hashable, Sendable {
        case inner
        /// Every outer row; inner columns NULL without a match.
        case left
        /// Every inner row, emitted after the probe when unmatched; outer columns NULL.
        case right
        case full
        /// Outer rows with / without a match.
        case semi, anti
        /// Inner rows with / without a match: the built side is the preserved one.
        case rightSemi, rightAnti
        case mark(ColumnID, nullAware: Bool)
        case single
        case antiNullAware
    }
    package struct Key: Hashable, Sendable {
        package var outer: BoundExpression
        package var inner: BoundExpression
        /// IS NOT DISTINCT FROM: NULL meets NULL.
        package var nullsEqual: Bool
        package init(outer: BoundExpression, inner: BoundExpression, nullsEqual: Bool = false) {
            self.outer = outer
            self.inner = inner
            self.nullsEqual = nullsEqual
        }
    }
    package enum Method: String, Hashable, Sendable { case hash, nestedLoop }
    package var kind: Kind
    package var method: Method
    /// Empty for a nested loop.
    package var keys: [Key]
    /// Conjuncts over both sides that a pair must satisfy besides the keys.
    package var residual: [BoundExpression]
    package var label: DistributionLabel
    /// The inner keys are unique, by constraint or statistics: at most one match.
    package var innerUnique: Bool
    package init(
        kind: Kind, method: Method, keys: [Key], residual: [BoundExpression], label: DistributionLabel,
        innerUnique: Bool = false
    ) {
        self.kind = kind
        self.method = method
        self.keys = keys
        self.residual = residual
        self.label = label
        self.innerUnique = innerUnique
    }
}

package struct PhysicalAggregate: Sendable {
    package enum Method: String, Hashable, Sendable { case plain, hash, sorted }
    package var method: Method
    package var groups: [ProjectedColumn]
    package var aggregates: [LogicalAggregate.Aggregate]
    package var groupingSets: [[Int]]?
    package var groupingColumn: ColumnID?
    /// Rows of one group are on one slice already, so partial results need no merge.
    package var colocated: Bool
    package init(
        method: Method, groups: [ProjectedColumn], aggregates: [LogicalAggregate.Aggregate],
        groupingSets: [[Int]]? = nil, groupingColumn: ColumnID? = nil, colocated: Bool = false
    ) {
        self.method = method
        self.groups = groups
        self.aggregates = aggregates
        self.groupingSets = groupingSets
        self.groupingColumn = groupingColumn
        self.colocated = colocated
    }
}

/// The window part of a plan node: its input is the node's child.
package struct LogicalWindowSpecification: Hashable, Sendable {
    package var partitionBy: [BoundExpression]
    package var orderBy: [SortItem]
    package var functions: [LogicalWindow.Function]
    package init(partitionBy: [BoundExpression], orderBy: [SortItem], functions: [LogicalWindow.Function]) {
        self.partitionBy = partitionBy
        self.orderBy = orderBy
        self.functions = functions
    }
}

/// A plan ready to run, with the result's visible columns in order.
package struct PhysicalQuery: Sendable {
    package var plan: PhysicalPlan
    package var outputs: [OutputColumn]
    /// For EXPLAIN.
    package var namedSubqueries: [NamedSubquery]
    /// Groups over these are DISTINCT's and UNION's, not GROUP BY's.
    package var distinctColumns: Set<ColumnID> = []
    /// Catalogs and constants only: the slices have nothing to do.
    package var isOfLeader: Bool { !plan.usesSlices }
    /// The same tables always give the same rows.
    package var isRepeatable = false
    package init(plan: PhysicalPlan, outputs: [OutputColumn], namedSubqueries: [NamedSubquery] = []) {
        self.plan = plan
        self.outputs = outputs
        self.namedSubqueries = namedSubqueries
    }

    /// Whether a grouping only drops duplicates, as DISTINCT and UNION ask for it.
    package func dropsDuplicates(_ aggregate: PhysicalAggregate) -> Bool {
        aggregate.method == .hash && aggregate.aggregates.isEmpty && aggregate.groupingSets == nil
            && aggregate.groups.allSatisfy { distinctColumns.contains($0.id) }
    }
}

/// WITH RECURSIVE: see ``LogicalRecursion``.
package struct PhysicalRecursion: Hashable, Sendable {
    package var id: Int
    package var workingID: Int
    package var name: String
    package var columns: [OutputColumn]
    package var stepColumns: [ColumnID]
    package init(id: Int, workingID: Int, name: String, columns: [OutputColumn], stepColumns: [ColumnID]) {
        self.id = id
        self.workingID = workingID
        self.name = name
        self.columns = columns
        self.stepColumns = stepColumns
    }
}
