import Synchronization

/// Thrown by ``CancellationToken/check()``.
public struct StatementCancelled: Error, Sendable, Hashable {
    public enum Reason: UInt8, Sendable, Hashable {
        case userRequest = 1
        case statementTimeout
        case sessionTerminated
        /// A workload management rule or timeout.
        case queryMonitoring
        case shutdown
        /// The statement begins again, in another queue.
        case queueHop
    }
    public var reason: Reason
    public init(reason: Reason) { self.reason = reason }
}

/// Asks a running statement to end. Set from any thread; the statement's workers look at it once per batch.
public final class CancellationToken: Sendable {
    private let state = Atomic<UInt8>(0)
    public init() {}

    public var reason: StatementCancelled.Reason? {
        StatementCancelled.Reason(rawValue: state.load(ordering: .relaxed))
    }
    public var isCancelled: Bool { state.load(ordering: .relaxed) != 0 }

    /// The first reason stays.
    public func cancel(_ reason: StatementCancelled.Reason) {
        _ = state.compareExchange(expected: 0, desired: reason.rawValue, ordering: .relaxed)
    }

    /// Takes this reason back; others stay.
    public func clear(_ reason: StatementCancelled.Reason) {
        _ = state.compareExchange(expected: reason.rawValue, desired: 0, ordering: .relaxed)
    }

    public func check() throws {
        if let reason { throw StatementCancelled(reason: reason) }
    }
}
