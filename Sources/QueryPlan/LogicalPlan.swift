import Catalog
import SQLTypes

/// What a query computes, before any decision on how. A tree of immutable values over ``ColumnID``s.
package indirect enum LogicalPlan: Hashable, Sendable {
    case scan(LogicalScan)
    case systemScan(LogicalSystemScan)
    case values(LogicalValues)
    case filter(BoundExpression, LogicalPlan)
    /// Outputs exactly these columns.
    case project([ProjectedColumn], LogicalPlan)
    case join(LogicalJoin)
    case aggregate(LogicalAggregate)
    case window(LogicalWindow)
    case unnest(LogicalUnnest)
    case sort([SortItem], LogicalPlan)
    case limit(LogicalLimit)
    case setOperation(LogicalSetOperation)
    case with(LogicalWith)
    case withReference(LogicalWithReference)
}

package struct ProjectedColumn: Hashable, Sendable {
    package var id: ColumnID
    package var expression: BoundExpression
    package init(id: ColumnID, expression: BoundExpression) {
        self.id = id
        self.expression = expression
    }
}

/// A column of a stored table that a scan reads.
package struct ScanColumn: Hashable, Sendable {
    package var id: ColumnID
    /// Index in ``TableDefinition/columns``, ``rowID`` or ``sliceNumber``.
    package var index: Int
    package var type: SQLType
    /// The hidden BIGINT column of DELETE, UPDATE and MERGE: where the row is in the table's snapshot.
    package static let rowID = Int.max
    /// The hidden INTEGER column of SLICE_NUM().
    package static let sliceNumber = Int.max - 1
    package var isRowID: Bool { index == ScanColumn.rowID }
    /// In no block, and never NULL.
    package var isHidden: Bool { index >= ScanColumn.sliceNumber }
    package init(id: ColumnID, index: Int, type: SQLType) {
        self.id = id
        self.index = index
        self.type = type
    }
}

package struct LogicalScan: Hashable, Sendable {
    package var table: TableDefinition
    /// The name by which the query knows it, for EXPLAIN.
    package var alias: String
    package var columns: [ScanColumn]
    package init(table: TableDefinition, alias: String, columns: [ScanColumn]) {
        self.table = table
        self.alias = alias
        self.columns = columns
    }
}

/// A system table or view (STL_, STV_, SVV_, pg_catalog ...), or a function in FROM, whose rows the session produces
/// when the query runs.
package struct LogicalSystemScan: Hashable, Sendable {
    package var relation: String
    /// Of a function; nil for tables and views.
    package var arguments: [Datum]?
    package var alias: String
    package var columns: [OutputColumn]
    /// Index of each column in the relation's full row.
    package var indexes: [Int]
    package init(
        relation: String, arguments: [Datum]? = nil, alias: String, columns: [OutputColumn], indexes: [Int]
    ) {
        self.relation = relation
        self.arguments = arguments
        self.alias = alias
        self.columns = columns
        self.indexes = indexes
    }
}

/// Rows of expressions without columns: VALUES, INSERT ... VALUES, and SELECT without FROM (one row, no columns).
package struct LogicalValues: Hashable, Sendable {
    package var columns: [OutputColumn]
    package var rows: [[BoundExpression]]
    package init(columns: [OutputColumn], rows: [[BoundExpression]]) {
        self.columns = columns
        self.rows = rows
    }
}

package enum JoinKind: Hashable, Sendable {
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

package struct LogicalJoin: Hashable, Sendable {
    package var kind: JoinKind
    /// nil: cross join.
    package var condition: BoundExpression?
    package var left: LogicalPlan
    package var right: LogicalPlan
    package init(kind: JoinKind, condition: BoundExpression?, left: LogicalPlan, right: LogicalPlan) {
        self.kind = kind
        self.condition = condition
        self.left = left
        self.right = right
    }
}

/// Grouping and aggregation. Outputs are the group columns and the aggregates. Without groups there is exactly one row.
package struct LogicalAggregate: Hashable, Sendable {
    package var groups: [ProjectedColumn]
    package var aggregates: [Aggregate]
    /// Indexes into `groups` of each grouping set; nil: one set of all. Groups outside of a set are NULL.
    package var groupingSets: [[Int]]?
    /// With grouping sets: an INTEGER column per GROUPING() call, bit mask over `groups` (1 = not in the set).
    package var groupingColumn: ColumnID?
    package var input: LogicalPlan

    package struct Aggregate: Hashable, Sendable {
        package var id: ColumnID
        package var call: AggregateCall
        package init(id: ColumnID, call: AggregateCall) {
            self.id = id
            self.call = call
        }
    }
    package init(
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
package struct LogicalWindow: Hashable, Sendable {
    package var partitionBy: [BoundExpression]
    package var orderBy: [SortItem]
    package var functions: [Function]
    package var input: LogicalPlan

    package struct Function: Hashable, Sendable {
        package var id: ColumnID
        package var call: WindowCall
        package init(id: ColumnID, call: WindowCall) {
            self.id = id
            self.call = call
        }
    }
    package init(partitionBy: [BoundExpression], orderBy: [SortItem], functions: [Function], input: LogicalPlan) {
        self.partitionBy = partitionBy
        self.orderBy = orderBy
        self.functions = functions
        self.input = input
    }
}

package struct LogicalLimit: Hashable, Sendable {
    /// nil: no limit.
    package var count: Int64?
    package var offset: Int64
    package var input: LogicalPlan
    package init(count: Int64?, offset: Int64, input: LogicalPlan) {
        self.count = count
        self.offset = offset
        self.input = input
    }
}

package struct LogicalSetOperation: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case union, intersect, except }
    package var kind: Kind
    package var all: Bool
    /// New columns; the binder has made both inputs' columns the same types.
    package var outputs: [OutputColumn]
    package var left: LogicalPlan
    package var leftColumns: [ColumnID]
    package var right: LogicalPlan
    package var rightColumns: [ColumnID]
    package init(
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
package struct LogicalWith: Hashable, Sendable {
    package var id: Int
    package var name: String
    package var definition: LogicalPlan
    package var definitionColumns: [OutputColumn]
    /// WITH RECURSIVE: the definition gives the first rows only.
    package var recursion: LogicalRecursion?
    package var body: LogicalPlan
    package init(
        id: Int, name: String, definition: LogicalPlan, definitionColumns: [OutputColumn],
        recursion: LogicalRecursion? = nil, body: LogicalPlan
    ) {
        self.recursion = recursion
        self.id = id
        self.name = name
        self.definition = definition
        self.definitionColumns = definitionColumns
        self.body = body
    }
}

/// The part of a recursive CTE that makes rows of those made last, until it makes none.
package struct LogicalRecursion: Hashable, Sendable {
    /// What references in `step` read: the rows made last, under the ids of the definition's columns.
    package var workingID: Int
    package var step: LogicalPlan
    /// Of the step's outputs, in the order of the definition's columns.
    package var stepColumns: [ColumnID]
    package init(workingID: Int, step: LogicalPlan, stepColumns: [ColumnID]) {
        self.workingID = workingID
        self.step = step
        self.stepColumns = stepColumns
    }
}

/// One use of a CTE, with column ids of its own: `columns[i]` is the definition's column `sources[i]`.
package struct LogicalWithReference: Hashable, Sendable {
    package var id: Int
    package var alias: String
    package var columns: [OutputColumn]
    package var sources: [ColumnID]
    package init(id: Int, alias: String, columns: [OutputColumn], sources: [ColumnID]) {
        self.id = id
        self.alias = alias
        self.columns = columns
        self.sources = sources
    }
}

/// A bound SELECT with its visible result columns, in order.
package struct LogicalQuery: Hashable, Sendable {
    package var plan: LogicalPlan
    package var outputs: [OutputColumn]
    package init(plan: LogicalPlan, outputs: [OutputColumn]) {
        self.plan = plan
        self.outputs = outputs
    }
}
