import QueryPlan
import SQLSyntax
import SQLTypes

/// Binds expressions of one clause. Each kind of expression stands in a file of its own as an extension.
final class ExpressionBinder {
    let session: BindingSession
    let scope: Scope
    private(set) var clause: Clause
    /// Where aggregates and windows of the SELECT go; nil outside of a SELECT.
    let computed: ComputedColumns?

    init(_ session: BindingSession, _ scope: Scope, clause: Clause, computed: ComputedColumns? = nil) {
        self.session = session
        self.scope = scope
        self.clause = clause
        self.computed = computed
    }

    var coercion: Coercion { Coercion(session) }
    var comparison: ComparisonBinder { ComparisonBinder(session) }
    var queries: QueryBinder { QueryBinder(session: session) }

    func inClause<Result>(_ inner: Clause, _ body: () throws -> Result) rethrows -> Result {
        let outer = clause
        clause = inner
        defer { clause = outer }
        return try body()
    }

    /// Untyped literals come back with type ``SQLType/unknown``: what stands around them decides.
    func bind(_ expression: Expression) throws -> BoundExpression {
        try session.countNode()
        if !scope.groupedEntries.isEmpty, let known = scope.groupedEntries[expression] { return known }
        return try session.deeper { try bindNode(expression) }
    }

    /// A condition: BOOLEAN, or an untyped literal.
    func bindCondition(_ expression: Expression) throws -> BoundExpression {
        try condition(try bind(expression), at: expression.position)
    }

    func condition(_ bound: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        switch bound.type {
        case .boolean: return bound
        case .semistructured: return try coercion.cast(bound, to: .boolean, .explicit, at: position)
        case .unknown, .smallint, .integer, .bigint:
            return try coercion.cast(bound, to: .boolean, .assignment, at: position)
        default:
            throw SQLError(
                .datatypeMismatch,
                "argument of \(clauseWord) must be type boolean, not type \(bound.type.nameWithoutModifiers)",
                at: position)
        }
    }

    private var clauseWord: String {
        switch clause {
        case .filter: "WHERE"
        case .joinCondition: "JOIN/ON"
        case .having: "HAVING"
        case .qualify: "QUALIFY"
        default: "AND/OR/NOT"
        }
    }

    private func bindNode(_ expression: Expression) throws -> BoundExpression {
        switch expression {
        case .literal(let node): return try bindLiteral(node)
        case .typedLiteral(let node): return try bindTypedLiteral(node)
        case .interval(let node): return try bindInterval(node)
        case .name(let node): return try bindName(node)
        case .parameter(let node): return try bindParameter(node)
        case .unary(let node): return try bindUnary(node)
        case .binary(let node): return try bindBinary(node)
        case .and(let node): return .and(try node.terms.map { try bindCondition($0) })
        case .or(let node): return .or(try node.terms.map { try bindCondition($0) })
        case .like(let node): return try bindLike(node)
        case .between(let node): return try bindBetween(node)
        case .inList(let node): return try bindInList(node)
        case .isTest(let node): return try bindIsTest(node)
        case .isDistinctFrom(let node): return try bindIsDistinct(node)
        case .caseWhen(let node): return try bindCase(node)
        case .cast(let node): return try bindCast(node)
        default: return try bindOther(expression)
        }
    }

    private func bindOther(_ expression: Expression) throws -> BoundExpression {
        switch expression {
        case .extract(let node): return try bindExtract(node)
        case .function(let node): return try bindFunction(node)
        case .inQuery(let node): return try bindInQuery(node)
        case .exists(let node): return try bindExists(node)
        case .quantified(let node): return try bindQuantified(node)
        case .subquery(let node): return try bindScalarSubquery(node)
        case .atTimeZone(let node): return try bindAtTimeZone(node)
        case .row(let node):
            if node.elements.count == 1 { return try bind(node.elements[0]) }
            throw unsupported("row expressions outside of comparisons", node.position)
        case .array(let node): return try CatalogForms(self).array(node)
        case .navigation(let node):
            let forms = CatalogForms(self)
            if let value = try forms.element(node) ?? forms.field(node) { return value }
            return try SuperNavigation(self).bind(node)
        case .namedArgument(let node): throw unsupported("named arguments", node.name.position)
        case .outerJoinMark(let node): return try bindOuterMark(node)
        case .defaultKeyword(let position):
            throw SQLError(.syntaxError, "DEFAULT is not allowed in this context", at: position)
        default: throw unsupported("this expression", expression.position)
        }
    }

    func unsupported(_ feature: String, _ position: SourcePosition) -> SQLError {
        SQLError(.featureNotSupported, "\(feature) is not supported yet", at: position)
    }
}

/// The syntax tree's expression: Foundation's type of this name is not in sight here, but the short name reads better.
typealias Expression = SQLSyntax.Expression
