import SQLTypes

/// The first packet of a connection, and those that may come before it.
enum StartupPacket: Sendable {
    case tlsRequest
    case gssEncryptionRequest
    case cancel(processID: Int32, key: Int32)
    case startup(StartupMessage)

    private static let tlsCode: Int32 = 80_877_103
    private static let gssCode: Int32 = 80_877_104
    private static let cancelCode: Int32 = 80_877_102

    init(_ frame: Frame) throws {
        var reader = MessageReader(frame.body)
        let code = try reader.int32()
        switch code {
        case StartupPacket.tlsCode: self = .tlsRequest
        case StartupPacket.gssCode: self = .gssEncryptionRequest
        case StartupPacket.cancelCode: self = .cancel(processID: try reader.int32(), key: try reader.int32())
        default: self = .startup(try StartupMessage(code, &reader))
        }
        try reader.expectEnd()
    }
}

/// Protocol version and parameters of a client that wants a session.
struct StartupMessage: Sendable {
    var minorVersion: Int
    var parameters: [String: String] = [:]

    init(_ version: Int32, _ reader: inout MessageReader) throws {
        guard version >> 16 == 3 else {
            throw SQLError(
                .featureNotSupported,
                "unsupported frontend protocol \(version >> 16).\(version & 0xFFFF): server supports 3.0 to 3.0")
        }
        minorVersion = Int(version & 0xFFFF)
        while reader.remaining > 0 {
            let name = try reader.string()
            // An empty name ends the list; some clients leave bytes behind it.
            if name.isEmpty {
                _ = reader.rest()
                return
            }
            parameters[name] = try reader.string()
        }
        throw ProtocolViolation.error("invalid startup packet layout: expected terminator as last byte")
    }
}
