import Platform
import Synchronization

/// How long a client has been silent while its session waits for it. Safe from any thread.
final class Silence: Sendable {
    private let time: any TimeSource
    /// 0: for as long as it likes.
    private let limitNanoseconds: Int64
    private let since = Atomic<Int64>(nobodyWaits)
    private static let nobodyWaits = Int64.max

    init(limitSeconds: Int, _ time: any TimeSource) {
        self.time = time
        let (nanoseconds, overflow) = Int64(limitSeconds).multipliedReportingOverflow(by: 1_000_000_000)
        limitNanoseconds = overflow ? 0 : nanoseconds
    }

    func begin() { if limitNanoseconds > 0 { since.store(time.monotonicNanoseconds(), ordering: .relaxed) } }
    func end() { since.store(Silence.nobodyWaits, ordering: .relaxed) }

    var isTooLong: Bool {
        let start = since.load(ordering: .relaxed)
        return start != Silence.nobodyWaits && time.monotonicNanoseconds() - start >= limitNanoseconds
    }
}
