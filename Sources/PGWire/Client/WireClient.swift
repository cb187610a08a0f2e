import Platform
import SQLTypes
import Warehouse

/// Takes the results of a ``WireClient``'s statements, as text.
package protocol WireResultHandler: AnyObject {
    func begin(columns: [ResultColumn]) throws
    func row(_ values: [String?]) throws
    func end(tag: String) throws
    func notice(_ severity: String, _ message: String)
}

/// A connection to a server that speaks the PostgreSQL protocol, for the shell: simple queries, cancel. One statement
/// at a time, from any thread; ``cancel()`` may come at any time. Calls wait.
package final class WireClient: @unchecked Sendable {  // what changes does so within a call of the owner
    package let address: ServerAddress
    /// What the server has reported: `server_version`, `TimeZone`.
    package private(set) var parameters: [String: String] = [:]
    private let socket: ClientSocket
    private let input: SocketInput
    package private(set) var processID: Int32 = 0
    private var key: Int32 = 0

    package init(_ address: ServerAddress, application: String = "redbarn") throws {
        self.address = address
        socket = try ClientConnection.open(address)
        var decoder = FrameDecoder(maximumLength: 1 << 30)
        decoder.isStartup = false
        decoder.acceptsAnyType = true
        input = SocketInput(socket: socket, decoder: decoder)
        do {
            try logIn(application)
        } catch {
            close()
            throw error
        }
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
    package func execute(_ sql: String, _ handler: any WireResultHandler) throws {
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
        error.context = fields["W"]
        error.internalQuery = fields["q"]
        error.internalPosition = fields["p"].flatMap { Int($0) }
        return error
    }

    // MARK: Ends

    /// Asks the server, over a connection of its own, to end what runs. From any thread; returns at once.
    package func cancel() {
        let (address, processID, key) = (self.address, self.processID, self.key)
        let body: @Sendable () -> Void = { ClientConnection.cancel(address, processID: processID, key: key) }
        do { try NativeThread.start(name: "cancel", body) } catch { body() }
    }

    package func close() {
        send("X", [])
        socket.finish()
        socket.close()
    }

    // MARK: Messages

    private func next() throws -> Frame {
        guard case .frame(let frame) = input.take() else {
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

    /// What cannot be sent shows when the answer is read.
    private func send(_ buffer: TextBuffer) {
        let deadline = Stopwatch.nanoseconds + WireClient.sendNanoseconds
        _ = socket.sendAll(Array(buffer.bytes), deadlineNanoseconds: deadline)
    }
    private static let sendNanoseconds: Int64 = 600_000_000_000
}
