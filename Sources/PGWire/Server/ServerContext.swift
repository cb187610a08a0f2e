import Platform
import SQLTypes
import Synchronization
import Warehouse

/// What all connections of a server share.
final class ServerContext: Sendable {
    let warehouse: Warehouse
    let options: ServerOptions
    let policy: StartupPolicy
    let tls: TLSContext?
    let registry: ClientRegistry
    let logins: PendingLogins
    let failedLogins = FailedLogins()
    let refusedLogins = RefusedLogins()
    /// Connections that are being told that there are too many.
    let refusals = Atomic<Int>(0)
    let statistics = ServerStatistics()

    init(warehouse: Warehouse, options: ServerOptions) throws {
        self.warehouse = warehouse
        self.options = options
        tls = try options.certificate.map { try TLSContext.server(chain: $0.chain, key: $0.key) }
        registry = ClientRegistry(limit: options.maximumConnections)
        logins = PendingLogins(limit: options.maximumLogins)
        policy = StartupPolicy(
            access: options.users.map { .users($0) } ?? .trusted(user: warehouse.options.user),
            hasDatabase: { warehouse.hasDatabase(named: $0) }, offersTLS: tls != nil, requiresTLS: options.requiresTLS)
    }

    /// SESSION TIMEOUT of the user, or the server's own limit.
    func makeSilence(for identity: ClientIdentity) -> Silence {
        let seconds = warehouse.sessionTimeoutSeconds(of: identity.user) ?? options.idleTimeoutSeconds
        return Silence(limitSeconds: seconds, warehouse.time)
    }

    /// The server's log, with the warehouse's time.
    var log: ServerLog { options.log.telling(warehouse.time) }

    /// Opens a session for a client; throws when there is no room for it.
    func makeConversation(
        _ identity: ClientIdentity, peer: String, input: any ClientInput, output: any ClientOutput, silence: Silence
    ) throws -> ConversationService {
        let session = try warehouse.connect(user: identity.user, database: identity.database)
        let processID = Int32(truncatingIfNeeded: session.number)
        let key = Int32(truncatingIfNeeded: warehouse.random.next())
        let interruption = Interruption()
        let log = log
        try registry.add(
            ClientRegistry.Entry(
                key: key, session: session, interruption: interruption, input: input, output: output,
                silence: silence),
            processID: processID)
        let service = ConversationService(
            conversation: Conversation(
                session: session, identity: identity, input: input, output: output, limits: options.limits,
                statistics: statistics, interruption: interruption),
            processID: processID, key: key,
            report: { [log] in log.warning("close_failed", [("pid", String(processID)), ("message", $0.message)]) })
        session.whenTerminated { [registry] in registry.terminate(processID: processID) }
        let fields = [
            ("pid", String(processID)), ("user", identity.user), ("database", identity.database), ("peer", peer),
        ]
        log.info(
            "connect", fields + [("application", identity.parameters["application_name"] ?? "")])
        service.whenEnded { [registry] in
            registry.remove(processID)
            log.info("disconnect", fields)
        }
        return service
    }
}

/// Feeds a session's thread with the messages of its client until the connection ends. Confined to that thread once the
/// session serves.
final class ConversationService: @unchecked Sendable {
    private enum Phase { case starting, running, ended }
    private let conversation: Conversation
    private let processID: Int32
    private let key: Int32
    private var phase = Phase.starting
    private var onEnd: [@Sendable () -> Void] = []
    /// Takes what failed when nobody listens any more.
    private let report: @Sendable (SQLError) -> Void

    init(
        conversation: Conversation, processID: Int32, key: Int32, report: @escaping @Sendable (SQLError) -> Void
    ) {
        self.report = report
        self.conversation = conversation
        self.processID = processID
        self.key = key
    }

    var session: Session { conversation.session }

    /// Only before ``begin()``.
    func whenEnded(_ body: @escaping @Sendable () -> Void) { onEnd.append(body) }

    /// Gives the session's thread to the conversation; returns at once.
    func begin() { session.serve { self.next() } }

    /// The next piece of work; waits for it. nil when there will be none.
    private func next() -> (@Sendable () -> Void)? {
        switch phase {
        case .starting:
            phase = .running
            return { self.conversation.start(processID: self.processID, key: self.key) }
        case .running:
            if conversation.hasEnded { return end() }
            switch take() {
            case .frame(let frame): return { self.conversation.handle(frame) }
            case .ended(let reason):
                conversation.end(reason)
                return end()
            case .closed: return end()
            }
        case .ended: return nil
        }
    }

    /// Waits for the next message, but first for the client to take what it has not taken yet: it may be waiting for
    /// just that, and would say nothing.
    private func take() -> InputEvent {
        let (input, output) = (conversation.input, conversation.output)
        while !output.isWritable && !output.isClosed {
            output.waitUntilWritable()
            if output.isWritable || output.isClosed { break }
            if let event = input.poll() { return event }
        }
        return input.take()
    }

    private func end() -> (@Sendable () -> Void)? {
        phase = .ended
        return {
            self.conversation.input.close()
            do { try self.conversation.session.close() } catch {
                // Its temporary tables stay until the next start.
                self.report(SQLError(error))
            }
            for body in self.onEnd { body() }
        }
    }
}
