import NIOSSL
import SQLTypes
import Warehouse

/// What all connections of a server share.
final class ServerContext: Sendable {
    let warehouse: Warehouse
    let options: ServerOptions
    let policy: StartupPolicy
    let tls: NIOSSLContext?
    let registry: ClientRegistry
    let statistics = ServerStatistics()

    init(warehouse: Warehouse, options: ServerOptions) throws {
        self.warehouse = warehouse
        self.options = options
        tls = try ServerContext.makeTLS(options)
        registry = ClientRegistry(limit: options.maximumConnections)
        policy = StartupPolicy(
            access: options.users.map { .users($0) } ?? .trusted(user: warehouse.options.user),
            database: warehouse.options.database, offersTLS: tls != nil, requiresTLS: options.requiresTLS)
    }

    private static func makeTLS(_ options: ServerOptions) throws -> NIOSSLContext? {
        guard let files = options.certificate else { return nil }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(files.chain)
            var configuration = TLSConfiguration.makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem)))
            configuration.minimumTLSVersion = .tlsv12
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw SQLError(.invalidParameterValue, "could not load the TLS certificate or key: \(error)")
        }
    }

    /// Opens a session and hands its thread to the conversation; returns at once.
    func startConversation(
        _ identity: ClientIdentity, peer: String, inbox: Inbox, output: ChannelOutput
    ) throws -> Session {
        let session = try warehouse.connect()
        let processID = Int32(truncatingIfNeeded: session.number)
        var generator = SystemRandomNumberGenerator()
        let key = Int32.random(in: Int32.min...Int32.max, using: &generator)
        let interruption = Interruption()
        try registry.add(
            ClientRegistry.Entry(
                key: key, session: session, interruption: interruption, inbox: inbox, output: output),
            processID: processID)
        let service = ConversationService(
            conversation: Conversation(
                session: session, identity: identity, output: output, limits: options.limits, statistics: statistics,
                interruption: interruption),
            inbox: inbox, processID: processID, key: key)
        let fields = [("pid", String(processID)), ("user", identity.user), ("peer", peer)]
        options.log.info(
            "connect", fields + [("application", identity.parameters["application_name"] ?? "")])
        service.onEnd = { [options, registry] in
            registry.remove(processID)
            options.log.info("disconnect", fields)
        }
        session.serve { service.next() }
        return session
    }
}

/// Feeds a session's thread with the messages of its client until the connection ends. Confined to that thread once the
/// session serves.
final class ConversationService: @unchecked Sendable {
    private enum Phase { case starting, running, ended }
    private let conversation: Conversation
    private let inbox: Inbox
    private let processID: Int32
    private let key: Int32
    private var phase = Phase.starting
    var onEnd: () -> Void = {}

    init(conversation: Conversation, inbox: Inbox, processID: Int32, key: Int32) {
        self.conversation = conversation
        self.inbox = inbox
        self.processID = processID
        self.key = key
    }

    /// The next piece of work; waits for it. nil when there will be none.
    func next() -> (@Sendable () -> Void)? {
        switch phase {
        case .starting:
            phase = .running
            return { self.conversation.start(processID: self.processID, key: self.key) }
        case .running:
            switch inbox.take() {
            case .frame(let frame): return { self.conversation.handle(frame) }
            case .shutdown:
                conversation.end(SQLError("57P01", "terminating connection due to administrator command"))
                return end()
            case .closed: return end()
            }
        case .ended: return nil
        }
    }

    private func end() -> (@Sendable () -> Void)? {
        phase = .ended
        return {
            try? self.conversation.session.close()
            self.onEnd()
        }
    }
}
