import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// One column of CREATE TABLE or ALTER TABLE ADD.
struct ColumnBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: SQLSyntax.ColumnDefinition, id: Int32) throws -> Catalog.ColumnDefinition {
        let type = try node.type.resolve()
        guard type != .unknown else {
            throw SQLError(
                .invalidTableDefinition, "column \"\(node.name)\" has type unknown", at: node.type.position)
        }
        guard type != .interval else {
            throw SQLError(
                .featureNotSupported, "columns of type interval name their fields",
                hint: "Write INTERVAL YEAR TO MONTH or INTERVAL DAY TO SECOND.", at: node.type.position)
        }
        var column = Catalog.ColumnDefinition(id: id, name: node.name.text, type: type)
        if type.isString && session.catalog.database.collation == .caseInsensitive {
            column.collation = .caseInsensitive
        }
        var isNullable = false
        for attribute in node.attributes {
            try apply(attribute, to: &column)
            if case .null = attribute.kind { isNullable = true }
        }
        if isNullable && column.notNull {
            throw SQLError(
                .syntaxError, "conflicting NULL/NOT NULL declarations for column \"\(node.name)\"",
                at: node.name.position)
        }
        if column.identity != nil && column.defaultExpression != nil {
            throw SQLError(
                .syntaxError, "both default and identity specified for column \"\(node.name)\"",
                at: node.name.position)
        }
        return column
    }

    private func apply(_ attribute: ColumnAttribute, to column: inout Catalog.ColumnDefinition) throws {
        switch attribute.kind {
        case .defaultValue(let expression):
            column.defaultExpression = try defaultText(expression, for: column)
        case .identity(let seed, let step, let byDefault):
            guard column.type == .integer || column.type == .bigint else {
                throw SQLError(
                    .invalidTableDefinition, "identity column type must be INT or BIGINT", at: attribute.position)
            }
            guard step != 0 else {
                throw SQLError(.invalidParameterValue, "identity step must not be zero", at: attribute.position)
            }
            column.identity = IdentityDefinition(seed: seed, step: step, byDefault: byDefault)
            // Statements give no values to others, so that those may stay nullable as on Redshift.
            if byDefault { column.notNull = true }
        case .encode(let name):
            column.encoding = try EncodingRules.encoding(name, for: column.type, at: attribute.position)
        case .notNull, .primaryKey: column.notNull = true
        case .collate(let caseInsensitive):
            guard column.type.isString else {
                throw SQLError(
                    .invalidTableDefinition,
                    "COLLATE is not allowed for column \"\(column.name)\" of type \(column.type.nameWithoutModifiers)",
                    at: attribute.position)
            }
            column.collation = caseInsensitive ? .caseInsensitive : .caseSensitive
        case .distributionKey, .sortKey, .null, .unique, .references: break
        }
    }

    /// The default is bound to find errors, and kept as text.
    func defaultText(_ expression: Expression, for column: Catalog.ColumnDefinition) throws -> String {
        _ = try DefaultBinder(session).bind(expression, as: column.type, column: column.name)
        return StoredText.dated(SQLPrinter.print(expression), session.datetime)
    }
}

/// DEFAULT expressions: no columns, no subqueries, no aggregates.
struct DefaultBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ expression: Expression, as type: SQLType, column: String) throws -> BoundExpression {
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .defaultValue)
        let bound = try binder.bind(expression)
        let isAllowed =
            bound.type == .unknown || bound.type == type
            || CastRules.canCast(from: bound.type, to: type, context: .assignment)
        guard isAllowed else {
            throw SQLError(
                .datatypeMismatch,
                "column \"\(column)\" is of type \(type.nameWithoutModifiers) but default expression is of type "
                    + bound.type.nameWithoutModifiers,
                hint: "You will need to rewrite or cast the expression.", at: expression.position)
        }
        return try Coercion(session).cast(bound, to: type, .assignment, at: expression.position)
    }

    /// The default of a stored column; NULL without one.
    func value(of column: Catalog.ColumnDefinition) throws -> BoundExpression {
        guard let text = column.defaultExpression else { return .constant(.null, column.type) }
        let expression = try Parser.parseExpression(text, options: .stored)
        return try session.inStoredText(text) { try bind(expression, as: column.type, column: column.name) }
    }
}

/// Which encodings fit which types.
enum EncodingRules {
    static func encoding(_ name: String, for type: SQLType, at position: SourcePosition) throws -> ColumnEncoding {
        let wanted = name.lowercased() == "none" ? "raw" : name.lowercased()
        guard let encoding = ColumnEncoding(rawValue: wanted) else {
            throw SQLError(.undefinedObject, "encoding type \"\(name)\" does not exist", at: position)
        }
        guard encoding.isAllowed(type) else {
            throw SQLError(
                .invalidTableDefinition,
                "invalid encoding type \(encoding.rawValue) specified for column type \(type.nameWithoutModifiers)",
                at: position)
        }
        return encoding
    }
}
