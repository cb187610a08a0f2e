/// Statements about cursors that procedures make while they run.
extension Statement {
    package static func declaring(_ cursor: String, for query: Query, text: String) -> Statement {
        .declareCursor(
            DeclareCursorStatement(
                name: Identifier(cursor), options: [], query: query, queryText: text, position: .unknown))
    }

    package static func fetching(
        _ direction: FetchStatement.Direction, _ amount: FetchStatement.Amount, from cursor: String
    ) -> Statement {
        .fetch(
            FetchStatement(direction: direction, amount: amount, cursor: Identifier(cursor), position: .unknown))
    }

    package static func closing(_ cursor: String) -> Statement {
        .closeCursor(CloseCursorStatement(name: Identifier(cursor), position: .unknown))
    }
}

extension CallStatement {
    /// The parameter that stands in place of an argument; nil for any other expression.
    package func parameter(ofArgument index: Int) -> Int? {
        guard arguments.indices.contains(index), case .parameter(let reference) = arguments[index] else { return nil }
        return reference.number
    }
}

extension ValuesBody {
    /// No rows.
    package static let empty = ValuesBody(rows: [], position: .unknown)
}
