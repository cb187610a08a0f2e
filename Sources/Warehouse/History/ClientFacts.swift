/// What a server knows of a session's client, for STL_CONNECTION_LOG.
package struct ClientFacts: Sendable, Hashable {
    package var user = ""
    /// Empty in what was kept from before there were several.
    package var database = ""
    package var host = ""
    package var port = ""
    /// `Trust`, `password`, `md5`, `scram-sha-256`.
    package var authentication = ""
    /// `TLSv1.3`; empty without encryption.
    package var encryption = ""
    package var application = ""
    package var operatingSystem = ""
    package var driver = ""
    package var plugin = ""
    package var protocolVersion = 0
    package init() {}
}
