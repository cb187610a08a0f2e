import QueryPlan
import SQLSyntax
import SQLTypes

/// LIMIT, OFFSET and TOP: constants only.
extension QueryBinder {
    func limited(
        _ plan: LogicalPlan, limit: Expression?, offset: Expression?, top: Expression?
    ) throws -> LogicalPlan {
        if let top, limit != nil {
            throw SQLError(.syntaxError, "TOP and LIMIT cannot be used together", at: top.position)
        }
        let count = try (limit ?? top).flatMap { try rowCount($0, "LIMIT") }
        let skipped = try offset.flatMap { try rowCount($0, "OFFSET") } ?? 0
        if count == nil && skipped == 0 { return plan }
        return .limit(LogicalLimit(count: count, offset: skipped, input: plan))
    }

    /// nil for NULL, which means no limit.
    private func rowCount(_ expression: Expression, _ clause: String) throws -> Int64? {
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .limit)
        let bound = try binder.bind(expression)
        let coercion = Coercion(session)
        let count = try coercion.cast(bound, to: .bigint, .implicit, at: expression.position)
        // While a statement is prepared its parameters have no values yet, and any number does.
        if case .parameter = count {
            session.noteDependence()
            return 0
        }
        guard case .constant(let datum, _) = count else {
            throw SQLError(
                .featureNotSupported, "argument of \(clause) must be a constant", at: expression.position)
        }
        guard case .integer(let value) = datum else { return nil }
        guard value >= 0 else {
            throw SQLError(
                SQLState(clause == "LIMIT" ? "2201W" : "2201X"), "\(clause) must not be negative",
                at: expression.position)
        }
        return Int64(clamping: value)
    }
}
