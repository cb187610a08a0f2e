import Platform

/// Objects that one caller at a time works with, kept for the next ones: what is expensive to make and holds scratch
/// memory, such as a matcher, is made once per worker instead of once per batch. Safe from any thread.
final class ObjectPool<Object: AnyObject & Sendable>: Sendable {
    private let free = Lock<[Object]>([])
    private let make: @Sendable () -> Object

    init(_ make: @escaping @Sendable () -> Object) { self.make = make }

    func take() -> Object { free.withLock { $0.popLast() } ?? make() }
    func give(back object: Object) { free.withLock { $0.append(object) } }
}
