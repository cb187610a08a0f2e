import Platform

/// Looks several times a second for clients that have gone while their statement runs
/// (``ClientRegistry/cancelAbandoned()``) and for those that have been silent for too long
/// (``ClientRegistry/endSilent()``). A thread of its own until ``stop()``.
final class ClientWatch: Sendable {
    private let monitor = Monitor()
    private let isStopping = Lock(false)
    private static let intervalNanoseconds: Int64 = 200_000_000

    init(_ registry: ClientRegistry) throws {
        try NativeThread.start(name: "clients") { [self] in
            while pause() {
                registry.cancelAbandoned()
                registry.endSilent()
            }
        }
    }

    private func pause() -> Bool {
        monitor.withLock {
            if isStopping.withLock({ $0 }) { return false }
            _ = monitor.wait(atMostNanoseconds: ClientWatch.intervalNanoseconds)
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
