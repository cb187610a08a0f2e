import QueryPlan

/// Finds a cheap order: dynamic programming over connected subgraphs (Moerkotte and Neumann's DPccp) for up to 12
/// relations, greedily joining the pair with the fewest rows beyond, or when the graph has too many pairs.
struct JoinEnumerator {
    static let exactLimit = 12
    private static let pairBudget = 20_000

    let graph: JoinGraph
    private var rows: [Double]
    private var cost: [Double]
    private var split: [UInt32]
    private var pairs = 0

    indirect enum Tree {
        case leaf(Int)
        case join(Tree, Tree, left: UInt64, right: UInt64)
        var mask: UInt64 {
            switch self {
            case .leaf(let index): 1 << UInt64(index)
            case .join(_, _, let left, let right): left | right
            }
        }
    }

    static func bestTree(_ graph: JoinGraph) -> Tree? {
        let count = graph.relations.count
        if count <= exactLimit {
            var enumerator = JoinEnumerator(graph, size: 1 << count)
            if enumerator.enumerate() { return enumerator.tree(graph.all) }
        }
        return GreedyJoinOrder.tree(graph)
    }

    private init(_ graph: JoinGraph, size: Int) {
        self.graph = graph
        rows = Array(repeating: -1, count: size)
        cost = Array(repeating: .infinity, count: size)
        split = Array(repeating: 0, count: size)
    }

    /// False when the budget ran out or no order was found.
    private mutating func enumerate() -> Bool {
        let count = graph.relations.count
        for index in 0..<count {
            rows[1 << index] = graph.relations[index].profile.rows
            cost[1 << index] = 0
        }
        for index in stride(from: count - 1, through: 0, by: -1) {
            let start = UInt64(1) << UInt64(index)
            emitSubgraph(start)
            growSubgraph(start, excluding: (start << 1) - 1)
            if pairs > Self.pairBudget || graph.isStopped { return false }
        }
        return cost[Int(graph.all)] < .infinity
    }

    private func neighborhood(_ set: UInt64) -> UInt64 {
        var result: UInt64 = 0
        var bits = set
        while bits != 0 {
            result |= graph.neighbors[bits.trailingZeroBitCount]
            bits &= bits - 1
        }
        return result & ~set
    }

    private mutating func growSubgraph(_ set: UInt64, excluding excluded: UInt64) {
        let near = neighborhood(set) & ~excluded
        guard near != 0, pairs <= Self.pairBudget else { return }
        var part = near & (~near &+ 1)
        while part != 0 {
            emitSubgraph(set | part)
            part = (part &- near) & near
        }
        part = near & (~near &+ 1)
        while part != 0 {
            growSubgraph(set | part, excluding: excluded | near)
            part = (part &- near) & near
        }
    }

    private mutating func emitSubgraph(_ set: UInt64) {
        let lowest = set & (~set &+ 1)
        let excluded = set | ((lowest << 1) - 1)
        let near = neighborhood(set) & ~excluded
        var bits = near
        while bits != 0 {
            let top = UInt64(1) << UInt64(63 - bits.leadingZeroBitCount)
            bits &= ~top
            consider(set, top)
            growComplement(set, top, excluding: excluded | (near & ((top << 1) - 1)))
        }
    }

    private mutating func growComplement(_ set: UInt64, _ other: UInt64, excluding excluded: UInt64) {
        let near = neighborhood(other) & ~excluded & ~set
        guard near != 0, pairs <= Self.pairBudget else { return }
        var part = near & (~near &+ 1)
        while part != 0 {
            consider(set, other | part)
            part = (part &- near) & near
        }
        part = near & (~near &+ 1)
        while part != 0 {
            growComplement(set, other | part, excluding: excluded | near)
            part = (part &- near) & near
        }
    }

    private mutating func consider(_ a: UInt64, _ b: UInt64) {
        pairs += 1
        guard cost[Int(a)] < .infinity, cost[Int(b)] < .infinity, let (left, right) = graph.orientation(a, b) else {
            return
        }
        let both = Int(a | b)
        if rows[both] < 0 { rows[both] = graph.rows(a | b) }
        let total =
            cost[Int(a)] + cost[Int(b)]
            + JoinCost.cost(
                graph, left, right, leftRows: rows[Int(left)], rightRows: rows[Int(right)], output: rows[both])
        if total < cost[both] {
            cost[both] = total
            split[both] = UInt32(left)
        }
    }

    private func tree(_ set: UInt64) -> Tree {
        if set.nonzeroBitCount == 1 { return .leaf(set.trailingZeroBitCount) }
        let left = UInt64(split[Int(set)])
        return .join(tree(left), tree(set & ~left), left: left, right: set & ~left)
    }
}

extension JoinGraph {
    /// The two sets as (left, right), or nil when an attachment forbids joining them. A lone attachment is on the
    /// right.
    func orientation(_ a: UInt64, _ b: UInt64) -> (left: UInt64, right: UInt64)? {
        let aIsAttachment = a.nonzeroBitCount == 1 && a & attachments != 0
        let bIsAttachment = b.nonzeroBitCount == 1 && b & attachments != 0
        switch (aIsAttachment, bIsAttachment) {
        case (false, false): return (a, b)
        case (true, true): return nil
        case (false, true): return required(b) & ~a == 0 ? (a, b) : nil
        case (true, false): return required(a) & ~b == 0 ? (b, a) : nil
        }
    }

    private func required(_ single: UInt64) -> UInt64 {
        relations[single.trailingZeroBitCount].attachment?.required ?? 0
    }
}

/// Joins the cheapest pair first, again and again.
enum GreedyJoinOrder {
    static func tree(_ graph: JoinGraph) -> JoinEnumerator.Tree? {
        var parts = graph.relations.indices.map { JoinEnumerator.Tree.leaf($0) }
        while parts.count > 1 {
            if graph.isStopped { return nil }
            var best: (cost: Double, first: Int, second: Int, left: UInt64, right: UInt64)?
            for allowsCrossJoin in [false, true] where best == nil {
                for first in parts.indices {
                    for second in parts.indices where second > first {
                        let a = parts[first].mask
                        let b = parts[second].mask
                        guard let (left, right) = graph.orientation(a, b),
                            allowsCrossJoin || graph.areConnected(a, b)
                        else { continue }
                        let output = graph.rows(a | b)
                        let cost = JoinCost.cost(
                            graph, left, right, leftRows: graph.rows(left), rightRows: graph.sideRows(right),
                            output: output)
                        if cost < best?.cost ?? .infinity { best = (cost, first, second, left, right) }
                    }
                }
            }
            guard let best else { return nil }
            let isFirstLeft = parts[best.first].mask == best.left
            let joined = JoinEnumerator.Tree.join(
                parts[isFirstLeft ? best.first : best.second], parts[isFirstLeft ? best.second : best.first],
                left: best.left, right: best.right)
            parts.remove(at: best.second)
            parts[best.first] = joined
        }
        return parts.first
    }
}

extension JoinGraph {
    func areConnected(_ a: UInt64, _ b: UInt64) -> Bool {
        relations.indices.contains { a & (1 << UInt64($0)) != 0 && neighbors[$0] & b != 0 }
    }
    func sideRows(_ set: UInt64) -> Double {
        set.nonzeroBitCount == 1 ? relations[set.trailingZeroBitCount].profile.rows : rows(set)
    }
}
