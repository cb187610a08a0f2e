/// What Describe and Close are about.
enum NamedTarget: Sendable, Hashable {
    case statement(String)
    case portal(String)

    init(_ reader: inout MessageReader, _ message: String) throws {
        let kind = try reader.byte()
        let name = try reader.string()
        switch kind {
        case UInt8(ascii: "S"): self = .statement(name)
        case UInt8(ascii: "P"): self = .portal(name)
        default: throw ProtocolViolation.error("invalid \(message) message subtype \(kind)")
        }
    }
}

/// `D`: asks for parameters and columns of a statement, or the columns of a portal.
struct DescribeMessage: Sendable {
    var target: NamedTarget
    init(_ reader: inout MessageReader) throws { target = try NamedTarget(&reader, "DESCRIBE") }
}
