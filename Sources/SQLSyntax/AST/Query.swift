/// A whole query: body, then what applies to its result.
package struct Query: Sendable, Hashable {
    package var with: WithClause?
    package var body: QueryBody
    package var orderBy: [OrderItem]
    /// nil also for LIMIT ALL. FETCH FIRST n ROWS is a limit; TOP stands in ``SelectBody/top``.
    package var limit: Expression?
    package var offset: Expression?
    /// FOR UPDATE / FOR SHARE was written.
    package var isLocking: Bool
    package let position: SourcePosition

    package init(
        with: WithClause? = nil, body: QueryBody, orderBy: [OrderItem] = [], limit: Expression? = nil,
        offset: Expression? = nil, isLocking: Bool = false, position: SourcePosition = .unknown
    ) {
        self.with = with
        self.body = body
        self.orderBy = orderBy
        self.limit = limit
        self.offset = offset
        self.isLocking = isLocking
        self.position = position
    }
}

package indirect enum QueryBody: Sendable, Hashable {
    case select(SelectBody)
    case setOperation(SetOperation)
    case values(ValuesBody)
    /// A parenthesized query with clauses of its own.
    case nested(Query)
}

package struct WithClause: Sendable, Hashable {
    package let isRecursive: Bool
    package let tables: [CommonTable]
}

package struct CommonTable: Sendable, Hashable {
    package let name: Identifier
    package let columns: [Identifier]
    package let query: Query
}

package struct SetOperation: Sendable, Hashable {
    /// MINUS is EXCEPT.
    package enum Kind: String, Sendable, Hashable { case union = "UNION", intersect = "INTERSECT", except = "EXCEPT" }
    package let kind: Kind
    package let all: Bool
    package let left: QueryBody
    package let right: QueryBody
    package let position: SourcePosition
}

package struct ValuesBody: Sendable, Hashable {
    /// Entries may be ``Expression/defaultKeyword(_:)`` (INSERT only).
    package let rows: [[Expression]]
    package let position: SourcePosition
}

package struct SelectBody: Sendable, Hashable {
    package var isDistinct: Bool = false
    /// `DISTINCT ON (...)`: parsed, not supported by Redshift.
    package var distinctOn: [Expression] = []
    package var top: Expression?
    package var items: [SelectItem] = []
    /// `SELECT * EXCLUDE (a, b)`.
    package var exclude: [Identifier] = []
    package var into: IntoClause?
    /// Comma-separated.
    package var from: [TableReference] = []
    package var filter: Expression?
    package var connectBy: ConnectByClause?
    package var groupBy: GroupByClause?
    package var having: Expression?
    package var qualify: Expression?
    package var windows: [NamedWindow] = []
    package let position: SourcePosition

    package init(position: SourcePosition = .unknown) { self.position = position }
}

package enum SelectItem: Sendable, Hashable {
    case expression(Expression, alias: Identifier?)
    /// `*` or `t.*`.
    case wildcard(qualifier: ObjectName?, position: SourcePosition)
}

package struct IntoClause: Sendable, Hashable {
    package let name: ObjectName
    package let isTemporary: Bool
}

package struct ConnectByClause: Sendable, Hashable {
    package let startWith: Expression?
    package let condition: Expression
    package let noCycle: Bool
    package let position: SourcePosition
}

package enum GroupByClause: Sendable, Hashable {
    /// `GROUP BY ALL`.
    case all
    case elements([GroupingElement])
}

package indirect enum GroupingElement: Sendable, Hashable {
    /// An expression, ordinal or alias.
    case expression(Expression)
    /// `()` or `(a, b)` inside GROUPING SETS.
    case set([Expression])
    /// A composite `(a, b)` entry is ``Expression/row(_:)``.
    case rollup([Expression])
    case cube([Expression])
    case groupingSets([GroupingElement])
}
