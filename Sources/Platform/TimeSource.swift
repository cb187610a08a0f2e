import Glibc

/// The time that a warehouse lives in: what users see as time, and what ends or begins by time, asks it. Tests put
/// their own in. How long the machine takes for its own work is asked of the ``Stopwatch``.
public protocol TimeSource: Sendable {
    /// Never goes back; for durations.
    func monotonicNanoseconds() -> Int64
    /// Since 1970-01-01 00:00:00 UTC.
    func wallMicroseconds() -> Int64
    /// Waits on a locked monitor until it is woken or the moment (of ``monotonicNanoseconds()``) has come; false then.
    /// May return without cause.
    func wait(_ monitor: Monitor, untilNanoseconds deadline: Int64) -> Bool
}

/// The machine's clocks.
public struct SystemTime: TimeSource {
    public init() {}
    public func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
    public func wallMicroseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000 &+ Int64(time.tv_nsec) / 1_000
    }
    public func wait(_ monitor: Monitor, untilNanoseconds deadline: Int64) -> Bool {
        monitor.wait(untilNanoseconds: deadline)
    }
}
