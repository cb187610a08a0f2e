/// A scalar expression as written: names are not looked up, types are not known.
/// Height is limited by ``SyntaxLimits``, so recursive walks are safe; AND, OR and IN lists are flat.
package indirect enum Expression: Sendable, Hashable {
    case literal(Literal)
    case typedLiteral(TypedLiteral)
    case interval(IntervalLiteral)
    /// A column, possibly qualified, or a SUPER path without subscripts.
    case name(ObjectName)
    /// `$1`.
    case parameter(ParameterReference)
    case unary(UnaryExpression)
    case binary(BinaryExpression)
    /// Two or more terms.
    case and(LogicalExpression)
    case or(LogicalExpression)
    case like(LikeExpression)
    case between(BetweenExpression)
    case inList(InListExpression)
    case inQuery(InQueryExpression)
    case exists(ExistsExpression)
    /// `x = ANY (query or array)`.
    case quantified(QuantifiedExpression)
    /// `IS [NOT] NULL / TRUE / FALSE / UNKNOWN`.
    case isTest(IsTestExpression)
    case isDistinctFrom(IsDistinctExpression)
    case caseWhen(CaseExpression)
    case cast(CastExpression)
    case extract(ExtractExpression)
    case function(FunctionCall)
    /// `(a, b)`, `ROW(a, b)`.
    case row(ElementList)
    /// `ARRAY[a, b]`.
    case array(ElementList)
    case subquery(ScalarSubquery)
    case atTimeZone(AtTimeZoneExpression)
    /// `a.b[0].c`.
    case navigation(NavigationExpression)
    /// `name => value` in a call.
    case namedArgument(NamedArgument)
    /// `column (+)`, Oracle's outer join mark.
    case outerJoinMark(OuterJoinMark)
    /// `DEFAULT` in INSERT and UPDATE.
    case defaultKeyword(SourcePosition)

    /// Where errors about this expression point: its operator if it has one, else its beginning.
    package var position: SourcePosition {
        switch self {
        case .literal(let node): node.position
        case .typedLiteral(let node): node.position
        case .interval(let node): node.position
        case .name(let node): node.position
        case .parameter(let node): node.position
        case .unary(let node): node.position
        case .binary(let node): node.position
        case .and(let node), .or(let node): node.position
        case .like(let node): node.position
        case .between(let node): node.position
        case .inList(let node): node.position
        case .inQuery(let node): node.position
        case .exists(let node): node.position
        case .quantified(let node): node.position
        case .isTest(let node): node.position
        case .isDistinctFrom(let node): node.position
        case .caseWhen(let node): node.position
        case .cast(let node): node.position
        case .extract(let node): node.position
        case .function(let node): node.position
        case .row(let node), .array(let node): node.position
        case .subquery(let node): node.position
        case .atTimeZone(let node): node.position
        case .navigation(let node): node.position
        case .namedArgument(let node): node.name.position
        case .outerJoinMark(let node): node.position
        case .defaultKeyword(let position): position
        }
    }
}
