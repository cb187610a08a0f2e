import QueryPlan
import SQLSyntax
import SQLTypes

/// ORDER BY of a SELECT: an ordinal, a name of the list, or any expression over FROM.
struct OrderByBinder {
    let select: SelectBinder

    init(_ select: SelectBinder) { self.select = select }

    func bind(_ items: [OrderItem]) throws -> [OrderKey] {
        try items.map { try bind($0) }
    }

    private func bind(_ item: OrderItem) throws -> OrderKey {
        let position = item.expression.position
        if let ordinal = item.expression.ordinal {
            let indexed = Array(select.outputs.indices)
            let index = try OrdinalLookup.output(ordinal, of: indexed, clause: "ORDER BY", at: position)
            return OrderKey(output: index, expression: nil, item: item)
        }
        if let name = item.expression.bareName, let index = try output(named: name) {
            return OrderKey(output: index, expression: nil, item: item)
        }
        if case .literal(let literal) = item.expression, literal.value != .null {
            throw SQLError(.syntaxError, "non-integer constant in ORDER BY", at: position)
        }
        var expression = try select.binder(.orderBy).bind(item.expression)
        expression = try Coercion(select.session).resolved(expression)
        return OrderKey(output: 0, expression: expression, item: item)
    }

    /// Names of the list win over columns of FROM here.
    private func output(named name: Identifier) throws -> Int? {
        let matches = select.outputs.indices.filter { select.outputs[$0].name == name.text }
        guard let first = matches.first else { return nil }
        let same = matches.allSatisfy { select.outputs[$0].expression == select.outputs[first].expression }
        guard same else {
            throw SQLError(.ambiguousColumn, "ORDER BY \"\(name)\" is ambiguous", at: name.position)
        }
        return first
    }
}
