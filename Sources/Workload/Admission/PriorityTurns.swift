/// Whose turn it is among priorities: each start costs its priority a part that its weight makes small, and the one
/// that has paid least is next. So urgent statements start far more often, and nobody waits for ever (stride
/// scheduling; Waldspurger and Weihl, 1995).
struct PriorityTurns: Sendable {
    private static let largestWeight = Int64(1 << 20)
    private var paid = [Int64](repeating: 0, count: QueryPriority.allCases.count)
    private var isWaiting = [Bool](repeating: false, count: QueryPriority.allCases.count)
    /// What the last one to start had paid before.
    private var present: Int64 = 0

    /// Somebody waits. Who comes after a pause has saved nothing up.
    mutating func arrive(_ priority: QueryPriority) {
        if isWaiting[priority.rawValue] { return }
        isWaiting[priority.rawValue] = true
        paid[priority.rawValue] = max(paid[priority.rawValue], present)
    }

    /// Of those that wait; the more urgent one where both have paid the same.
    mutating func next(of waiting: [QueryPriority]) -> QueryPriority? {
        for priority in QueryPriority.allCases { isWaiting[priority.rawValue] = waiting.contains(priority) }
        return waiting.min { left, right in
            let (one, other) = (paid[left.rawValue], paid[right.rawValue])
            return one == other ? left > right : one < other
        }
    }

    mutating func pay(_ priority: QueryPriority) {
        let index = priority.rawValue
        if !isWaiting[index] { paid[index] = max(paid[index], present) }
        present = max(present, paid[index])
        paid[index] &+= PriorityTurns.largestWeight / Int64(priority.weight)
    }
}
