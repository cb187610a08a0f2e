import QueryPlan
import SQLSyntax
import SQLTypes

/// Calls that are more than a look-up in the function table: other expressions in a function's clothes, and functions
/// whose arguments need preparing.
struct SpecialForms {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var session: BindingSession { binder.session }
    private var calls: SignatureCall { SignatureCall(session) }

    /// nil when the function table knows all about the call.
    func bind(_ call: FunctionCall) throws -> BoundExpression? {
        try SpecialForm.named(call.name.name)?.bind(binder, call)
    }

    static let all: [SpecialForm] = [
        SpecialForm(["coalesce", "nvl"]) { try SpecialForms($0).choice(.coalesce, $1, word: "COALESCE", minimum: 1) },
        SpecialForm(["greatest"]) { try SpecialForms($0).choice(.greatest, $1, word: "GREATEST", minimum: 1) },
        SpecialForm(["least"]) { try SpecialForms($0).choice(.least, $1, word: "LEAST", minimum: 1) },
        SpecialForm(["nullif"]) { try SpecialForms($0).nullIf($1) },
        SpecialForm(["nvl2"], [[.any, .common, .common]], returns: .argument(1)) { try SpecialForms($0).nvl2($1) },
        SpecialForm(["iif"], [[.boolean, .common, .common]], returns: .argument(1)) { try SpecialForms($0).iif($1) },
        SpecialForm(
            ["decode"],
            [[.any, .any, .common], [.any, .any, .common, .common], [.any, .any, .common, .any, .common]],
            returns: .argument(2)
        ) { try SpecialForms($0).decode($1) },
        SpecialForm([
            "date_part", "datepart", "pgdate_part", "dateadd", "date_add", "datediff", "date_diff", "date_trunc",
        ]) {
            try DatePartCall($0).bind($1)
        },
        SpecialForm(["date_part_year"], [[.date]], returns: .integer) { try SpecialForms($0).datePartYear($1) },
        SpecialForm(["mod"]) { try SpecialForms($0).modulo($1) },
        SpecialForm([SliceNumber.functionName], [[]], returns: .integer) { try SliceNumber.bind($0, $1) },
        SpecialForm(["reboot_cluster"], [[]], returns: .integer) { _, call in
            throw SQLError(
                .featureNotSupported, "REBOOT_CLUSTER is not supported",
                hint: "Stop the server and start it again.", at: call.position)
        },
        SpecialForm(["json_parse"]) { try SpecialForms($0).jsonParse($1) },
        SpecialForm(["object_transform"]) { try ObjectTransformCall($0).bind($1) },
        SpecialForm(["array"], []) { try SpecialForms($0).arrayOfRows($1) },
        SpecialForm(["round", "trunc", "ceil", "ceiling", "floor"]) { try SpecialForms($0).rounding($1) },
    ]

    private func arguments(_ call: FunctionCall, _ counts: ClosedRange<Int>) throws -> [BoundExpression] {
        let bound = try call.arguments.map { try binder.bind($0) }
        guard counts.contains(bound.count) else { throw binder.unknownFunction(call, bound.map(\.type)) }
        return bound
    }

    private func choice(
        _ function: ScalarFunction, _ call: FunctionCall, word: String, minimum: Int
    ) throws -> BoundExpression {
        let bound = try arguments(call, minimum...Int.max)
        let (type, values) = try binder.unifiedResults(bound, word: word, at: call.position)
        if function != .coalesce && !type.family.isComparable {
            throw binder.unknownFunction(call, bound.map(\.type))
        }
        let collations = Collations(session)
        if function != .coalesce, values.count > 1, collations.isInsensitive(values) {
            let ordered = values.map { collations.ordered($0) }
            return collations.unordered(.call(function, ordered, ordered[0].type), type)
        }
        return values.count == 1 ? values[0] : .call(function, values, type)
    }

    private func nullIf(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 2...2)
        let value = try binder.coercion.resolved(bound[0])
        try session.countCopies(of: value)
        let condition = try binder.comparison.compare(.equal, value, bound[1], at: call.position)
        if case .comparison(_, let same, let other) = condition, same == value, other.type == value.type {
            return .call(.nullIf, [value, other], value.type)
        }
        let branch = BoundExpression.CaseBranch(condition: condition, result: .constant(.null, value.type))
        return .caseWhen([branch], otherwise: value, value.type)
    }

    private func nvl2(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 3...3)
        let test = BoundExpression.not(.isNull(try binder.coercion.resolved(bound[0])))
        return try binder.caseWhen([test], [bound[1], bound[2]], word: "NVL2", at: call.position)
    }

    private func iif(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 3...3)
        let test = try binder.condition(bound[0], at: call.position)
        return try binder.caseWhen([test], [bound[1], bound[2]], word: "IIF", at: call.position)
    }

    /// DECODE(x, search, result, ... [, default]): NULL matches NULL.
    private func decode(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 3...Int.max)
        try session.countCopies(of: bound[0], bound.count / 2)
        var conditions: [BoundExpression] = []
        var results: [BoundExpression] = []
        var index = 1
        while index + 1 < bound.count {
            if case .constant(.null, _) = bound[index] {
                conditions.append(.isNull(try binder.coercion.resolved(bound[0])))
            } else {
                let isConstant = if case .constant = bound[index] { true } else { false }
                let symbol: ComparisonOperator = isConstant ? .equal : .notDistinctFrom
                conditions.append(try binder.comparison.compare(symbol, bound[0], bound[index], at: call.position))
            }
            results.append(bound[index + 1])
            index += 2
        }
        results.append(index < bound.count ? bound[index] : .constant(.null, .unknown))
        return try binder.caseWhen(conditions, results, word: "DECODE", at: call.position)
    }

    private func arrayOfRows(_ call: FunctionCall) throws -> BoundExpression? {
        guard call.arguments.count == 1, case .subquery(let node) = call.arguments[0] else { return nil }
        return try CatalogForms(binder).array(of: node)
    }

    private func datePartYear(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 1...1)
        let date = try binder.coercion.cast(bound[0], to: .date, .implicit, at: call.position)
        return .call(.datePart, [DatePartCall.constant(.year), date], .integer)
    }

    private func modulo(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 2...2)
        return try ArithmeticBinder(session).bind(.modulo, bound[0], bound[1], at: call.position)
    }

    /// Whether malformed texts are errors is the session's to say.
    private func jsonParse(_ call: FunctionCall) throws -> BoundExpression? {
        let settings = session.settings.semistructured
        guard call.arguments.count == 1 else { return nil }
        if settings.removesDuplicates {
            throw SQLError(
                .featureNotSupported, "json_parse_dedup_attributes is not supported",
                hint: "Set it to off: attributes of one name are kept.", at: call.position)
        }
        let isLax = BoundExpression.constant(.boolean(settings.parsesToNull), .boolean)
        let arguments = [try binder.bind(call.arguments[0]), isLax]
        guard let bound = try calls.resolve(call.name.name, arguments, at: call.position) else {
            throw binder.unknownFunction(call, [arguments[0].type])
        }
        return bound
    }

    /// Whole numbers are round already; TRUNC of a moment is its date.
    private func rounding(_ call: FunctionCall) throws -> BoundExpression {
        let bound = try arguments(call, 1...2)
        let value = bound[0]
        if call.name.name == "trunc", value.type.isDatetime, bound.count == 1 {
            return try binder.coercion.cast(value, to: .date, .explicit, at: call.position)
        }
        if value.type.isInteger && bound.count == 1 { return value }
        guard let rounded = try calls.resolve(call.name.name, bound, at: call.position) else {
            throw binder.unknownFunction(call, bound.map(\.type))
        }
        guard value.type.isInteger else { return rounded }
        return try binder.coercion.cast(rounded, to: value.type, .explicit, at: call.position)
    }
}
