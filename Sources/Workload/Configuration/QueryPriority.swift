/// How urgent a statement is to automatic workload management: who starts first, and how much of the workers' time it
/// gets beside others.
package enum QueryPriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case lowest
    case low
    case normal
    case high
    case highest
    /// Only by function, and one statement at a time.
    case critical

    package static func < (left: QueryPriority, right: QueryPriority) -> Bool { left.rawValue < right.rawValue }

    /// As configurations and functions write it, without regard to case.
    package init?(name: String) {
        let name = name.lowercased()
        guard let found = QueryPriority.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    package var name: String {
        switch self {
        case .lowest: "lowest"
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        case .highest: "highest"
        case .critical: "critical"
        }
    }
    /// As system tables write it.
    package var shownName: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Shares of the workers' time that statements of different priorities get while all of them want more.
    package var weight: Int {
        switch self {
        case .lowest: 2
        case .low: 4
        case .normal: 8
        case .high: 16
        case .highest: 32
        case .critical: 64
        }
    }
}
