import SQLTypes

/// Where a node begins in the statement's text. All positions are equal to each other, so that two trees
/// are equal when they mean the same, wherever they were written (GROUP BY matching relies on it).
package struct SourcePosition: Sendable, Hashable {
    /// One-based character offset, as in PostgreSQL's error field `P`; 0 when unknown.
    package let character: Int

    package init(_ character: Int) { self.character = character }

    package static let unknown = SourcePosition(0)
    package static func == (left: SourcePosition, right: SourcePosition) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}

    /// The offset, or nil when unknown: what ``SQLTypes/SQLError`` takes.
    package var offset: Int? { character > 0 ? character : nil }
}

extension SQLError {
    /// The same error at a node's place, unless it has a place already.
    package func at(_ position: SourcePosition) -> SQLError { at(position.offset) }

    package init(
        _ state: SQLState, _ message: String, detail: String? = nil, hint: String? = nil, at position: SourcePosition
    ) {
        self.init(state, message, detail: detail, hint: hint, position: position.offset)
    }
}
