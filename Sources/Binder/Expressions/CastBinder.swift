import QueryPlan
import SQLSyntax
import SQLTypes

/// CAST, `::`, CONVERT, TRY_CAST, EXTRACT, AT TIME ZONE.
extension ExpressionBinder {
    func bindCast(_ node: CastExpression) throws -> BoundExpression {
        if let catalogCast = try CatalogForms(self).cast(node) { return catalogCast }
        var type = try node.type.resolve()
        let value = try bind(node.value)
        if type == .unknown { return value }
        if node.nullOnFailure, value.type == .semistructured || type == .semistructured {
            throw SQLError(
                .featureNotSupported, "TRY_CAST does not support SUPER",
                hint: "CAST gives NULL for values that do not convert, unless cast_super_null_on_error is off.",
                at: node.position)
        }
        if node.type.isVaryingWithoutLength { type = Self.varying(holding: value, atLeast: type) }
        return try coercion.cast(value, to: type, node.nullOnFailure ? .orNull : .explicit, at: node.position)
    }

    /// In an expression VARCHAR and TEXT without a length cut nothing: the input decides.
    static func varying(holding value: BoundExpression, atLeast type: SQLType) -> SQLType {
        let length: Int =
            switch (value, value.type) {
            case (.constant(.string(let bytes), .unknown), _): bytes.count
            case (_, .char(let length)), (_, .varchar(let length)): length
            case (.parameter, .unknown), (_, .semistructured), (_, .hllsketch): SQLType.maximumVarcharLength
            default: 0
            }
        return .varchar(min(max(length, type.textLength), SQLType.maximumVarcharLength))
    }

    func bindExtract(_ node: ExtractExpression) throws -> BoundExpression {
        let value = try bind(node.source)
        return try DatePartCall(self).datePart(
            try DatePartCall.part(node.field.original, at: node.field.position), value, isExtract: true,
            at: node.position)
    }

    func bindAtTimeZone(_ node: AtTimeZoneExpression) throws -> BoundExpression {
        let value = try bind(node.value)
        let zone = try bind(node.zone)
        guard let call = try SignatureCall(session).resolve("timezone", [zone, value], at: node.position) else {
            throw OperatorError.noFunction("timezone", [zone.type, value.type], at: node.position)
        }
        return call
    }
}
