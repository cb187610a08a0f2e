import Platform
import Workload

/// How long statements waited and ran, by service class, since the warehouse was opened: for monitors from outside, who
/// want sums that only grow. Safe from any thread.
package final class QueueTimes: Sendable {
    /// Durations, counted by the bounds that they do not exceed.
    package struct Histogram: Sendable {
        /// The last one has no bound.
        package private(set) var counts = [Int](repeating: 0, count: QueueTimes.boundsSeconds.count + 1)
        package private(set) var microseconds: Int64 = 0
        package var count: Int { counts.reduce(0, +) }

        mutating func add(_ duration: Int64) {
            let duration = max(duration, 0)
            counts[QueueTimes.bounds.firstIndex { duration <= $0 } ?? QueueTimes.bounds.count] += 1
            microseconds &+= duration
        }
    }
    package struct Figures: Sendable {
        package var waiting = Histogram()
        package var running = Histogram()
        /// By a monitoring rule or a time limit.
        package var aborted = 0
        /// Begun again in another queue.
        package var restarted = 0

        fileprivate mutating func add(_ admission: AdmissionRecord.Figures, _ isAborted: Bool) {
            waiting.add(admission.queueMicroseconds)
            running.add(admission.runMicroseconds)
            if isAborted { aborted += 1 }
        }
    }
    package static let boundsSeconds = [0.001, 0.01, 0.1, 1, 10, 60, 600]
    private static let bounds = boundsSeconds.map { Int64($0 * 1e6) }
    private let figures = Lock<[Int: Figures]>([:])

    func add(_ admission: AdmissionRecord, isAborted: Bool) {
        let admission = admission.figures
        figures.withLock { $0[admission.serviceClass, default: Figures()].add(admission, isAborted) }
    }

    func noteRestart(after serviceClass: Int) {
        figures.withLock { $0[serviceClass, default: Figures()].restarted += 1 }
    }

    package subscript(serviceClass: Int) -> Figures { figures.withLock { $0[serviceClass] ?? Figures() } }
}
