import Platform
import Synchronization
import Workload

/// What concurrency scaling was used for since the warehouse was opened, held against its limits. Safe from any thread.
final class ScalingUsage: Sendable {
    /// For STL_USAGE_CONTROL.
    struct Event: Sendable {
        var microseconds: Int64
        var query: Int
        var transaction: Int64
        var session: Int
        var limit: String
    }
    private struct State {
        var count: UsageCount
        var events = RecentList<Event>(keeping: 1_000)
    }
    private let state: Lock<State>
    private let disabled = Atomic<Bool>(false)

    init(_ limits: [UsageLimit]) { state = Lock(State(count: UsageCount(limits))) }

    var isDisabled: Bool { disabled.load(ordering: .relaxed) }
    var events: [Event] { state.withLock { $0.events.elements } }

    /// A statement has ended.
    ///
    /// - Returns: whether scaling is disabled from now on, or is not any more; nil: as before.
    func add(_ query: WarehouseLog.Query, _ admission: AdmissionRecord?) -> Bool? {
        let used = admission.map { $0.figures.isScaledOut ? $0.figures.runMicroseconds : 0 } ?? 0
        return state.withLock { state in
            for limit in state.count.add(used, at: query.endMicroseconds) {
                state.events.append(
                    Event(
                        microseconds: query.endMicroseconds, query: query.id, transaction: query.transaction,
                        session: query.session, limit: limit.text))
            }
            return decide(state.count, at: query.endMicroseconds)
        }
    }

    func change(_ limits: [UsageLimit], at now: Int64, session: Int) -> Bool? {
        state.withLock { state in
            for limit in state.count.change(limits, at: now) {
                state.events.append(
                    Event(microseconds: now, query: 0, transaction: 0, session: session, limit: limit.text))
            }
            return decide(state.count, at: now)
        }
    }

    private func decide(_ count: UsageCount, at now: Int64) -> Bool? {
        let isDisabled = count.isDisabled(at: now)
        return disabled.exchange(isDisabled, ordering: .relaxed) == isDisabled ? nil : isDisabled
    }
}

extension Warehouse {
    /// As set, or none because a limit was reached.
    func applyScalingClusters() {
        workload.configure(scalingClusters: scalingUsage.isDisabled ? 0 : systemSettings.scalingClusters)
    }
}
