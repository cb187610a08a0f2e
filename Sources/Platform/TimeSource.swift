import Glibc

/// The seam for time: tests put their own in.
public protocol TimeSource: Sendable {
    /// Never goes back; for durations.
    func monotonicNanoseconds() -> Int64
    /// Since 1970-01-01 00:00:00 UTC.
    func wallMicroseconds() -> Int64
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
}
