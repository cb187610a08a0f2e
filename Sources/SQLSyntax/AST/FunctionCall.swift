/// A call of a function, aggregate or window function. The keyword forms of SQL become ordinary calls:
/// `SUBSTRING(s FROM a FOR n)` is `substring(s, a, n)`, `TRIM(LEADING c FROM s)` is `ltrim(s, c)` (BOTH:
/// `btrim`, TRAILING:
/// `rtrim`), `OVERLAY(s PLACING p FROM a FOR n)` is `overlay(s, p, a, n)`, `POSITION(p IN s)` is `position(s, p)`.
public struct FunctionCall: Sendable, Hashable {
    public enum NullTreatment: String, Sendable, Hashable { case ignore = "IGNORE NULLS", respect = "RESPECT NULLS" }
    public enum Form: Sendable, Hashable {
        case call
        /// Written without parentheses: CURRENT_DATE, SYSDATE, USER.
        case niladic
        /// `POSITION(p IN s)`; arguments are `s, p`.
        case positionIn
        /// `APPROXIMATE COUNT(DISTINCT x)` and `APPROXIMATE PERCENTILE_DISC`.
        case approximate
    }
    public let name: ObjectName
    public let arguments: [Expression]
    public let form: Form
    /// `count(*)`.
    public let isStar: Bool
    public let isDistinct: Bool
    /// Inside the parentheses.
    public let orderBy: [OrderItem]
    public let withinGroup: [OrderItem]
    public let filter: Expression?
    public let nullTreatment: NullTreatment?
    public let over: OverClause?
    public let position: SourcePosition

    public init(
        name: ObjectName, arguments: [Expression], form: Form = .call, isStar: Bool = false, isDistinct: Bool = false,
        orderBy: [OrderItem] = [], withinGroup: [OrderItem] = [], filter: Expression? = nil,
        nullTreatment: NullTreatment? = nil, over: OverClause? = nil, position: SourcePosition = .unknown
    ) {
        self.name = name
        self.arguments = arguments
        self.form = form
        self.isStar = isStar
        self.isDistinct = isDistinct
        self.orderBy = orderBy
        self.withinGroup = withinGroup
        self.filter = filter
        self.nullTreatment = nullTreatment
        self.over = over
        self.position = position
    }
}

public enum OverClause: Sendable, Hashable {
    case named(Identifier)
    case specification(WindowSpecification)
}

public struct WindowSpecification: Sendable, Hashable {
    /// `OVER (w ORDER BY ...)`.
    public let base: Identifier?
    public let partitionBy: [Expression]
    public let orderBy: [OrderItem]
    public let frame: WindowFrame?
    public let position: SourcePosition
}

public struct WindowFrame: Sendable, Hashable {
    public enum Unit: String, Sendable, Hashable { case rows = "ROWS", range = "RANGE", groups = "GROUPS" }
    public enum Bound: Sendable, Hashable {
        case unboundedPreceding
        case preceding(Expression)
        case currentRow
        case following(Expression)
        case unboundedFollowing
    }
    public enum Exclusion: String, Sendable, Hashable {
        case currentRow = "CURRENT ROW", group = "GROUP", ties = "TIES", noOthers = "NO OTHERS"
    }
    public let unit: Unit
    public let start: Bound
    /// CURRENT ROW when only the start is written.
    public let end: Bound
    public let exclusion: Exclusion?
    public let position: SourcePosition
}

public struct NamedWindow: Sendable, Hashable {
    public let name: Identifier
    public let specification: WindowSpecification
}

public struct OrderItem: Sendable, Hashable {
    public let expression: Expression
    public let descending: Bool
    /// nil: the default, NULLs as the largest values.
    public let nullsFirst: Bool?
}
