import SQLTypes

/// Where a node begins in the statement's text. All positions are equal to each other, so that two trees
/// are equal when they mean the same, wherever they were written (GROUP BY matching relies on it).
public struct SourcePosition: Sendable, Hashable {
    /// One-based character offset, as in PostgreSQL's error field `P`; 0 when unknown.
    public let character: Int

    public init(_ character: Int) { self.character = character }

    public static let unknown = SourcePosition(0)
    public static func == (left: SourcePosition, right: SourcePosition) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}

    /// The offset, or nil when unknown: what ``SQLTypes/SQLError`` takes.
    public var offset: Int? { character > 0 ? character : nil }
}

extension SQLError {
    /// The same error at a node's place, unless it has a place already.
    public func at(_ position: SourcePosition) -> SQLError { at(position.offset) }

    public init(
        _ state: SQLState, _ message: String, detail: String? = nil, hint: String? = nil, at position: SourcePosition
    ) {
        self.init(state, message, detail: detail, hint: hint, position: position.offset)
    }
}
