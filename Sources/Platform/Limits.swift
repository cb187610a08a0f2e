/// Fixed limits of the process. Limits of SQL itself stand beside the types they limit.
public enum Limits {
    /// Stack of a statement or worker thread. Parser, binder and executor bound their recursion to fit it.
    public static let stackBytes = 64 << 20
    /// Text of one statement, as in Redshift.
    public static let maximumStatementBytes = 16 << 20
    /// Nesting of expressions and subqueries.
    public static let maximumNestingDepth = 1_000
    /// Columns of a table, as in Redshift.
    public static let maximumColumns = 1_600
    /// Bytes of an identifier; longer ones are cut, as in Redshift.
    public static let maximumIdentifierBytes = 127
    /// Threads of a worker pool.
    public static let maximumWorkers = 256
    /// One contiguous block of memory.
    public static let maximumRegionBytes = 1 << 42
    /// How long an idle worker spins before it parks. Longer sections between parallel phases are rare within a query.
    public static let spinNanoseconds = 10_000
}
