/// How a server listens and whom it lets in.
package struct ServerOptions: Sendable {
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 5439
    /// nil: any password or none, for a server that only this machine can reach.
    package var users: UserDirectory?
    /// PEM files of the certificate chain and its key.
    package var certificate: (chain: String, key: String)?
    package var requiresTLS = false
    package var maximumConnections = 500
    /// Connections at a time that have not logged in.
    package var maximumLogins = 100
    package var loginTimeoutSeconds = 30
    /// A client that is silent for so long is disconnected; 0: never. Redshift's limit is four hours.
    package var idleTimeoutSeconds = 4 * 3600
    package var messageLimitBytes = 64 << 20
    /// Where results wait for clients that read slowly, and how much of one result may.
    package var spoolDirectory = "/tmp"
    package var spoolLimitBytes = 64 << 30
    /// Health check and metrics; nil for none.
    package var httpPort: Int?
    package var log = ServerLog.standardError
    package init() {}

    var limits: ServerLimits {
        var limits = ServerLimits()
        limits.messageBytes = messageLimitBytes
        limits.spoolDirectory = spoolDirectory
        limits.spoolBytes = spoolLimitBytes
        return limits
    }
}
