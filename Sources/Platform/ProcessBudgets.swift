/// The budgets of the warehouses in one process. What nobody has reserved, such as the program, plans and the heap's
/// free pages, is nobody's in particular: each warehouse answers for a part of it as large as its part of all limits.
/// So none is refused memory because another one has much. Safe from any thread.
final class ProcessBudgets: Sendable {
    /// What a warehouse has to know of the others.
    struct View {
        /// Bytes that the others have reserved.
        var othersUsed = 0
        /// This one's part of all limits.
        var share = 1.0

        /// This one's part of bytes that are nobody's.
        func part(_ bytes: Int) -> Int { share == 1 ? bytes : Int(Double(bytes) * share) }
    }
    private let members = Lock<[ObjectIdentifier: MemoryBudget]>([:])

    func add(_ budget: MemoryBudget) { members.withLock { $0[ObjectIdentifier(budget)] = budget } }
    func remove(_ budget: MemoryBudget) { members.withLock { $0[ObjectIdentifier(budget)] = nil } }

    func view(of budget: MemoryBudget) -> View {
        let others = members.withLock { $0.values.filter { $0 !== budget } }
        if others.isEmpty { return View() }
        let limits = others.reduce(Double(budget.limit)) { $0 + Double($1.limit) }
        return View(
            othersUsed: others.reduce(0) { $0 + $1.used }, share: Double(budget.limit) / max(limits, 1))
    }
}
