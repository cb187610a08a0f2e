import Synchronization

/// Gives out the numbers of parts, deltas and files of deleted rows: each once in a warehouse's life.
final class PartNumbers: Sendable {
    private let next: Atomic<UInt64>
    init(next: UInt64) { self.next = Atomic(next) }

    func make() -> PartID { PartID(next.add(1, ordering: .relaxed).oldValue) }
    /// The first of some numbers that nobody else gets.
    func reserve(_ count: UInt64) -> UInt64 { next.add(count, ordering: .relaxed).oldValue }
    /// Leaves out the numbers before: only before any was made.
    func advance(to number: UInt64) { next.store(number, ordering: .relaxed) }
    /// The number that comes next.
    var upcoming: UInt64 { next.load(ordering: .relaxed) }
}
