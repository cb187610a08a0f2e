import SQLTypes

/// A message of the server. Each is a small value that writes itself, type and length included.
protocol BackendMessage {
    func encode(into buffer: TextBuffer)
}

/// Messages without a body.
struct PlainMessage: BackendMessage {
    let type: UInt8
    func encode(into buffer: TextBuffer) { buffer.message(type) {} }

    static let parseComplete = PlainMessage(type: UInt8(ascii: "1"))
    static let bindComplete = PlainMessage(type: UInt8(ascii: "2"))
    static let closeComplete = PlainMessage(type: UInt8(ascii: "3"))
    static let noData = PlainMessage(type: UInt8(ascii: "n"))
    static let portalSuspended = PlainMessage(type: UInt8(ascii: "s"))
    static let emptyQueryResponse = PlainMessage(type: UInt8(ascii: "I"))
}
