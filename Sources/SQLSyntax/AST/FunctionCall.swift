/// A call of a function, aggregate or window function. The keyword forms of SQL become ordinary calls:
/// `SUBSTRING(s FROM a FOR n)` is `substring(s, a, n)`, `TRIM(LEADING c FROM s)` is `ltrim(s, c)` (BOTH:
/// `btrim`, TRAILING:
/// `rtrim`), `OVERLAY(s PLACING p FROM a FOR n)` is `overlay(s, p, a, n)`, `POSITION(p IN s)` is `position(s, p)`.
package struct FunctionCall: Sendable, Hashable {
    package enum NullTreatment: String, Sendable, Hashable { case ignore = "IGNORE NULLS", respect = "RESPECT NULLS" }
    package enum Form: Sendable, Hashable {
        case call
        /// Written without parentheses: CURRENT_DATE, SYSDATE, USER.
        case niladic
        /// `POSITION(p IN s)`; arguments are `s, p`.
        case positionIn
        /// `APPROXIMATE COUNT(DISTINCT x)` and `APPROXIMATE PERCENTILE_DISC`.
        case approximate
    }
    package let name: ObjectName
    package let arguments: [Expression]
    package let form: Form
    /// `count(*)`.
    package let isStar: Bool
    package let isDistinct: Bool
    /// Inside the parentheses.
    package let orderBy: [OrderItem]
    package let withinGroup: [OrderItem]
    package let filter: Expression?
    package let nullTreatment: NullTreatment?
    package let over: OverClause?
    package let position: SourcePosition

    package init(
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

package enum OverClause: Sendable, Hashable {
    case named(Identifier)
    case specification(WindowSpecification)
}

package struct WindowSpecification: Sendable, Hashable {
    /// `OVER (w ORDER BY ...)`.
    package let base: Identifier?
    package let partitionBy: [Expression]
    package let orderBy: [OrderItem]
    package let frame: WindowFrame?
    package let position: SourcePosition
}

package struct WindowFrame: Sendable, Hashable {
    package enum Unit: String, Sendable, Hashable { case rows = "ROWS", range = "RANGE", groups = "GROUPS" }
    package enum Bound: Sendable, Hashable {
        case unboundedPreceding
        case preceding(Expression)
        case currentRow
        case following(Expression)
        case unboundedFollowing
    }
    package enum Exclusion: String, Sendable, Hashable {
        case currentRow = "CURRENT ROW", group = "GROUP", ties = "TIES", noOthers = "NO OTHERS"
    }
    package let unit: Unit
    package let start: Bound
    /// CURRENT ROW when only the start is written.
    package let end: Bound
    package let exclusion: Exclusion?
    package let position: SourcePosition
}

package struct NamedWindow: Sendable, Hashable {
    package let name: Identifier
    package let specification: WindowSpecification
}

package struct OrderItem: Sendable, Hashable {
    package let expression: Expression
    package let descending: Bool
    /// nil: the default, NULLs as the largest values.
    package let nullsFirst: Bool?
}
