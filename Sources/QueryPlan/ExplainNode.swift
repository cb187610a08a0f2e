/// One node of a plan as EXPLAIN shows it, for the system tables.
package struct ExplainNode: Sendable, Hashable {
    package enum Role: Sendable, Hashable {
        case step
        /// The build side of a hash join, which is no step of its own.
        case hash
        /// A line of Redshift's plans for what the engine does within another step.
        case added
    }
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
    package var role: Role
}

extension ExplainText {
    /// The nodes of a plan: its lines with costs, each with the conditions below it.
    package static func nodes(_ query: PhysicalQuery, isChange: Bool) -> [ExplainNode] {
        var renderer = ExplainRenderer(query, verbose: false, actuals: nil, isChange: isChange)
        renderer.render(query.plan)
        let (lines, nodes) = (renderer.lines, renderer.nodes)
        return nodes.enumerated().map { index, node in
            let end = index + 1 < nodes.count ? nodes[index + 1].line : lines.count
            var info = ""
            for line in lines[(node.line + 1)..<end] where info.utf8.count < keptBytes {
                info += (info.isEmpty ? "" : " ") + shortened(String(line.drop { $0 == " " }))
            }
            return ExplainNode(
                id: index + 1, parent: node.parent.map { $0 + 1 } ?? 0, text: shortened(lines[node.line]), info: info,
                planStep: node.step, role: node.role)
        }
    }

    /// System tables show 400 characters, and the log keeps a thousand plans.
    private static let keptBytes = 2_000
    private static func shortened(_ text: String) -> String {
        text.utf8.count <= keptBytes ? text : String(text.prefix(keptBytes))
    }
}
