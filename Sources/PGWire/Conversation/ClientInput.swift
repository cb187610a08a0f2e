import SQLTypes

/// Where a conversation's messages come from: the seam between protocol logic and the network. One thread takes; the
/// other calls may come from any thread.
protocol ClientInput: AnyObject, Sendable {
    /// Waits for what comes next.
    func take() -> InputEvent
    /// The same, but gives up after a while: nil, ask again.
    func poll() -> InputEvent?
    /// Asks the taker to tell the client why and to end, after the message that it works on.
    func end(_ reason: SQLError)
    /// The connection is gone, or nobody takes any more.
    func close()
}

enum InputEvent: Sendable {
    case frame(Frame)
    /// The connection ends by the server's will: the client is told why.
    case ended(SQLError)
    /// The client is gone.
    case closed
}

extension SQLError {
    static let shuttingDown = SQLError("57P01", "terminating connection due to administrator command")
    static let idleSession = SQLError("57P05", "terminating connection due to idle-session timeout")
}
