/// Nodes and slices of a warehouse; RESIZE CLUSTER changes them.
public struct ClusterShape: Hashable, Sendable {
    public var nodes: Int
    public var slicesPerNode: Int
    public var slices: Int { nodes * slicesPerNode }
    public init(nodes: Int, slicesPerNode: Int) {
        self.nodes = nodes
        self.slicesPerNode = slicesPerNode
    }
}
