import Synchronization

/// Hands out 0, 1, 2, ... to any worker.
final class RangeCounter: Sendable {
    private let value = Atomic<Int>(0)
    func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
