import QueryPlan

/// Bytes that each step of a finished query would have sent between slices, from the rows that its inputs really had
/// and the planner's row widths.
struct Transfers {
    private(set) var movedBytes: [Int: Int64] = [:]
    private let rows: [Int: Int64]
    private let slices: Int

    init(plan: PhysicalPlan, rows: [Int: Int64], slices: Int) {
        self.rows = rows
        self.slices = slices
        visit(plan)
    }

    private mutating func visit(_ plan: PhysicalPlan) {
        for child in plan.children { visit(child) }
        let bytes = moved(by: plan)
        if bytes > 0 { movedBytes[plan.step] = Int64(bytes) }
    }

    private func bytes(_ plan: PhysicalPlan) -> Double {
        Double(rows[plan.step] ?? 0) * plan.estimate.width
    }

    /// A redistributed row stays where it is with probability 1 / slices; a broadcast row goes to all other slices.
    private func moved(by plan: PhysicalPlan) -> Double {
        let away = Double(slices - 1) / Double(max(slices, 1))
        switch plan.operation {
        case .join(let join):
            let outer = bytes(plan.children[0]), inner = bytes(plan.children[1])
            switch join.label {
            case .none, .allNone: return 0
            case .broadcastInner: return inner * Double(slices - 1)
            case .distributeInner: return inner * away
            case .distributeOuter: return outer * away
            case .distributeBoth: return (outer + inner) * away
            case .allInner: return inner
            }
        case .aggregate(let aggregate): return aggregate.colocated || slices == 1 ? 0 : bytes(plan) * away
        case .gather: return bytes(plan.children[0])
        default: return 0
        }
    }
}
