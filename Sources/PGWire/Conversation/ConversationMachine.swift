import SQLTypes

/// Decides what each message of a connected client leads to: the rules of the protocol without the work. After an error
/// in the extended protocol everything is skipped until Sync.
struct ConversationMachine {
    enum Step {
        case perform(FrontendMessage)
        case ignore
        case close
        /// The client broke the protocol beyond repair.
        case fail(SQLError)
    }
    private(set) var isSkipping = false
    private(set) var isClosed = false

    mutating func receive(_ frame: Frame) -> Step {
        if isClosed { return .ignore }
        if isSkipping && frame.type != UInt8(ascii: "S") && frame.type != UInt8(ascii: "X") {
            return .ignore
        }
        do {
            return step(try FrontendMessage(frame))
        } catch {
            // The frame was whole, so the stream is fine; only this message is bad.
            return .fail(SQLError(error))
        }
    }

    private mutating func step(_ message: FrontendMessage) -> Step {
        switch message {
        case .terminate:
            isClosed = true
            return .close
        case .sync:
            isSkipping = false
            return .perform(message)
        case .copyData, .copyDone, .copyFail: return .ignore
        case .password: return .fail(ProtocolViolation.error("unexpected password message"))
        default: return .perform(message)
        }
    }

    /// An error was sent. The result says whether the server is ready for the next query now (after simple queries) or
    /// only after Sync.
    mutating func failed(_ frameType: UInt8) -> Bool {
        if frameType == UInt8(ascii: "Q") || frameType == UInt8(ascii: "F")
            || frameType == UInt8(ascii: "S")
        {
            return true
        }
        isSkipping = true
        return false
    }

    mutating func close() { isClosed = true }
}
