/// A whole query: body, then what applies to its result.
public struct Query: Sendable, Hashable {
    public var with: WithClause?
    public var body: QueryBody
    public var orderBy: [OrderItem]
    /// nil also for LIMIT ALL. FETCH FIRST n ROWS is a limit; TOP stands in ``SelectBody/top``.
    public var limit: Expression?
    public var offset: Expression?
    /// FOR UPDATE / FOR SHARE was written.
    public var isLocking: Bool
    public let position: SourcePosition

    public init(
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

public indirect enum QueryBody: Sendable, Hashable {
    case select(SelectBody)
    case setOperation(SetOperation)
    case values(ValuesBody)
    /// A parenthesized query with clauses of its own.
    case nested(Query)
}

public struct WithClause: Sendable, Hashable {
    public let isRecursive: Bool
    public let tables: [CommonTable]
}

public struct CommonTable: Sendable, Hashable {
    public let name: Identifier
    public let columns: [Identifier]
    public let query: Query
}

public struct SetOperation: Sendable, Hashable {
    /// MINUS is EXCEPT.
    public enum Kind: String, Sendable, Hashable { case union = "UNION", intersect = "INTERSECT", except = "EXCEPT" }
    public let kind: Kind
    public let all: Bool
    public let left: QueryBody
    public let right: QueryBody
    public let position: SourcePosition
}

public struct ValuesBody: Sendable, Hashable {
    /// Entries may be ``Expression/defaultKeyword(_:)`` (INSERT only).
    public let rows: [[Expression]]
    public let position: SourcePosition
}

public struct SelectBody: Sendable, Hashable {
    public var isDistinct: Bool = false
    /// `DISTINCT ON (...)`: parsed, not supported by Redshift.
    public var distinctOn: [Expression] = []
    public var top: Expression?
    public var items: [SelectItem] = []
    /// `SELECT * EXCLUDE (a, b)`.
    public var exclude: [Identifier] = []
    public var into: IntoClause?
    /// Comma-separated.
    public var from: [TableReference] = []
    public var filter: Expression?
    public var connectBy: ConnectByClause?
    public var groupBy: GroupByClause?
    public var having: Expression?
    public var qualify: Expression?
    public var windows: [NamedWindow] = []
    public let position: SourcePosition

    public init(position: SourcePosition = .unknown) { self.position = position }
}

public enum SelectItem: Sendable, Hashable {
    case expression(Expression, alias: Identifier?)
    /// `*` or `t.*`.
    case wildcard(qualifier: ObjectName?, position: SourcePosition)
}

public struct IntoClause: Sendable, Hashable {
    public let name: ObjectName
    public let isTemporary: Bool
}

public struct ConnectByClause: Sendable, Hashable {
    public let startWith: Expression?
    public let condition: Expression
    public let noCycle: Bool
    public let position: SourcePosition
}

public enum GroupByClause: Sendable, Hashable {
    /// `GROUP BY ALL`.
    case all
    case elements([GroupingElement])
}

public indirect enum GroupingElement: Sendable, Hashable {
    /// An expression, ordinal or alias.
    case expression(Expression)
    /// `()` or `(a, b)` inside GROUPING SETS.
    case set([Expression])
    /// A composite `(a, b)` entry is ``Expression/row(_:)``.
    case rollup([Expression])
    case cube([Expression])
    case groupingSets([GroupingElement])
}
