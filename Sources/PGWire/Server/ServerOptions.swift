/// How a server listens and whom it lets in.
public struct ServerOptions: Sendable {
    public var host = "127.0.0.1"
    /// 0 takes any free port.
    public var port = 5439
    /// nil: any password or none, for a server that only this machine can reach.
    public var users: UserDirectory?
    /// PEM files of the certificate chain and its key.
    public var certificate: (chain: String, key: String)?
    public var requiresTLS = false
    public var maximumConnections = 500
    /// Connections at a time that have not logged in.
    public var maximumLogins = 100
    public var loginTimeoutSeconds = 30
    /// A client that is silent for so long is disconnected; 0: never. Redshift's limit is four hours.
    public var idleTimeoutSeconds = 4 * 3600
    public var messageLimitBytes = 64 << 20
    /// Where results wait for clients that read slowly, and how much of one result may.
    public var spoolDirectory = "/tmp"
    public var spoolLimitBytes = 64 << 30
    /// Health check and metrics; nil for none.
    public var httpPort: Int?
    public var log = ServerLog.standardError
    public init() {}

    var limits: ServerLimits {
        var limits = ServerLimits()
        limits.messageBytes = messageLimitBytes
        limits.spoolDirectory = spoolDirectory
        limits.spoolBytes = spoolLimitBytes
        return limits
    }
}
