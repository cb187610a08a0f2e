import QueryPlan
import VectorEngine

/// A plan that a statement ran, and what its pipelines counted.
struct QueryRun: Sendable {
    /// What became of the rows.
    enum Target: Sendable {
        case client
        case insert(table: Int64, name: String)
        case delete(table: Int64, name: String)
    }
    /// The log keeps plans until it has worked them through; it does without the steps of larger ones.
    static let largestPlanBytes = 64 << 20
    var plan: PhysicalQuery
    var profile: ExecutionProfile
    var target: Target
}

extension PhysicalPlan {
    /// Plans over catalogs and constants alone are the leader's, and no system table tells of their steps.
    var readsTables: Bool {
        if case .tableScan = operation { return true }
        return children.contains(where: \.readsTables)
    }
}
