/// Combines any range of a sequence in logarithmic time, for aggregates that cannot take values back out of a sliding
/// frame.
struct SegmentTree<Node> {
    private var nodes: [Node]
    private let count: Int
    private let combine: (Node, Node) -> Node

    init(_ count: Int, empty: Node, leaf: (Int) -> Node, combine: @escaping (Node, Node) -> Node) {
        self.count = count
        self.combine = combine
        nodes = Array(repeating: empty, count: 2 * max(count, 1))
        for index in 0..<count { nodes[count + index] = leaf(index) }
        for index in stride(from: count - 1, to: 0, by: -1) {
            nodes[index] = combine(nodes[2 * index], nodes[2 * index + 1])
        }
    }

    /// The range's values combined from left to right.
    func value(_ start: Int, _ end: Int, empty: Node) -> Node {
        var left = empty
        var right = empty
        var low = start + count
        var high = end + count
        while low < high {
            if low & 1 == 1 {
                left = combine(left, nodes[low])
                low += 1
            }
            if high & 1 == 1 {
                high -= 1
                right = combine(nodes[high], right)
            }
            low /= 2
            high /= 2
        }
        return combine(left, right)
    }
}
