import SQLTypes

/// What a client may send once it is connected.
enum FrontendMessage: Sendable {
    case query(QueryMessage)
    case parse(ParseMessage)
    case bind(BindMessage)
    case describe(DescribeMessage)
    case execute(ExecuteMessage)
    case close(CloseMessage)
    case sync
    case flush
    case terminate
    case functionCall
    case password([UInt8])
    case copyData([UInt8])
    case copyDone
    case copyFail(String)

    init(_ frame: Frame) throws {
        var reader = MessageReader(frame.body)
        switch frame.type {
        case UInt8(ascii: "Q"): self = .query(try QueryMessage(&reader))
        case UInt8(ascii: "P"): self = .parse(try ParseMessage(&reader))
        case UInt8(ascii: "B"): self = .bind(try BindMessage(&reader))
        case UInt8(ascii: "D"): self = .describe(try DescribeMessage(&reader))
        case UInt8(ascii: "E"): self = .execute(try ExecuteMessage(&reader))
        case UInt8(ascii: "C"): self = .close(try CloseMessage(&reader))
        case UInt8(ascii: "S"): self = .sync
        case UInt8(ascii: "H"): self = .flush
        case UInt8(ascii: "X"): self = .terminate
        case UInt8(ascii: "F"):
            _ = reader.rest()
            self = .functionCall
        case UInt8(ascii: "p"): self = .password(reader.rest())
        case UInt8(ascii: "d"): self = .copyData(reader.rest())
        case UInt8(ascii: "c"): self = .copyDone
        case UInt8(ascii: "f"): self = .copyFail(try reader.string())
        default: throw ProtocolViolation.error("invalid frontend message type \(frame.type)")
        }
        try reader.expectEnd()
    }
}
