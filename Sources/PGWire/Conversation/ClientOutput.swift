/// Where a conversation's bytes go: the seam between protocol logic and the network. Calls come from the session's
/// thread; none but ``waitUntilWritable()`` blocks.
protocol ClientOutput: AnyObject, Sendable {
    func send(_ bytes: UnsafeRawBufferPointer)
    /// More may be sent without piling up.
    var isWritable: Bool { get }
    /// Returns when ``isWritable``, or when the client is gone.
    func waitUntilWritable()
    var isClosed: Bool { get }
    /// Closes the connection after everything sent so far.
    func finish()
}
