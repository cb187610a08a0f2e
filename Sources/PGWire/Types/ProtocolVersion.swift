/// Redshift's extensions of the protocol, as a client asks for them with `client_protocol_version` and is told that it
/// gets them with `server_protocol_version`.
enum ProtocolVersion: Int, Comparable {
    case base = 0
    /// RowDescription tells where each column comes from.
    case extendedMetadata = 1
    /// And NUMERIC has Redshift's own binary form.
    case binary = 2

    /// The highest that both sides know; nil: the client has not asked.
    static func negotiated(_ asked: String?) -> ProtocolVersion? {
        guard let number = asked.flatMap({ Int($0) }), number >= 0 else { return nil }
        return ProtocolVersion(rawValue: min(number, ProtocolVersion.binary.rawValue))
    }

    static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool { left.rawValue < right.rawValue }
}
