/// Saved states of a warehouse. An extension: in Redshift these are calls of its service, not SQL.
package struct SnapshotStatement: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case create
        case drop(ifExists: Bool)
        /// Everything becomes what it was.
        case restore
        /// One table comes back, under a new name where one is given.
        case restoreTable(ObjectName, newName: ObjectName?)
    }
    package let name: Identifier
    package let action: Action
    package let position: SourcePosition
}

/// RESIZE CLUSTER: other numbers of nodes and slices.
package struct ResizeStatement: Sendable, Hashable {
    package let nodes: Int64
    /// Per node; nil: as many as there are.
    package let slices: Int64?
    package let position: SourcePosition
}
