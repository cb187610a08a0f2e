import Catalog
import SQLTypes

/// How a query runs: one node per step, chosen by the optimizer, immutable, shared by all workers.
public final class PhysicalPlan: Sendable {
    /// Number of the step within its statement, for the system tables and EXPLAIN ANALYZE.
    public let step: Int
    public let operation: PhysicalOperation
    public let children: [PhysicalPlan]
    /// Columns that leave the step.
    public let outputs: [OutputColumn]
    public let estimate: Estimate
    public let distribution: Distribution

    public init(
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

public struct Estimate: Hashable, Sendable {
    public var rows: Double
    /// Mean bytes of an output row.
    public var width: Double
    public var startupCost: Double
    public var totalCost: Double
    public init(rows: Double, width: Double, startupCost: Double, totalCost: Double) {
        self.rows = rows
        self.width = width
        self.startupCost = startupCost
        self.totalCost = totalCost
    }
}

/// Where the rows of a step's output are.
public enum Distribution: Hashable, Sendable {
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
public enum DistributionLabel: String, Hashable, Sendable {
    case none = "DS_DIST_NONE"
    case allNone = "DS_DIST_ALL_NONE"
    case broadcastInner = "DS_BCAST_INNER"
    case distributeInner = "DS_DIST_INNER"
    case distributeOuter = "DS_DIST_OUTER"
    case distributeBoth = "DS_DIST_BOTH"
    case allInner = "DS_DIST_ALL_INNER"
}

public indirect enum PhysicalOperation: Sendable {
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
    /// No children; output i is the definition's column `sources[i]`.
    case withReference(id: Int, alias: String, sources: [ColumnID])
    /// Rows go from the slices to the leader ("XN Network ... Send to Leader"); `merge` keeps their order.
    case gather(merge: [SortItem])
}

public struct PhysicalTableScan: Sendable {
    public var table: TableDefinition
    public var alias: String
    public var columns: [ScanColumn]
    public var conjuncts: [BoundExpression]
    public init(table: TableDefinition, alias: String, columns: [ScanColumn], conjuncts: [BoundExpression]) {
        self.table = table
        self.alias = alias
        self.columns = columns
        self.conjuncts = conjuncts
    }
}

/// A join whose inner (right, built) side is `children[1]`. Equality keys are split from the residual condition.
public struct PhysicalJoin: Sendable {
    public enum Kind: Hashable, Sendable {
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
    public struct Key: Hashable, Sendable {
        public var outer: BoundExpression
        public var inner: BoundExpression
        /// IS NOT DISTINCT FROM: NULL meets NULL.
        public var nullsEqual: Bool
        public init(outer: BoundExpression, inner: BoundExpression, nullsEqual: Bool = false) {
            self.outer = outer
            self.inner = inner
            self.nullsEqual = nullsEqual
        }
    }
    public enum Method: String, Hashable, Sendable { case hash, nestedLoop }
    public var kind: Kind
    public var method: Method
    /// Empty for a nested loop.
    public var keys: [Key]
    /// Conjuncts over both sides that a pair must satisfy besides the keys.
    public var residual: [BoundExpression]
    public var label: DistributionLabel
    /// The inner keys are unique, by constraint or statistics: at most one match.
    public var innerUnique: Bool
    public init(
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

public struct PhysicalAggregate: Sendable {
    public enum Method: String, Hashable, Sendable { case plain, hash, sorted }
    public var method: Method
    public var groups: [ProjectedColumn]
    public var aggregates: [LogicalAggregate.Aggregate]
    public var groupingSets: [[Int]]?
    public var groupingColumn: ColumnID?
    /// Rows of one group are on one slice already, so partial results need no merge.
    public var colocated: Bool
    public init(
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
public struct LogicalWindowSpecification: Hashable, Sendable {
    public var partitionBy: [BoundExpression]
    public var orderBy: [SortItem]
    public var functions: [LogicalWindow.Function]
    public init(partitionBy: [BoundExpression], orderBy: [SortItem], functions: [LogicalWindow.Function]) {
        self.partitionBy = partitionBy
        self.orderBy = orderBy
        self.functions = functions
    }
}

/// A plan ready to run, with the result's visible columns in order.
public struct PhysicalQuery: Sendable {
    public var plan: PhysicalPlan
    public var outputs: [OutputColumn]
    public init(plan: PhysicalPlan, outputs: [OutputColumn]) {
        self.plan = plan
        self.outputs = outputs
    }
}
