/// Saved states of a warehouse. An extension: in Redshift these are calls of its service, not SQL.
public struct SnapshotStatement: Sendable, Hashable {
    public enum Action: Sendable, Hashable {
        case create
        case drop(ifExists: Bool)
        /// Everything becomes what it was.
        case restore
        /// One table comes back, under a new name where one is given.
        case restoreTable(ObjectName, newName: ObjectName?)
    }
    public let name: Identifier
    public let action: Action
    public let position: SourcePosition
}

/// RESIZE CLUSTER: other numbers of nodes and slices.
public struct ResizeStatement: Sendable, Hashable {
    public let nodes: Int64
    /// Per node; nil: as many as there are.
    public let slices: Int64?
    public let position: SourcePosition
}
