/// What one connection may use.
struct ServerLimits: Sendable {
    /// The largest message of a connected client.
    var messageBytes = 64 << 20
    /// Where results wait for slow clients, and how many bytes of one result may.
    var spoolDirectory = "/tmp"
    var spoolBytes = 64 << 30
    /// Rows of portals that stay in memory.
    var portalMemoryBytes = 4 << 20
    /// Prepared statements and portals of one connection.
    var namedObjects = 10_000

    /// Encoded bytes that are handed on at a time.
    static let chunkBytes = 128 << 10
}
