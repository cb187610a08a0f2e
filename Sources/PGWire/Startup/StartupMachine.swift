import Catalog
import Platform
import SQLTypes
import Warehouse

/// What a connection is allowed to become.
struct StartupPolicy: Sendable {
    enum Access: Sendable {
        /// Any password or none: for a server that only this machine can reach.
        case trusted(user: String)
        case users(UserDirectory)
    }
    var access: Access
    /// Whether there is a database of a name.
    var hasDatabase: @Sendable (String) -> Bool
    var offersTLS = false
    var requiresTLS = false

    /// As STL_CONNECTION_LOG names it.
    var authenticationName: String {
        switch access {
        case .trusted: "Trust"
        case .users(let directory): directory.method == .scram ? "scram-sha-256" : directory.method.rawValue
        }
    }
}

/// Who is connected, and what they asked for.
struct ClientIdentity: Sendable {
    var user: String
    var database: String
    /// All other start-up parameters; unknown ones are of no consequence.
    var parameters: [String: String]
}

extension ClientIdentity {
    /// redshift_connector takes the empty name at the end of the list of mechanisms for one of them, and gives up.
    fileprivate var readsOpenLists: Bool {
        parameters["driver_version"]?.hasPrefix("Redshift Python Driver") == true
    }
}

/// A connection until its client is known: encryption, start-up packet, password. Plain state; gets packets, gives
/// actions.
struct StartupMachine {
    enum Action {
        case send([any BackendMessage])
        /// One byte outside of all messages.
        case sendByte(UInt8)
        case startTLS
        case cancel(processID: Int32, key: Int32)
        case accepted(ClientIdentity)
        case close
    }
    private enum State {
        case request
        case password(ClientIdentity, Challenge)
        case done
    }
    private enum Challenge {
        case cleartext
        case md5(salt: [UInt8])
        case sasl
        case scram(ScramExchange)
    }
    private let policy: StartupPolicy
    private var state = State.request
    private var isEncrypted = false
    private var encryptionRequests = 0
    private let random: SharedRandom

    init(policy: StartupPolicy, random: SharedRandom = SharedRandom()) {
        self.policy = policy
        self.random = random
    }

    /// Whether the next frame is a start-up packet rather than a message with a type.
    var awaitsStartupPacket: Bool { if case .request = state { true } else { false } }
    /// Whose password the next frame may prove.
    var awaitedProof: String? {
        guard case .password(let identity, let challenge) = state else { return nil }
        if case .sasl = challenge { return nil }
        return identity.user
    }
    private(set) var hasFailedPassword = false
    /// Who the client says it is.
    private(set) var claimed: ClientIdentity?
    private var refusal: SQLError?
    var isDone: Bool { if case .done = state { true } else { false } }

    /// - Parameter hasMoreBytes: the client sent more than this packet already.
    mutating func receive(_ frame: Frame, hasMoreBytes: Bool) -> [Action] {
        do {
            switch state {
            case .request: return try receivePacket(try StartupPacket(frame), hasMoreBytes)
            case .password(let identity, let challenge): return try receivePassword(frame, identity, challenge)
            case .done: return []
            }
        } catch {
            return reject(SQLError(error))
        }
    }

    /// Why the client was refused, once; nil before that.
    mutating func takeRefusal() -> SQLError? {
        defer { refusal = nil }
        return refusal
    }

    /// The FATAL error with which a connection ends.
    mutating func reject(_ error: SQLError) -> [Action] {
        state = .done
        refusal = error
        return [.send([ErrorResponse(severity: .fatal, error: error)]), .close]
    }

    private mutating func receivePacket(_ packet: StartupPacket, _ hasMoreBytes: Bool) throws -> [Action] {
        switch packet {
        case .tlsRequest:
            try countEncryptionRequest()
            guard policy.offersTLS, !isEncrypted else { return [.sendByte(UInt8(ascii: "N"))] }
            // What came behind the request came unencrypted, perhaps from someone in between.
            guard !hasMoreBytes else {
                throw ProtocolViolation.error("received unencrypted data after SSL request")
            }
            isEncrypted = true
            return [.sendByte(UInt8(ascii: "S")), .startTLS]
        case .gssEncryptionRequest:
            try countEncryptionRequest()
            return [.sendByte(UInt8(ascii: "N"))]
        case .cancel(let processID, let key):
            state = .done
            return [.cancel(processID: processID, key: key), .close]
        case .startup(let message): return try receiveStartup(message)
        }
    }

    private mutating func countEncryptionRequest() throws {
        encryptionRequests += 1
        if encryptionRequests > 4 { throw ProtocolViolation.error("too many encryption requests") }
    }

    private mutating func receiveStartup(_ message: StartupMessage) throws -> [Action] {
        var parameters = message.parameters
        guard let user = parameters.removeValue(forKey: "user"), !user.isEmpty else {
            throw SQLError("28000", "no PostgreSQL user name specified in startup packet")
        }
        let database = parameters.removeValue(forKey: "database") ?? user
        claimed = ClientIdentity(user: user, database: database, parameters: parameters)
        if policy.requiresTLS && !isEncrypted {
            throw SQLError(
                "28000", "no pg_hba.conf entry for user \"\(user)\", database \"\(database)\", SSL off",
                hint: "This server accepts encrypted connections only: set sslmode=require (ssl=true) in the "
                    + "client, or start the server with --allow-plaintext.")
        }
        if let replication = parameters["replication"], replication != "false", replication != "off" {
            throw SQLError(.featureNotSupported, "replication connections are not supported")
        }
        var messages: [any BackendMessage] = []
        if message.minorVersion > 0 {
            // Options are for version 3.1 and later to talk about; older drivers send them and expect silence.
            messages.append(
                NegotiateProtocolVersion(unknownOptions: parameters.keys.filter { $0.hasPrefix("_pq_.") }.sorted()))
        }
        let identity = ClientIdentity(user: user, database: database, parameters: parameters)
        guard let (challenge, request) = challenge(for: identity) else {
            return (messages.isEmpty ? [] : [.send(messages)]) + (try accept(identity))
        }
        state = .password(identity, challenge)
        messages.append(request)
        return [.send(messages)]
    }

    private func challenge(for identity: ClientIdentity) -> (Challenge, AuthenticationMessage)? {
        guard case .users(let directory) = policy.access else { return nil }
        switch directory.proof(of: identity.user, isEncrypted: isEncrypted) {
        case .scram: return (.sasl, .sasl(mechanisms: [ScramExchange.mechanism], isOpen: identity.readsOpenLists))
        case .password: return (.cleartext, .cleartextPassword)
        case .md5:
            let salt = random.bytes(4)
            return (.md5(salt: salt), .md5Password(salt: salt))
        }
    }

    private mutating func accept(_ identity: ClientIdentity) throws -> [Action] {
        if case .trusted(let user) = policy.access, identity.user != user {
            throw SQLError(
                "28000", "password authentication failed for user \"\(identity.user)\"",
                hint: "This development server knows the user \"\(user)\" only, with any password: connect as "
                    + "that user, or start the server without --dev.")
        }
        guard policy.hasDatabase(identity.database) else {
            throw DatabaseDefinition.isUnknown(identity.database)
        }
        state = .done
        return [.send([AuthenticationMessage.ok]), .accepted(identity)]
    }

    private mutating func receivePassword(
        _ frame: Frame, _ identity: ClientIdentity, _ challenge: Challenge
    ) throws -> [Action] {
        guard case .users(let directory) = policy.access, case .password(let data) = try FrontendMessage(frame) else {
            throw ProtocolViolation.error("expected password response, got message type \(frame.type)")
        }
        switch challenge {
        case .cleartext:
            var reader = MessageReader(data)
            let isRight = directory.accepts(password: try reader.string(), user: identity.user)
            return isRight ? try accept(identity) : failed(identity)
        case .md5(let salt):
            var reader = MessageReader(data)
            let isRight = directory.accepts(md5: try reader.string(), user: identity.user, salt: salt)
            return isRight ? try accept(identity) : failed(identity)
        case .sasl:
            var reader = MessageReader(data)
            guard try reader.string() == ScramExchange.mechanism else {
                throw ProtocolViolation.error("client selected an invalid SASL authentication mechanism")
            }
            let (keys, isReal) = directory.scramKeys(identity.user)
            let exchange = ScramExchange(keys: keys, isReal: isReal, nonce: random.bytes(18))
            return try receive(try reader.value() ?? [], exchange, identity, directory)
        case .scram(let exchange): return try receive(data, exchange, identity, directory)
        }
    }

    private mutating func receive(
        _ data: [UInt8], _ exchange: ScramExchange, _ identity: ClientIdentity, _ directory: UserDirectory
    ) throws -> [Action] {
        var exchange = exchange
        switch try exchange.receive(data) {
        case .challenge(let bytes):
            state = .password(identity, .scram(exchange))
            return [.send([AuthenticationMessage.saslContinue(bytes)])]
        case .success(let bytes):
            // The client decides how long this takes: by now the name may have another password, or another user.
            guard directory.scramKeys(identity.user).keys == exchange.keys else { return failed(identity) }
            return [.send([AuthenticationMessage.saslFinal(bytes)])] + (try accept(identity))
        case .failure: return failed(identity)
        }
    }

    private mutating func failed(_ identity: ClientIdentity) -> [Action] {
        hasFailedPassword = true
        return reject(SQLError("28P01", "password authentication failed for user \"\(identity.user)\""))
    }
}
