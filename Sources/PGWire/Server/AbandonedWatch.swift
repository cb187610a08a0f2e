import Platform

/// Looks several times a second for clients that have gone while their statement runs, see
/// ``ClientRegistry/cancelAbandoned()``. A thread of its own until ``stop()``.
final class AbandonedWatch: Sendable {
    private let monitor = Monitor()
    private let isStopping = Lock(false)
    private static let intervalNanoseconds: Int64 = 200_000_000

    init(_ registry: ClientRegistry) throws {
        try NativeThread.start(name: "abandoned") { [self] in
            while pause() { registry.cancelAbandoned() }
        }
    }

    private func pause() -> Bool {
        monitor.withLock {
            if isStopping.withLock({ $0 }) { return false }
            _ = monitor.wait(untilNanoseconds: SystemTime().monotonicNanoseconds() + AbandonedWatch.intervalNanoseconds)
            return !isStopping.withLock { $0 }
        }
    }

    func stop() {
        monitor.withLock {
            isStopping.withLock { $0 = true }
            monitor.wakeAll()
        }
    }
}
