/// Time of the machine, for figures of what its own work has taken and for waits on it: disks, sockets, threads.
/// Nothing that a user calls time comes from here, see ``TimeSource``.
public enum Stopwatch {
    /// Never goes back.
    public static var nanoseconds: Int64 { SystemTime().monotonicNanoseconds() }
}
