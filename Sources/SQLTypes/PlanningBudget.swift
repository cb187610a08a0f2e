import Platform
import Synchronization

/// What reading and planning of one statement may take: until when, how much memory, how many operators. Lexer, parser,
/// binder and optimizer share the statement's one value, so that no text and no view makes them run on after a cancel
/// or a time limit. Checks cost two relaxed loads. Safe from any thread.
public final class PlanningBudget: Sendable {
    /// Relations, queries and set operations of one statement with all its views.
    public static let operatorLimit = 16_384
    private static let step = 1 << 20
    /// Not reserved: what nearly every statement does with.
    private static let freeBytes = 1 << 20

    public let cancellation: CancellationToken
    private let memory: MemoryBudget?
    private let memoryLimit: Int
    private struct State {
        /// Made for the statements that need more.
        var grant: MemoryGrant?
        var failure: SQLError?
    }
    private let state = Lock(State())
    private let operators = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)
    private let reservedBytes = Atomic<Int>(PlanningBudget.freeBytes)
    private let hasFailed = Atomic<Bool>(false)

    /// - Parameters:
    ///   - memory: nil where nobody counts: tests, and texts that are known to be short.
    ///   - limit: the statement's own limit in bytes.
    public init(
        _ cancellation: CancellationToken = CancellationToken(), memory: MemoryBudget? = nil, limit: Int = .max
    ) {
        self.cancellation = cancellation
        self.memory = memory
        memoryLimit = limit
    }

    /// For work that cannot throw: it may give back anything when this is true, as the next ``check()`` ends the
    /// statement.
    public var isSpent: Bool { cancellation.isCancelled || hasFailed.load(ordering: .relaxed) }

    public func check() throws {
        guard isSpent else { return }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try cancellation.check()
    }

    /// What was counted since the last ``release()``.
    public var byteCount: Int { bytes.load(ordering: .relaxed) }

    /// Counts what a statement's tree grows by.
    public func take(bytes count: Int) throws {
        note(bytes: count)
        try check()
    }

    /// The same where nothing can be thrown.
    public func note(bytes count: Int) {
        let total = bytes.add(count, ordering: .relaxed).newValue
        if total > reservedBytes.load(ordering: .relaxed) { reserve(through: total) }
    }

    /// Counts relations, queries and set operations; views count with all that they stand for.
    public func take(operators count: Int) throws {
        if operators.add(count, ordering: .relaxed).newValue > PlanningBudget.operatorLimit {
            fail(
                SQLError(
                    .statementTooComplex, "statement is too complex",
                    detail: "With the views that it uses it has more than \(PlanningBudget.operatorLimit) relations "
                        + "and subqueries.",
                    hint: "Keep the results of parts of it in tables, or use fewer views that read each other."))
        }
        try check()
    }

    /// How much was counted at some time, to go back to before another attempt at planning.
    public struct Mark: Sendable {
        fileprivate var operators: Int
        fileprivate var bytes: Int
        public static let start = Mark(operators: 0, bytes: 0)
    }
    public var mark: Mark {
        Mark(operators: operators.load(ordering: .relaxed), bytes: bytes.load(ordering: .relaxed))
    }
    /// What was made since the mark is thrown away. A failure stays.
    public func restore(_ mark: Mark) {
        operators.store(mark.operators, ordering: .relaxed)
        bytes.store(mark.bytes, ordering: .relaxed)
    }

    /// Gives back what was reserved: the plan is made.
    public func release() {
        bytes.store(0, ordering: .relaxed)
        if reservedBytes.exchange(PlanningBudget.freeBytes, ordering: .relaxed) == PlanningBudget.freeBytes { return }
        state.withLock { $0.grant = nil }
    }

    private func reserve(through total: Int) {
        guard let memory, !hasFailed.load(ordering: .relaxed) else { return }
        let wanted = max(PlanningBudget.step, total - reservedBytes.load(ordering: .relaxed))
        do {
            try state.withLock { state in
                let current = state.grant ?? MemoryGrant(memory, limit: memoryLimit)
                state.grant = current
                try current.reserve(wanted)
            }
            reservedBytes.add(wanted, ordering: .relaxed)
        } catch {
            var error = SQLError(error)
            error.hint =
                "The statement's text or its views are too large for the memory there is: split it, or raise "
                + "redbarn_memory_limit or the warehouse's memory."
            fail(error)
        }
    }

    private func fail(_ error: SQLError) {
        state.withLock { if $0.failure == nil { $0.failure = error } }
        hasFailed.store(true, ordering: .relaxed)
    }
}
