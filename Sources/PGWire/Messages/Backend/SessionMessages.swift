import SQLTypes

/// `S`: a parameter that clients keep track of.
struct ParameterStatus: BackendMessage {
    var name: String
    var value: String
    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "S")) {
            buffer.append(cString: name)
            buffer.append(cString: value)
        }
    }
}

/// `K`: what a cancel request has to name.
struct BackendKeyData: BackendMessage {
    var processID: Int32
    var key: Int32
    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "K")) {
            buffer.append(int32: processID)
            buffer.append(int32: key)
        }
    }
}

/// `Z`: the server waits for the next command.
struct ReadyForQuery: BackendMessage {
    /// `I` idle, `T` in a transaction block, `E` in a failed one.
    var status: UInt8
    func encode(into buffer: TextBuffer) { buffer.message(UInt8(ascii: "Z")) { buffer.append(status) } }
}

/// `v`: the client asked for a newer minor version or for options that are not known here.
struct NegotiateProtocolVersion: BackendMessage {
    var unknownOptions: [String]
    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "v")) {
            buffer.append(int32: 3 << 16)
            buffer.append(int32: Int32(clamping: unknownOptions.count))
            for option in unknownOptions { buffer.append(cString: option) }
        }
    }
}
