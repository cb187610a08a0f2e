import Catalog
import SQLTypes

/// What a query computes, before any decision on how. A tree of immutable values over ``ColumnID``s.
public indirect enum LogicalPlan: Hashable, Sendable {
    case scan(LogicalScan)
    case systemScan(LogicalSystemScan)
    case values(LogicalValues)
    case filter(BoundExpression, LogicalPlan)
    /// Outputs exactly these columns.
    case project([ProjectedColumn], LogicalPlan)
    case join(LogicalJoin)
    case aggregate(LogicalAggregate)
    case window(LogicalWindow)
    case sort([SortItem], LogicalPlan)
    case limit(LogicalLimit)
    case setOperation(LogicalSetOperation)
    case with(LogicalWith)
    case withReference(LogicalWithReference)
}

public struct ProjectedColumn: Hashable, Sendable {
    public var id: ColumnID
    public var expression: BoundExpression
    public init(id: ColumnID, expression: BoundExpression) {
        self.id = id
        self.expression = expression
    }
}

/// A column of a stored table that a scan reads.
public struct ScanColumn: Hashable, Sendable {
    public var id: ColumnID
    /// Index in ``TableDefinition/columns``, or ``rowID``.
    public var index: Int
    public var type: SQLType
    /// The hidden BIGINT column of DELETE, UPDATE and MERGE: where the row is in the table's snapshot.
    public static let rowID = Int.max
    public var isRowID: Bool { index == ScanColumn.rowID }
    public init(id: ColumnID, index: Int, type: SQLType) {
        self.id = id
        self.index = index
        self.type = type
    }
}

public struct LogicalScan: Hashable, Sendable {
    public var table: TableDefinition
    /// The name by which the query knows it, for EXPLAIN.
    public var alias: String
    public var columns: [ScanColumn]
    public init(table: TableDefinition, alias: String, columns: [ScanColumn]) {
        self.table = table
        self.alias = alias
        self.columns = columns
    }
}

/// A system table or view whose rows the session produces when the query runs (STL_, STV_, SVV_, pg_catalog ...).
public struct LogicalSystemScan: Hashable, Sendable {
    public var relation: String
    public var alias: String
    public var columns: [OutputColumn]
    /// Index of each column in the relation's full row.
    public var indexes: [Int]
    public init(relation: String, alias: String, columns: [OutputColumn], indexes: [Int]) {
        self.relation = relation
        self.alias = alias
        self.columns = columns
        self.indexes = indexes
    }
}

/// Rows of expressions without columns: VALUES, INSERT ... VALUES, and SELECT without FROM (one row, no columns).
public struct LogicalValues: Hashable, Sendable {
    public var columns: [OutputColumn]
    public var rows: [[BoundExpression]]
    public init(columns: [OutputColumn], rows: [[BoundExpression]]) {
        self.columns = columns
        self.rows = rows
    }
}

public enum JoinKind: Hashable, Sendable {
    case inner, left, right, full
    /// Left rows with (semi) or without (anti) a match; only left columns leave.
    case semi, anti
    /// Every left row, with a BOOLEAN column that tells whether a match exists. With `nullAware` it is NULL where IN
    /// would be.
    case mark(ColumnID, nullAware: Bool)
    /// As left, but a second match for a row is error 21000 (scalar subqueries).
    case single
    /// `NOT IN`: as anti, but no row passes when the right side has a NULL key, nor a left NULL key unless the right is
    /// empty.
    case antiNullAware
}

public struct LogicalJoin: Hashable, Sendable {
    public var kind: JoinKind
    /// nil: cross join.
    public var condition: BoundExpression?
    public var left: LogicalPlan
    public var right: LogicalPlan
    public init(kind: JoinKind, condition: BoundExpression?, left: LogicalPlan, right: LogicalPlan) {
        self.kind = kind
        self.condition = condition
        self.left = left
        self.right = right
    }
}

/// Grouping and aggregation. Outputs are the group columns and the aggregates. Without groups there is exactly one row.
public struct LogicalAggregate: Hashable, Sendable {
    public var groups: [ProjectedColumn]
    public var aggregates: [Aggregate]
    /// Indexes into `groups` of each grouping set; nil: one set of all. Groups outside of a set are NULL.
    public var groupingSets: [[Int]]?
    /// With grouping sets: an INTEGER column per GROUPING() call, bit mask over `groups` (1 = not in the set).
    public var groupingColumn: ColumnID?
    public var input: LogicalPlan

    public struct Aggregate: Hashable, Sendable {
        public var id: ColumnID
        public var call: AggregateCall
        public init(id: ColumnID, call: AggregateCall) {
            self.id = id
            self.call = call
        }
    }
    public init(
        groups: [ProjectedColumn], aggregates: [Aggregate], groupingSets: [[Int]]? = nil,
        groupingColumn: ColumnID? = nil, input: LogicalPlan
    ) {
        self.groups = groups
        self.aggregates = aggregates
        self.groupingSets = groupingSets
        self.groupingColumn = groupingColumn
        self.input = input
    }
}

/// Adds one column per window function to its input's columns.
public struct LogicalWindow: Hashable, Sendable {
    public var partitionBy: [BoundExpression]
    public var orderBy: [SortItem]
    public var functions: [Function]
    public var input: LogicalPlan

    public struct Function: Hashable, Sendable {
        public var id: ColumnID
        public var call: WindowCall
        public init(id: ColumnID, call: WindowCall) {
            self.id = id
            self.call = call
        }
    }
    public init(partitionBy: [BoundExpression], orderBy: [SortItem], functions: [Function], input: LogicalPlan) {
        self.partitionBy = partitionBy
        self.orderBy = orderBy
        self.functions = functions
        self.input = input
    }
}

public struct LogicalLimit: Hashable, Sendable {
    /// nil: no limit.
    public var count: Int64?
    public var offset: Int64
    public var input: LogicalPlan
    public init(count: Int64?, offset: Int64, input: LogicalPlan) {
        self.count = count
        self.offset = offset
        self.input = input
    }
}

public struct LogicalSetOperation: Hashable, Sendable {
    public enum Kind: Hashable, Sendable { case union, intersect, except }
    public var kind: Kind
    public var all: Bool
    /// New columns; the binder has made both inputs' columns the same types.
    public var outputs: [OutputColumn]
    public var left: LogicalPlan
    public var leftColumns: [ColumnID]
    public var right: LogicalPlan
    public var rightColumns: [ColumnID]
    public init(
        kind: Kind, all: Bool, outputs: [OutputColumn], left: LogicalPlan, leftColumns: [ColumnID],
        right: LogicalPlan, rightColumns: [ColumnID]
    ) {
        self.kind = kind
        self.all = all
        self.outputs = outputs
        self.left = left
        self.leftColumns = leftColumns
        self.right = right
        self.rightColumns = rightColumns
    }
}

/// A common table expression that several places of `body` read. The optimizer inlines it or keeps it, to be computed
/// once.
public struct LogicalWith: Hashable, Sendable {
    public var id: Int
    public var name: String
    public var definition: LogicalPlan
    public var definitionColumns: [OutputColumn]
    public var body: LogicalPlan
    public init(
        id: Int, name: String, definition: LogicalPlan, definitionColumns: [OutputColumn], body: LogicalPlan
    ) {
        self.id = id
        self.name = name
        self.definition = definition
        self.definitionColumns = definitionColumns
        self.body = body
    }
}

/// One use of a CTE, with column ids of its own: `columns[i]` is the definition's column `sources[i]`.
public struct LogicalWithReference: Hashable, Sendable {
    public var id: Int
    public var alias: String
    public var columns: [OutputColumn]
    public var sources: [ColumnID]
    public init(id: Int, alias: String, columns: [OutputColumn], sources: [ColumnID]) {
        self.id = id
        self.alias = alias
        self.columns = columns
        self.sources = sources
    }
}

/// A bound SELECT with its visible result columns, in order.
public struct LogicalQuery: Hashable, Sendable {
    public var plan: LogicalPlan
    public var outputs: [OutputColumn]
    public init(plan: LogicalPlan, outputs: [OutputColumn]) {
        self.plan = plan
        self.outputs = outputs
    }
}
