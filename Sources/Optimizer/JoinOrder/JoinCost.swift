import QueryPlan

/// The price of a join in rows touched. Building costs more than probing; a unique key builds without collision
/// chains; a probed table is scanned with the built side's keys as a filter, so rows without a partner are cheap.
enum JoinCost {
    static let buildWeight = 2.5
    static let uniqueBuildWeight = 1.5
    static let scannedProbeWeight = 0.3

    static func cost(
        _ graph: JoinGraph, _ left: UInt64, _ right: UInt64, leftRows: Double, rightRows: Double, output: Double
    ) -> Double {
        let isAttachment = right.nonzeroBitCount == 1 && right & graph.attachments != 0
        if !isAttachment, !graph.hasEquality(left, right) { return 0.5 * leftRows * rightRows + output }
        let buildRight = build(graph, right, joining: left, rightRows) + probe(left, leftRows, output)
        let buildLeft = build(graph, left, joining: right, leftRows) + probe(right, rightRows, output)
        return min(buildRight, buildLeft) + output
    }

    private static func build(_ graph: JoinGraph, _ set: UInt64, joining other: UInt64, _ rows: Double) -> Double {
        let isUnique = set.nonzeroBitCount == 1 && graph.isUnique(set.trailingZeroBitCount, joining: other)
        return rows * (isUnique ? uniqueBuildWeight : buildWeight)
    }

    private static func probe(_ set: UInt64, _ rows: Double, _ output: Double) -> Double {
        set.nonzeroBitCount == 1 ? scannedProbeWeight * rows + min(rows, output) : rows
    }
}

extension JoinGraph {
    /// Whether a hash join is possible.
    func hasEquality(_ a: UInt64, _ b: UInt64) -> Bool {
        for group in classes where group.mask & a != 0 && group.mask & b != 0 { return true }
        for predicate in predicates where predicate.mask & ~(a | b) == 0 {
            guard predicate.mask & a != 0, predicate.mask & b != 0,
                case .comparison(.equal, let x, let y) = predicate.expression
            else { continue }
            let first = mask(of: x.columns)
            let second = mask(of: y.columns)
            if (first & ~a == 0 && second & ~b == 0) || (first & ~b == 0 && second & ~a == 0) { return true }
        }
        return false
    }
}
