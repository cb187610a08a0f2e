import QueryPlan
import SQLSyntax
import SQLTypes

/// `column.attribute[0].name`: from a SUPER value to a part of it.
struct SuperNavigation {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var settings: SuperSettings { binder.session.settings.semistructured }

    func bind(_ node: NavigationExpression) throws -> BoundExpression {
        try follow(node.steps, from: try binder.bind(node.base), at: node.position)
    }

    /// A dotted name whose first parts are a SUPER column, or an alias of one; nil when they are not.
    func path(_ name: ObjectName) throws -> BoundExpression? {
        for count in (1..<max(name.parts.count, 1)).reversed() {
            let prefix = ObjectName(parts: Array(name.parts.prefix(count)))
            guard let base = try base(prefix) else { continue }
            return try follow(name.parts.dropFirst(count).map { .field($0) }, from: base, at: name.position)
        }
        return nil
    }

    private func base(_ name: ObjectName) throws -> BoundExpression? {
        if let found = try ColumnLookup.find(name, from: binder.scope) {
            guard found.column.type == .semistructured else { return nil }
            binder.noteUse(found, at: name.position)
            return .column(found.column.id, found.column.type)
        }
        guard name.parts.count == 1, binder.scope.aliases?.expression(named: name.name) != nil else { return nil }
        let value = try binder.bindName(name)
        return value.type == .semistructured ? value : nil
    }

    private func follow(
        _ steps: [NavigationExpression.Step], from base: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        var value = base
        let isStrict = BoundExpression.constant(.boolean(!settings.navigatesToNull), .boolean)
        for step in steps {
            guard value.type == .semistructured else {
                throw SQLError(
                    .datatypeMismatch, "navigation on type \(value.type.nameWithoutModifiers) is not allowed",
                    hint: "Only values of type SUPER have attributes and elements.", at: position)
            }
            try binder.session.countNode()
            switch step {
            case .field(let name):
                let text = Datum.text(attribute(name))
                let type = SQLType.varchar(max(name.text.utf8.count, 1))
                value = .call(.superMember, [value, .constant(text, type), isStrict], .semistructured)
            case .index(let index): value = try subscripted(value, index, isStrict)
            }
        }
        return value
    }

    /// Names are folded as those of columns are, quoted ones too unless the session wants their case.
    private func attribute(_ name: Identifier) -> String {
        settings.keepsAttributeCase ? (name.quoted ? name.original : name.text) : name.text.lowercased()
    }

    private func subscripted(
        _ value: BoundExpression, _ index: Expression, _ isStrict: BoundExpression
    ) throws -> BoundExpression {
        var place = try binder.bind(index)
        if case .parameter(_, .unknown) = place {
            place = try binder.coercion.cast(place, to: .bigint, .implicit, at: index.position)
        }
        if place.type == .unknown || place.type.isString {
            place = try binder.coercion.resolved(place)
            return .call(.superMember, [value, place, isStrict], .semistructured)
        }
        guard place.type.isInteger else {
            throw SQLError(
                .datatypeMismatch, "subscripts must be integers, not of type \(place.type.nameWithoutModifiers)",
                at: index.position)
        }
        place = try binder.coercion.cast(place, to: .bigint, .implicit, at: index.position)
        return .call(.superElement, [value, place, isStrict], .semistructured)
    }
}
