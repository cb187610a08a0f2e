import NIOCore
import NIOPosix
import NIOSSL
import Platform
import SQLTypes
import Warehouse

/// Takes the results of a ``WireClient``'s statements, as text.
public protocol WireResultHandler: AnyObject {
    func begin(columns: [ResultColumn]) throws
    func row(_ values: [String?]) throws
    func end(tag: String) throws
    func notice(_ severity: String, _ message: String)
}

/// A connection to a server that speaks the PostgreSQL protocol, for the shell: simple queries, cancel. One statement
/// at a time, from any thread; ``cancel()`` may come at any time. Calls wait.
public final class WireClient: @unchecked Sendable {  // only `parameters` changes, within a call of the owner
    public let address: ServerAddress
    /// What the server has reported: `server_version`, `TimeZone`.
    public private(set) var parameters: [String: String] = [:]
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let inbox: Inbox
    private var processID: Int32 = 0
    private var key: Int32 = 0

    public init(_ address: ServerAddress, application: String = "redbarn") throws {
        self.address = address
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            (channel, inbox) = try WireClient.connect(address, group)
        } catch {
            try? group.syncShutdownGracefully()
            throw WireClient.connectionError(error, address)
        }
        do {
            try logIn(application)
        } catch {
            close()
            throw error
        }
    }

    private static func connectionError(_ error: any Error, _ address: ServerAddress) -> any Error {
        if error is SQLError { return error }
        return SQLError("08001", "could not connect to \(address.host):\(address.port): \(error)")
    }

    private static func connect(
        _ address: ServerAddress, _ group: MultiThreadedEventLoopGroup
    ) throws -> (any Channel, Inbox) {
        let tls = try tlsContext(address)
        let ready = group.any().makePromise(of: Void.self)
        let place = ChannelPlace()
        let inbox = Inbox(idleSeconds: 0) { place.resume() }
        let connecting = ClientBootstrap(group: group)
            .connectTimeout(.seconds(15))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                place.set(channel)
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        ClientHandler(address: address, tls: tls, inbox: inbox, ready: ready))
                }
            }.connect(host: address.host, port: address.port)
        connecting.whenFailure { ready.fail($0) }
        try ready.futureResult.wait()
        return (try connecting.wait(), inbox)
    }

    private static func tlsContext(_ address: ServerAddress) throws -> NIOSSLContext? {
        if address.encryption == .disable { return nil }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let file = address.rootCertificate { configuration.trustRoots = .file(file) }
        switch address.encryption {
        case .verifyFull: configuration.certificateVerification = .fullVerification
        case .verifyAuthority: configuration.certificateVerification = .noHostnameVerification
        default: configuration.certificateVerification = .none
        }
        return try NIOSSLContext(configuration: configuration)
    }

    // MARK: Login

    private func logIn(_ application: String) throws {
        let packet = TextBuffer()
        packet.append(int32: 0)
        packet.append(int32: 196_608)
        let facts = [
            ("user", address.user), ("database", address.database), ("application_name", application),
            ("client_encoding", "UTF8"),
        ]
        for (name, value) in facts {
            packet.append(cString: name)
            packet.append(cString: value)
        }
        packet.append(0 as UInt8)
        packet.set(int32: packet.count, at: 0)
        send(packet)
        var login = ClientLogin(address)
        while true {
            let frame = try next()
            var reader = MessageReader(frame.body)
            switch frame.type {
            case UInt8(ascii: "R"):
                if let answer = try login.answer(frame.body) { send("p", answer) }
            case UInt8(ascii: "S"): parameters[try reader.string()] = try reader.string()
            case UInt8(ascii: "K"): (processID, key) = (try reader.int32(), try reader.int32())
            case UInt8(ascii: "E"): throw try WireClient.error(frame.body)
            case UInt8(ascii: "Z"): return
            default: continue
            }
        }
    }

    // MARK: Statements

    /// Runs the statements of a text. The first error ends them; the connection stays usable.
    public func execute(_ sql: String, _ handler: any WireResultHandler) throws {
        send("Q", Array(sql.utf8.filter { $0 != 0 }) + [0])
        var failure: (any Error)?
        while true {
            let frame = try next()
            if frame.type == UInt8(ascii: "Z") { break }
            do {
                if let error = try take(frame, failure == nil ? handler : nil) { failure = failure ?? error }
            } catch {
                // Whoever takes the rows has no use for more of them.
                failure = failure ?? error
                cancel()
            }
        }
        if let failure { throw failure }
    }

    /// - Returns: the server's error.
    private func take(_ frame: Frame, _ handler: (any WireResultHandler)?) throws -> SQLError? {
        var reader = MessageReader(frame.body)
        switch frame.type {
        case UInt8(ascii: "T"): try handler?.begin(columns: try WireClient.columns(&reader))
        case UInt8(ascii: "D"):
            guard let handler else { return nil }
            var values: [String?] = []
            for _ in 0..<(try reader.count(ofAtLeast: 4)) {
                values.append(try reader.value().map { String(decoding: $0, as: UTF8.self) })
            }
            try handler.row(values)
        case UInt8(ascii: "C"): try handler?.end(tag: try reader.string())
        case UInt8(ascii: "S"): parameters[try reader.string()] = try reader.string()
        case UInt8(ascii: "N"):
            let fields = try WireClient.fields(frame.body)
            handler?.notice(fields["S"] ?? "NOTICE", fields["M"] ?? "")
        case UInt8(ascii: "E"): return try WireClient.error(frame.body)
        case UInt8(ascii: "G"):
            // COPY FROM STDIN: the shell has nothing to send.
            send("f", Array("not supported by this client".utf8) + [0])
        default: break
        }
        return nil
    }

    private static func columns(_ reader: inout MessageReader) throws -> [ResultColumn] {
        try (0..<(try reader.count(ofAtLeast: 19))).map { _ in
            let name = try reader.string()
            _ = try reader.bytes(6)
            let oid = try reader.int32()
            _ = try reader.int16()
            let modifier = try reader.int32()
            _ = try reader.int16()
            return ResultColumn(name: name, type: WireType.resultType(oid: oid, modifier: modifier))
        }
    }

    private static func fields(_ body: [UInt8]) throws -> [Character: String] {
        var reader = MessageReader(body)
        var fields: [Character: String] = [:]
        while case let code = try reader.byte(), code != 0 {
            fields[Character(UnicodeScalar(code))] = try reader.string()
        }
        return fields
    }

    private static func error(_ body: [UInt8]) throws -> SQLError {
        let fields = try fields(body)
        var error = SQLError(SQLState(fields["C"] ?? "XX000"), fields["M"] ?? "")
        error.detail = fields["D"]
        error.hint = fields["H"]
        error.position = fields["P"].flatMap { Int($0) }
        return error
    }

    // MARK: Ends

    /// Asks the server, over a connection of its own, to end what runs.
    public func cancel() {
        let packet = TextBuffer()
        for number in [16, 80_877_102, processID, key] { packet.append(int32: number) }
        let bytes = packet.array
        ClientBootstrap(group: group).connect(host: address.host, port: address.port).whenSuccess { channel in
            channel.writeAndFlush(ByteBuffer(bytes: bytes)).whenComplete { _ in channel.close(promise: nil) }
        }
    }

    public func close() {
        send("X", [])
        try? channel.close().wait()
        try? group.syncShutdownGracefully()
    }

    // MARK: Messages

    private func next() throws -> Frame {
        guard case .frame(let frame) = inbox.take() else {
            throw SQLError("08006", "the server closed the connection")
        }
        return frame
    }

    private func send(_ type: Character, _ body: [UInt8]) {
        let buffer = TextBuffer()
        buffer.append(type.asciiValue ?? 0)
        buffer.append(int32: Int32(truncatingIfNeeded: body.count + 4))
        body.withUnsafeBufferPointer { buffer.append($0) }
        send(buffer)
    }

    private func send(_ buffer: TextBuffer) {
        channel.writeAndFlush(ByteBuffer(bytes: buffer.bytes), promise: nil)
    }
}

/// The channel whose reading an inbox resumes; it is known a little later than the inbox.
private final class ChannelPlace: Sendable {
    private let channel = Lock<(any Channel)?>(nil)

    func set(_ made: any Channel) { channel.withLock { $0 = made } }

    func resume() {
        guard let channel = channel.withLock({ $0 }) else { return }
        channel.eventLoop.execute {
            _ = channel.setOption(.autoRead, value: true)
            channel.read()
        }
    }
}
