import QueryPlan
import SQLSyntax
import SQLTypes

/// Functions whose first argument names a date part, bare or quoted.
struct DatePartCall {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var calls: SignatureCall { SignatureCall(binder.session) }

    static func part(_ name: String, at position: SourcePosition) throws -> DatePart {
        guard let part = DatePart(name: name) else {
            throw SQLError(
                .invalidParameterValue, "invalid datetime part \"\(name.lowercased())\"", at: position)
        }
        return part
    }

    /// The part as kernels get it: its canonical name.
    static func constant(_ part: DatePart) -> BoundExpression {
        .constant(.text(part.name), .varchar(part.name.utf8.count))
    }

    func bind(_ call: FunctionCall) throws -> BoundExpression {
        guard let first = call.arguments.first else { throw binder.unknownFunction(call, []) }
        let part = try part(of: first)
        var values = try call.arguments.dropFirst().map { try binder.bind($0) }
        switch call.name.name {
        case "date_part", "datepart", "pgdate_part":
            guard values.count == 1 else { break }
            return try datePart(part, values[0], isExtract: false, at: call.position)
        case "dateadd", "date_add":
            // Fractions of a count are cut; a DATE becomes a TIMESTAMP.
            guard values.count == 2 else { break }
            values[0] = try binder.coercion.cast(values[0], to: .bigint, .explicit, at: call.position)
            values[1] = try moment(values[1], at: call.position)
        case "datediff", "date_diff":
            guard values.count == 2 else { break }
            try unify(&values, part, at: call.position)
        case "date_trunc":
            guard values.count == 1 else { break }
            values[0] = try moment(values[0], at: call.position)
        default: break
        }
        let arguments = [Self.constant(part)] + values
        guard let bound = try calls.resolve(call.name.name, arguments, at: call.position) else {
            throw binder.unknownFunction(call, arguments.map(\.type))
        }
        return bound
    }

    private func part(of expression: Expression) throws -> DatePart {
        if let name = expression.bareName { return try Self.part(name.original, at: name.position) }
        guard let text = try binder.constantText(expression) else {
            throw SQLError(
                .invalidParameterValue, "the first argument must name a date part", at: expression.position)
        }
        return try Self.part(text, at: expression.position)
    }

    /// Strings where a moment is wanted are timestamps.
    private func moment(_ value: BoundExpression, at position: SourcePosition) throws -> BoundExpression {
        switch value.type {
        case .unknown, .char, .varchar, .date:
            try binder.coercion.cast(value, to: .timestamp, .explicit, at: position)
        default: value
        }
    }

    private func unify(_ values: inout [BoundExpression], _ part: DatePart, at position: SourcePosition) throws {
        if values[0].type == .date && values[1].type == .date { return }
        for index in values.indices { values[index] = try moment(values[index], at: position) }
        guard let type = CommonType.of(values) else { return }
        for index in values.indices {
            values[index] = try binder.coercion.cast(values[index], to: type, .implicit, at: position)
        }
    }

    /// EXTRACT and DATE_PART: INTEGER, except the parts that carry a fraction or do not fit.
    func datePart(
        _ part: DatePart, _ value: BoundExpression, isExtract: Bool, at position: SourcePosition
    ) throws -> BoundExpression {
        var value = value
        if value.type == .unknown || value.type.isString { value = try moment(value, at: position) }
        if value.type.isInterval { value = try binder.coercion.cast(value, to: .interval, .implicit, at: position) }
        guard value.type.isDatetime || value.type == .interval else {
            throw OperatorError.noFunction("date_part", [.text, value.type], at: position)
        }
        let type: SQLType
        switch part {
        case .epoch: type = isExtract ? .bigint : .double
        case .second: type = isExtract && value.type != .timestamptz ? .integer : .double
        default: type = .integer
        }
        return .call(.datePart, [Self.constant(part), value], type)
    }
}
