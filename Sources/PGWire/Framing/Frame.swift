/// One message as it arrived: its type byte and body without the length.
struct Frame: Sendable {
    /// 0 for start-up packets, which have none.
    var type: UInt8
    var body: [UInt8]
    var sizeBytes: Int { body.count + 5 }
}
