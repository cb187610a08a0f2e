/// Fixed limits of the process. Limits of SQL itself stand beside the types they limit.
public enum Limits {
    /// Stack of a statement or worker thread. Parser, binder and executor bound their recursion to fit it.
    public static let stackBytes = 64 << 20
    /// Threads of a worker pool.
    public static let maximumWorkers = 256
    /// One contiguous block of memory.
    public static let maximumRegionBytes = 1 << 42
    /// How long an idle worker spins before it parks. Longer sections between parallel phases are rare within a query.
    public static let spinNanoseconds = 10_000
}
