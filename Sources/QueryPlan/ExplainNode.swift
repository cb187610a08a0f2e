/// One node of a plan as EXPLAIN shows it, for the system tables.
package struct ExplainNode: Sendable, Hashable {
    /// From 1 in the order of EXPLAIN's lines.
    package var id: Int
    /// 0 for the first.
    package var parent: Int
    /// The line, with its indentation and costs.
    package var text: String
    /// The lines of its conditions and keys.
    package var info: String
    /// ``PhysicalPlan/step``.
    package var planStep: Int
    /// The line of a hash join's build side, which is no step of its own.
    package var isHash: Bool
}

extension ExplainText {
    /// The nodes of a plan, by its lines: one with costs is a node, those below it are its conditions.
    package static func nodes(_ query: PhysicalQuery) -> [ExplainNode] {
        var renderer = ExplainRenderer(query.plan, verbose: false, actuals: nil)
        renderer.render(query.plan, depth: 0)
        var nodes: [ExplainNode] = []
        var parents: [Int] = []
        for (index, line) in renderer.lines.enumerated() {
            if let step = renderer.nodeSteps[index] {
                let depth = (line.prefix { $0 == " " }.count + 4) / 6
                parents = Array(parents.prefix(depth))
                nodes.append(
                    ExplainNode(
                        id: nodes.count + 1, parent: parents.last ?? 0, text: shortened(line), info: "", planStep: step,
                        isHash: line.contains("->  XN Hash  (")))
                parents.append(nodes.count)
            } else if !nodes.isEmpty {
                let info = nodes[nodes.count - 1].info
                let text = shortened(String(line.drop { $0 == " " }))
                if info.utf8.count < keptBytes { nodes[nodes.count - 1].info += (info.isEmpty ? "" : " ") + text }
            }
        }
        return nodes
    }

    /// System tables show 400 characters, and the log keeps a thousand plans.
    private static let keptBytes = 2_000
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= keptBytes ? text : String(text.prefix(keptBytes))
    }
}
