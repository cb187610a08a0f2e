import QueryPlan
import SQLSyntax
import SQLTypes

/// Casts: allowed or not, folded for constants, and types for what has none yet.
struct Coercion {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    /// The expression as a value of `type`.
    func cast(
        _ expression: BoundExpression, to type: SQLType, _ behavior: BoundExpression.CastBehavior,
        at position: SourcePosition
    ) throws -> BoundExpression {
        let from = expression.type
        if from == type { return expression }
        if from == .semistructured, behavior == .explicit, session.settings.semistructured.castsToNull {
            return try cast(expression, to: type, .orNull, at: position)
        }
        if session.settings.cutsNumerics, let cut = cut(expression, for: type) {
            return try cast(cut, to: type, behavior, at: position)
        }
        switch expression {
        case .parameter(let number, .unknown):
            let known = session.parameterTypes[number] ?? type
            session.parameterTypes[number] = known
            return try cast(.parameter(number, known), to: type, behavior, at: position)
        case .constant(.null, _):
            return .constant(.null, type)
        case .constant(let datum, _):
            try check(from, type, behavior, at: position)
            if let folded = try fold(datum, from, type, behavior, at: position) { return folded }
        default:
            try check(from, type, behavior, at: position)
        }
        // Unfoldable literals (of time zones) are strings from here on.
        if case .constant(let datum, .unknown) = expression {
            return .cast(.constant(datum, Self.stringType(of: datum)), type, behavior)
        }
        if from == .unknown, case .column(let id, _) = expression {
            return .cast(.column(id, .text), type, behavior)
        }
        return .cast(expression, type, behavior)
    }

    /// A NUMERIC value without the digits that the type has no place for; nil: there is nothing to cut.
    private func cut(_ expression: BoundExpression, for type: SQLType) -> BoundExpression? {
        guard case .decimal(let precision, let scale) = expression.type, type.isInteger || type.isDecimal,
            scale > type.scale
        else { return nil }
        if case .constant(.integer(let value), _) = expression {
            guard let digits = DecimalArithmetic.rescaled(value, from: scale, to: type.scale, rounding: false) else {
                return nil
            }
            return .constant(.integer(digits), .decimal(precision: precision, scale: type.scale))
        }
        // The cut made here is cut enough; one of the user's may leave more digits.
        if case .call(.truncate, let arguments, _) = expression, arguments.count == 2,
            case .constant(.integer(let kept), _) = arguments[1], kept <= Int128(type.scale)
        {
            return nil
        }
        let places = BoundExpression.constant(.integer(Int128(type.scale)), .integer)
        return .call(.truncate, [expression, places], expression.type)
    }

    /// For conversions that the caller's own rule has allowed, such as those of the function table.
    func converted(
        _ expression: BoundExpression, to type: SQLType, at position: SourcePosition
    ) throws -> BoundExpression {
        let isImplicit = CastPermission.allows(expression.type, type, .implicit)
        return try cast(expression, to: type, isImplicit ? .implicit : .explicit, at: position)
    }

    /// Types what is still untyped: literals and NULL become VARCHAR.
    func resolved(_ expression: BoundExpression) throws -> BoundExpression {
        guard expression.type == .unknown else { return expression }
        switch expression {
        case .constant(let datum, _): return .constant(datum, Self.stringType(of: datum))
        default: return try cast(expression, to: .text, .implicit, at: .unknown)
        }
    }

    /// Precision and scale of a quoted number's digits; nil for other expressions and more than 38 digits.
    func shape(ofLiteral expression: BoundExpression) -> DecimalRules.Shape? {
        guard case .constant(.string(let bytes), .unknown) = expression else { return nil }
        return bytes.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.flatMap { DecimalText.shape($0, buffer.count) }
        }
    }

    static func stringType(of datum: Datum) -> SQLType {
        if case .string(let bytes) = datum {
            return .varchar(max(1, min(bytes.count, SQLType.maximumVarcharLength)))
        }
        return .text
    }

    private func check(
        _ from: SQLType, _ to: SQLType, _ behavior: BoundExpression.CastBehavior, at position: SourcePosition
    ) throws {
        if from == .unknown || CastPermission.allows(from, to, behavior) { return }
        throw SQLError(
            .cannotCoerce,
            "cannot cast type \(from.nameWithoutModifiers) to \(to.nameWithoutModifiers)", at: position)
    }

    /// nil when the value depends on the session (time zones).
    private func fold(
        _ datum: Datum, _ from: SQLType, _ type: SQLType, _ behavior: BoundExpression.CastBehavior,
        at position: SourcePosition
    ) throws -> BoundExpression? {
        // In a definition the zone of a literal is that of its writer.
        let hasOwnZone = from == .unknown && session.writer != nil
        if Self.dependsOnZone(from) != Self.dependsOnZone(type), !hasOwnZone { return nil }
        if from == .unknown, behavior == .implicit, case .string(let bytes) = datum {
            // A literal keeps all its characters: what it meets decides about the type, not about the length.
            switch type {
            case .char(let length) where bytes.count > length,
                .varchar(let length) where bytes.count > length:
                return .constant(datum, Self.stringType(of: datum))
            default: break
            }
        }
        if Self.dependsOnTime(datum, from, type) { session.noteDependence() }
        do {
            let explicit = behavior == .explicit || behavior == .orNull
            return .constant(
                try datum.cast(
                    from: from, to: type, explicit: explicit, context: session.datetime), type)
        } catch let error as SQLError {
            if behavior == .orNull { return .constant(.null, type) }
            throw error.at(position)
        }
    }

    /// `now`, `today`, `yesterday`, `tomorrow`; times, whose zone may be that of today. Month names with their letters
    /// are taken for such words, which costs no more than a plan that is made again.
    private static func dependsOnTime(_ datum: Datum, _ from: SQLType, _ type: SQLType) -> Bool {
        switch (from, type) {
        case (_, .time), (_, .timetz), (.time, _), (.timetz, _): return true
        case (_, .date), (_, .timestamp), (_, .timestamptz):
            guard case .string(let bytes) = datum else { return false }
            return bytes.contains { $0 | 0x20 == UInt8(ascii: "w") || $0 | 0x20 == UInt8(ascii: "y") }
        default: return false
        }
    }

    private static func dependsOnZone(_ type: SQLType) -> Bool { type == .timestamptz || type == .timetz }
}

/// Which casts exist.
enum CastPermission {
    static func allows(_ from: SQLType, _ to: SQLType, _ behavior: BoundExpression.CastBehavior) -> Bool {
        switch behavior {
        case .implicit: CastRules.canCast(from: from, to: to, context: .implicit)
        case .assignment: CastRules.canCast(from: from, to: to, context: .assignment)
        case .explicit, .orNull: CastRules.canCast(from: from, to: to, context: .explicit)
        }
    }
}
