/// What a server knows of a session's client, for STL_CONNECTION_LOG.
public struct ClientFacts: Sendable, Hashable {
    public var user = ""
    public var host = ""
    public var port = ""
    /// `Trust`, `password`, `md5`, `scram-sha-256`.
    public var authentication = ""
    /// `TLSv1.3`; empty without encryption.
    public var encryption = ""
    public var application = ""
    public var operatingSystem = ""
    public var driver = ""
    public var plugin = ""
    public var protocolVersion = 0
    public init() {}
}
