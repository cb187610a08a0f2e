import NIOCore
import NIOSSL
import Platform
import SQLTypes
import Warehouse

/// One connection at the network's rim: bytes become frames, frames go to the ``StartupMachine`` until the client is
/// known. From then on the session's thread has the socket for itself, or, where the channel encrypts, gets its frames
/// through an inbox. Confined to its event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: ServerContext
    private var decoder = FrameDecoder()
    private var machine: StartupMachine
    private var inbox: Inbox?
    private var session: Session?
    private var isFinished = false
    private var isEncrypted = false
    /// The session's thread gets the socket: what still arrives here is kept for it.
    private var isHandedOver = false
    private var hasGivenSocket = false
    private var loginTimeout: Scheduled<Void>?
    /// A password waits, see ``FailedLogins``. It holds no thread, and its connection is one of those that have not
    /// logged in.
    private var delayed: Scheduled<Void>?
    /// Its place among those that have not logged in.
    private var pending: Int?
    private var peer = ""

    init(server: ServerContext) {
        self.server = server
        machine = StartupMachine(policy: server.policy)
    }

    func channelActive(context: ChannelHandlerContext) {
        server.statistics.connections.add(1, ordering: .relaxed)
        server.statistics.openConnections.add(1, ordering: .relaxed)
        peer = context.remoteAddress?.description ?? "unknown"
        let channel = context.channel
        pending = server.logins.add(nowNanoseconds: SystemTime().monotonicNanoseconds()) { channel.close(promise: nil) }
        if pending == nil {
            return refuse(SQLError("53300", "too many connections have not logged in yet"), context)
        }
        loginTimeout = context.eventLoop.scheduleTask(
            in: .seconds(Int64(server.options.loginTimeoutSeconds))
        ) {
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasGivenSocket { server.statistics.openConnections.subtract(1, ordering: .relaxed) }
        endLogin()
        delayed?.cancel()
        isFinished = true
        inbox?.close()
        session?.cancel()
        context.fireChannelInactive()
    }

    private func endLogin() {
        loginTimeout?.cancel()
        if let pending { server.logins.remove(pending) }
        pending = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isFinished { return }
        unwrapInboundIn(data).withUnsafeReadableBytes { decoder.append($0) }
        readFrames(context)
    }

    private func readFrames(_ context: ChannelHandlerContext) {
        do {
            while !isFinished && !isHandedOver && delayed == nil {
                decoder.isStartup = machine.awaitsStartupPacket
                guard let frame = try decoder.next() else { return }
                if let inbox {
                    if !inbox.put(frame) { pause(context) }
                } else if let client = awaitedClient(context), case let wait = delay(client), wait > 0 {
                    postpone(frame, wait, context)
                } else {
                    receive(frame, context)
                }
            }
        } catch {
            let error = SQLError(error)
            server.options.log.warning("protocol_error", [("peer", peer), ("message", error.message)])
            perform(machine.reject(error), context)
        }
    }

    private func receive(_ frame: Frame, _ context: ChannelHandlerContext) {
        let client = awaitedClient(context)
        let actions = machine.receive(frame, hasMoreBytes: decoder.bufferedBytes > 0)
        if let client, machine.hasFailedPassword {
            server.failedLogins.failed(client, now: SystemTime().monotonicNanoseconds())
        } else if let client, actions.contains(where: { if case .accepted = $0 { true } else { false } }) {
            server.failedLogins.succeeded(client)
        }
        perform(actions, context)
        if !machine.awaitsStartupPacket && !machine.isDone { decoder.maximumLength = FrameDecoder.passwordLimit }
    }

    // MARK: Wrong passwords

    private func awaitedClient(_ context: ChannelHandlerContext) -> FailedLogins.Client? {
        if inbox != nil { return nil }
        let address = context.remoteAddress?.ipAddress ?? ""
        return machine.awaitedProof.map { FailedLogins.Client(user: $0, address: address) }
    }

    private func delay(_ client: FailedLogins.Client) -> Int64 {
        server.failedLogins.delayNanoseconds(client, now: SystemTime().monotonicNanoseconds())
    }

    /// Nothing is read or answered meanwhile.
    private func postpone(_ frame: Frame, _ nanoseconds: Int64, _ context: ChannelHandlerContext) {
        pause(context)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        delayed = context.eventLoop.scheduleTask(in: .nanoseconds(nanoseconds)) {
            handler.value.resume(frame, bound.value)
        }
    }

    private func resume(_ frame: Frame, _ context: ChannelHandlerContext) {
        delayed = nil
        if isFinished { return }
        _ = context.channel.setOption(.autoRead, value: true)
        receive(frame, context)
        readFrames(context)
    }

    private func pause(_ context: ChannelHandlerContext) {
        _ = context.channel.setOption(.autoRead, value: false)
    }

    private func perform(_ actions: [StartupMachine.Action], _ context: ChannelHandlerContext) {
        for action in actions {
            switch action {
            case .send(let messages): send(messages, context)
            case .sendByte(let byte):
                context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: [byte])), promise: nil)
            case .startTLS: startTLS(context)
            case .cancel(let processID, let key): server.registry.cancel(processID: processID, key: key)
            case .accepted(let identity): accept(identity, context)
            case .close: close(context)
            }
        }
    }

    private func send(_ messages: [any BackendMessage], _ context: ChannelHandlerContext) {
        let buffer = TextBuffer()
        for message in messages { message.encode(into: buffer) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: buffer.bytes)), promise: nil)
    }

    private func startTLS(_ context: ChannelHandlerContext) {
        guard let tls = server.tls else { return close(context) }
        isEncrypted = true
        do {
            try context.pipeline.syncOperations.addHandler(
                NIOSSLServerHandler(context: tls), position: .first)
        } catch {
            close(context)
        }
    }

    private func close(_ context: ChannelHandlerContext) {
        isFinished = true
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    private func facts(_ identity: ClientIdentity, _ context: ChannelHandlerContext) -> ClientFacts {
        var facts = ClientFacts()
        facts.user = identity.user
        facts.host = context.remoteAddress?.ipAddress ?? ""
        facts.port = context.remoteAddress?.port.map(String.init) ?? ""
        facts.authentication = server.policy.authenticationName
        if let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self) {
            facts.encryption = handler.tlsVersion.map { "\($0)" } ?? "TLS"
        }
        let parameters = identity.parameters
        facts.application = parameters["application_name"] ?? ""
        facts.operatingSystem = parameters["os_version"] ?? ""
        facts.driver = parameters["driver_version"] ?? ""
        facts.plugin = parameters["plugin_name"] ?? ""
        facts.protocolVersion = parameters["client_protocol_version"].flatMap { Int($0) } ?? 0
        return facts
    }

    private func accept(_ identity: ClientIdentity, _ context: ChannelHandlerContext) {
        endLogin()
        decoder.maximumLength = server.options.messageLimitBytes
        if isEncrypted { return converse(identity, context) }
        isHandedOver = true
        pause(context)
        // The socket may go when everything so far is on its way.
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { result in
            guard case .success = result else { return bound.value.close(promise: nil) }
            handler.value.handOver(identity, bound.value)
        }
    }

    /// The channel ends here; its connection goes on with the session's thread.
    private func handOver(_ identity: ClientIdentity, _ context: ChannelHandlerContext) {
        if isFinished { return }
        do {
            let handle = try context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
                of: NIOBSDSocket.Handle.self
            ) { $0 }
            guard let handle else {
                isHandedOver = false
                return converse(identity, context)
            }
            let socket = try ClientSocket(duplicating: handle)
            decoder.isStartup = false
            let service = try server.makeConversation(
                identity, peer: peer, input: SocketInput(socket: socket, decoder: decoder),
                output: SocketOutput(socket: socket, statistics: server.statistics))
            hasGivenSocket = true
            service.session.describeClient(facts(identity, context))
            service.whenEnded { [statistics = server.statistics] in
                statistics.openConnections.subtract(1, ordering: .relaxed)
            }
            // First the channel must be gone, which would read on.
            context.close(promise: nil)
            socket.prepare(idleSeconds: server.idleSeconds(for: identity))
            service.begin()
        } catch {
            refuse(error, context)
        }
    }

    private func converse(_ identity: ClientIdentity, _ context: ChannelHandlerContext) {
        let channel = context.channel
        let inbox = Inbox(idleSeconds: server.idleSeconds(for: identity)) {
            channel.eventLoop.execute {
                _ = channel.setOption(.autoRead, value: true)
                channel.read()
            }
        }
        do {
            let service = try server.makeConversation(
                identity, peer: peer, input: inbox,
                output: ChannelOutput(channel: channel, statistics: server.statistics))
            session = service.session
            service.session.describeClient(facts(identity, context))
            self.inbox = inbox
            service.begin()
        } catch {
            refuse(error, context)
        }
    }

    private func refuse(_ error: any Error, _ context: ChannelHandlerContext) {
        server.statistics.refused.add(1, ordering: .relaxed)
        perform(machine.reject(SQLError(error)), context)
    }
}
