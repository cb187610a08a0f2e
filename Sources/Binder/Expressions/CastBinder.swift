import QueryPlan
import SQLSyntax
import SQLTypes

/// CAST, `::`, CONVERT, TRY_CAST, EXTRACT, AT TIME ZONE.
extension ExpressionBinder {
    func bindCast(_ node: CastExpression) throws -> BoundExpression {
        if let catalogCast = try CatalogForms(self).cast(node) { return catalogCast }
        let type = try node.type.resolve()
        let value = try bind(node.value)
        if type == .unknown { return value }
        return try coercion.cast(value, to: type, node.nullOnFailure ? .orNull : .explicit, at: node.position)
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
