import QueryPlan
import SQLSyntax
import SQLTypes

/// Special forms of times: periods that overlap, and what the present moment is in other types.
struct TimeForms {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    static let all: [SpecialForm] = [
        SpecialForm(["overlaps"]) { try TimeForms($0).overlaps($1) },
        SpecialForm(["current_time"], [[]], returns: .fixed(.timetz)) {
            try TimeForms($0).present(.timestamptz, .timetz, $1)
        },
        SpecialForm(["localtime"], [[]], returns: .fixed(.time)) { try TimeForms($0).present(.timestamp, .time, $1) },
        SpecialForm(["isfinite"], [[.timestamp], [.timestamptz], [.date], [.interval]], returns: .boolean) {
            try TimeForms($0).isFinite($1)
        },
    ]

    /// A period's second part is a moment, or the time from the first one on.
    private func overlaps(_ call: FunctionCall) throws -> BoundExpression? {
        guard call.arguments.count == 4 else { return nil }
        var bound = try call.arguments.map { try binder.bind($0) }
        for (start, end) in [(0, 1), (2, 3)] where bound[end].type.isInterval {
            try binder.session.countCopies(of: bound[start])
            guard
                let sum = try SignatureCall(binder.session).resolve("+", [bound[start], bound[end]], at: call.position)
            else { throw OperatorError.noOperator("+", bound[start].type, bound[end].type, at: call.position) }
            bound[end] = sum
        }
        let type: SQLType
        if bound.contains(where: { $0.type == .timestamptz }) {
            type = .timestamptz
        } else if bound.contains(where: { $0.type == .timestamp || $0.type == .date }) {
            type = .timestamp
        } else if bound.contains(where: { $0.type == .time }) {
            type = .time
        } else {
            return nil
        }
        let values = try bound.map { try binder.coercion.cast($0, to: type, .implicit, at: call.position) }
        return .call(.overlaps, values, .boolean)
    }

    /// - Parameter clock: the type of the moment that is looked at.
    private func present(_ clock: SQLType, _ type: SQLType, _ call: FunctionCall) throws -> BoundExpression? {
        // A precision says nothing: as in Redshift there are always six digits.
        guard call.arguments.count <= (call.form == .niladic ? 1 : 0) else { return nil }
        return try binder.coercion.cast(.call(.currentTimestamp, [], clock), to: type, .explicit, at: call.position)
    }

    /// No date of Redshift's is infinite.
    private func isFinite(_ call: FunctionCall) throws -> BoundExpression? {
        let bound = try call.arguments.map { try binder.bind($0) }
        guard bound.count == 1 else { return nil }
        let value = try binder.coercion.resolved(bound[0])
        let isMoment = [.date, .timestamp, .timestamptz].contains(value.type) || value.type.isInterval
        guard isMoment || bound[0].type == .unknown else {
            return nil
        }
        let moment =
            bound[0].type == .unknown
            ? try binder.coercion.cast(bound[0], to: .timestamp, .implicit, at: call.position) : value
        let branch = BoundExpression.CaseBranch(
            condition: .not(.isNull(moment)), result: .constant(.boolean(true), .boolean))
        return .caseWhen([branch], otherwise: .constant(.null, .boolean), .boolean)
    }
}
