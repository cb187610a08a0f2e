import Platform

/// What the system tables show of the present moment.
extension WorkloadManager {
    /// A statement that waits or runs.
    package struct Statement: Sendable {
        package var number: Int
        package var request: AdmissionRequest
        package var state: Scheduler.State
        /// Up to this moment.
        package var record: AdmissionRecord
        package var isReturning: Bool
        /// In its queue, from 1; 0 for those that run.
        package var position: Int
    }
    /// A queue and what it has seen.
    package struct Queue: Sendable {
        package var serviceClass: ServiceClass
        package var figures: Scheduler.Figures
        package var usedSlots: Int
    }

    package var statements: [Statement] {
        let now = time.monotonicNanoseconds()
        let wall = time.wallMicroseconds()
        return monitor.withLock {
            var positions: [Int: Int] = [:]
            return state.scheduler.entries.values.sorted { $0.sequence < $1.sequence }.map { entry in
                var position = 0
                if entry.state != .running {
                    position = positions[entry.lane.id, default: 0] + 1
                    positions[entry.lane.id] = position
                }
                return Statement(
                    number: entry.sequence, request: entry.request, state: entry.state,
                    record: record(entry, entry.ticket, now, wall),
                    isReturning: entry.ticket?.isReturning ?? false, position: position)
            }
        }
    }

    /// In the order of their numbers.
    package var queues: [Queue] {
        monitor.withLock {
            state.scheduler.classes.all.map {
                Queue(
                    serviceClass: $0, figures: state.scheduler.figures($0.id),
                    usedSlots: state.scheduler.usedSlots($0.id))
            }
        }
    }

    package var shortLimitNanoseconds: Int64 { monitor.withLock { state.scheduler.shortLimitNanoseconds } }
}
