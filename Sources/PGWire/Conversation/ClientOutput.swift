/// Where a conversation's bytes go: the seam between protocol logic and the network. Calls come one at a time, from the
/// session's thread or from workers on its behalf; none but ``waitUntilWritable()`` and ``finish()`` wait.
protocol ClientOutput: AnyObject, Sendable {
    func send(_ bytes: UnsafeRawBufferPointer)
    /// More may be sent without piling up.
    var isWritable: Bool { get }
    /// Returns when ``isWritable``, when the client is gone, or after a while in which neither happened: ask again.
    func waitUntilWritable()
    var isClosed: Bool { get }
    /// The client has closed its side while nobody reads. From any thread.
    var hasHungUp: Bool { get }
    /// Closes the connection after everything sent so far.
    func finish()
}
