import Platform
import SQLTypes
import Synchronization
import Warehouse

/// A connection until its client is known, on a thread of its own: bytes become frames, frames go to the
/// ``StartupMachine``. From then on the session's thread has the socket. Ends at the latest with the time to log in.
final class ConnectionLogin {
    private let server: ServerContext
    private let socket: ClientSocket
    private let address: SocketAddress
    private let peer: String
    private var decoder = FrameDecoder()
    private var machine: StartupMachine
    private var buffer = [UInt8](repeating: 0, count: 4 << 10)
    private let deadline: Int64
    private var isFinished = false

    private init(_ server: ServerContext, _ socket: ClientSocket, _ address: SocketAddress) {
        self.server = server
        self.socket = socket
        self.address = address
        peer = address.description
        machine = StartupMachine(policy: server.policy, random: server.warehouse.random)
        deadline = Stopwatch.nanoseconds + Int64(server.options.loginTimeoutSeconds) * 1_000_000_000
    }

    /// Takes a new connection over; returns at once.
    static func begin(_ descriptor: Int32, _ address: SocketAddress, _ server: ServerContext) {
        let socket = ClientSocket(owning: descriptor)
        server.statistics.connections.add(1, ordering: .relaxed)
        server.statistics.openConnections.add(1, ordering: .relaxed)
        let place = server.logins.add(nowNanoseconds: Stopwatch.nanoseconds) { socket.stop() }
        // Saying why takes a thread for a moment: many who come at once find a closed door.
        if place == nil && server.refusals.add(1, ordering: .relaxed).newValue > mostRefusals {
            server.refusals.subtract(1, ordering: .relaxed)
            server.statistics.openConnections.subtract(1, ordering: .relaxed)
            server.statistics.refused.add(1, ordering: .relaxed)
            return socket.close()
        }
        do {
            try NativeThread.start(name: "login") {
                let login = ConnectionLogin(server, socket, address)
                let isSession = place == nil ? login.turnAway() : login.run()
                if let place { server.logins.remove(place) } else { server.refusals.subtract(1, ordering: .relaxed) }
                if isSession { return }
                server.statistics.openConnections.subtract(1, ordering: .relaxed)
                socket.close()
            }
        } catch {
            if let place { server.logins.remove(place) } else { server.refusals.subtract(1, ordering: .relaxed) }
            server.statistics.openConnections.subtract(1, ordering: .relaxed)
            server.statistics.refused.add(1, ordering: .relaxed)
            socket.close()
        }
    }

    private static let mostRefusals = 20

    private func turnAway() -> Bool {
        refuse(SQLError("53300", "too many connections have not logged in yet"))
        return false
    }

    /// - Returns: a session has the connection now.
    private func run() -> Bool {
        while !isFinished {
            do {
                decoder.isStartup = machine.awaitsStartupPacket
                if let frame = try decoder.next() {
                    if receive(frame) { return true }
                } else if !read() {
                    return false
                }
            } catch {
                let error = SQLError(error)
                server.log.warning("protocol_error", [("peer", peer), ("message", error.message)])
                _ = perform(machine.reject(error))
            }
        }
        return false
    }

    /// False when no more will come.
    private func read() -> Bool {
        guard socket.awaitBytes(deadlineNanoseconds: deadline) else { return false }
        return buffer.withUnsafeMutableBytes { buffer in
            guard case .bytes(let count) = socket.receive(buffer) else { return false }
            decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return true
        }
    }

    private func receive(_ frame: Frame) -> Bool {
        let client = machine.awaitedProof.map { FailedLogins.Client(user: $0, address: address.host) }
        if let client, !waitAfterFailures(client) {
            isFinished = true
            return false
        }
        let actions = machine.receive(frame, hasMoreBytes: decoder.bufferedBytes > 0)
        if let client, machine.hasFailedPassword {
            server.failedLogins.failed(client, now: server.warehouse.time.monotonicNanoseconds())
        } else if let client, actions.contains(where: { if case .accepted = $0 { true } else { false } }) {
            server.failedLogins.succeeded(client)
        }
        let isSession = perform(actions)
        if !machine.awaitsStartupPacket && !machine.isDone { decoder.maximumLength = FrameDecoder.passwordLimit }
        return isSession
    }

    /// After wrong passwords the next one waits, see ``FailedLogins``; nothing is read or answered meanwhile. False
    /// when the client has gone.
    private func waitAfterFailures(_ client: FailedLogins.Client) -> Bool {
        let now = server.warehouse.time.monotonicNanoseconds()
        let nanoseconds = server.failedLogins.delayNanoseconds(client, now: now)
        if nanoseconds <= 0 { return true }
        return !socket.hasHungUp(milliseconds: Int32(clamping: nanoseconds / 1_000_000 + 1))
    }

    /// - Returns: a session has the connection now.
    private func perform(_ actions: [StartupMachine.Action]) -> Bool {
        if let error = machine.takeRefusal(), error.state != "08P01" {
            let claimed = machine.claimed ?? ClientIdentity(user: "", database: "", parameters: [:])
            server.refusedLogins.note(error, facts(claimed), server, peer: peer)
        }
        for action in actions {
            switch action {
            case .send(let messages): send(messages)
            case .sendByte(let byte): send([byte])
            case .startTLS: startTLS()
            case .cancel(let processID, let key): server.registry.cancel(processID: processID, key: key)
            case .accepted(let identity): return converse(identity)
            case .close:
                isFinished = true
                socket.finish()
            }
            if isFinished { return false }
        }
        return false
    }

    private func send(_ messages: [any BackendMessage]) {
        let buffer = TextBuffer()
        for message in messages { message.encode(into: buffer) }
        send(Array(buffer.bytes))
    }

    private func send(_ bytes: [UInt8]) {
        if !socket.sendAll(bytes, deadlineNanoseconds: deadline) { isFinished = true }
    }

    private func startTLS() {
        do {
            guard let session = try server.tls?.makeSession() else {
                isFinished = true
                return
            }
            try socket.startTLS(session, deadlineNanoseconds: deadline)
        } catch {
            let message = SQLError(error).message
            var fields = [("peer", peer), ("message", message)]
            if ["unknown ca", "certificate unknown", "bad certificate"].contains(where: { message.contains($0) }) {
                let file = server.options.certificate?.chain ?? ""
                fields.append(("hint", "the client does not trust the certificate: its root certificate is \(file)"))
            }
            server.log.warning("tls_failed", fields)
            isFinished = true
        }
    }

    private func facts(_ identity: ClientIdentity) -> ClientFacts {
        var facts = ClientFacts()
        facts.user = identity.user
        facts.database = identity.database
        facts.host = address.host
        facts.port = String(address.port)
        facts.authentication = server.policy.authenticationName
        if let version = socket.encryption { facts.encryption = version }
        let parameters = identity.parameters
        facts.application = parameters["application_name"] ?? ""
        facts.operatingSystem = parameters["os_version"] ?? ""
        facts.driver = parameters["driver_version"] ?? ""
        facts.plugin = parameters["plugin_name"] ?? ""
        facts.protocolVersion = parameters["client_protocol_version"].flatMap { Int($0) } ?? 0
        return facts
    }

    private func converse(_ identity: ClientIdentity) -> Bool {
        decoder.maximumLength = server.options.messageLimitBytes
        decoder.isStartup = false
        do {
            let silence = server.makeSilence(for: identity)
            let service = try server.makeConversation(
                identity, peer: peer, input: SocketInput(socket: socket, decoder: decoder, silence: silence),
                output: SocketOutput(socket: socket, statistics: server.statistics), silence: silence)
            service.session.describeClient(facts(identity))
            service.whenEnded { [statistics = server.statistics] in
                statistics.openConnections.subtract(1, ordering: .relaxed)
            }
            socket.prepare()
            service.begin()
            return true
        } catch {
            refuse(error)
            return false
        }
    }

    private func refuse(_ error: any Error) {
        server.statistics.refused.add(1, ordering: .relaxed)
        _ = perform(machine.reject(SQLError(error)))
    }
}
