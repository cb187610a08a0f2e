import SQLTypes

/// A column of a query: unique within one statement, whichever operators it passes through. Plans never use positions,
/// so passes can reorder, merge and prune operators without renumbering.
public struct ColumnID: Hashable, Sendable, Comparable, CustomStringConvertible {
    public let raw: Int32
    public init(_ raw: Int32) { self.raw = raw }
    public static func < (a: ColumnID, b: ColumnID) -> Bool { a.raw < b.raw }
    public var description: String { "#\(raw)" }
}

/// Hands out the column ids of one statement. Confined to the thread that plans it.
public final class ColumnIDSource {
    private var next: Int32 = 0
    public init() {}
    public func make() -> ColumnID {
        defer { next += 1 }
        return ColumnID(next)
    }
    /// Never hands out this id or a smaller one again.
    public func reserve(through id: ColumnID) { next = max(next, id.raw &+ 1) }
}

/// A column that leaves an operator or a query.
public struct OutputColumn: Hashable, Sendable {
    public var id: ColumnID
    public var name: String
    public var type: SQLType
    public init(id: ColumnID, name: String, type: SQLType) {
        self.id = id
        self.name = name
        self.type = type
    }
}
