import Glibc
import Platform
import SQLTypes

/// The client's end of a connection before anybody logs in: finds the server, connects, asks for encryption.
enum ClientConnection {
    private static let timeoutNanoseconds: Int64 = 15_000_000_000

    static func open(_ address: ServerAddress) throws -> ClientSocket {
        let deadline = Stopwatch.nanoseconds + timeoutNanoseconds
        let socket = try connect(address, deadline)
        if address.encryption != .disable { try encrypt(socket, address, deadline) }
        return socket
    }

    /// To the first of the host's addresses that answers; nothing is encrypted yet.
    static func connect(_ address: ServerAddress, _ deadline: Int64) throws -> ClientSocket {
        var reason = "no address"
        for place in try SocketAddress.resolve(host: address.host, port: address.port, isPassive: false) {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = Glibc.socket(place.family, kind, 0)
            if descriptor < 0 {
                reason = String(cString: strerror(errno))
                continue
            }
            let code = connect(descriptor, place, deadline)
            if code == 0 {
                _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
                return ClientSocket(owning: descriptor)
            }
            reason = String(cString: strerror(code))
            Glibc.close(descriptor)
        }
        throw SQLError("08001", "could not connect to \(address.host):\(address.port): \(reason)")
    }

    /// - Returns: the system's error; 0 for none.
    private static func connect(_ descriptor: Int32, _ place: SocketAddress, _ deadline: Int64) -> Int32 {
        if place.with({ Glibc.connect(descriptor, $0, $1) }) == 0 { return 0 }
        if errno != EINPROGRESS { return errno }
        let milliseconds = max((deadline - Stopwatch.nanoseconds) / 1_000_000, 0)
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&entry, 1, Int32(clamping: milliseconds)) <= 0 { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }

    private static func encrypt(_ socket: ClientSocket, _ address: ServerAddress, _ deadline: Int64) throws {
        let request: [UInt8] = [0, 0, 0, 8, 0x04, 0xD2, 0x16, 0x2F]
        guard socket.sendAll(request, deadlineNanoseconds: deadline), socket.awaitBytes(deadlineNanoseconds: deadline)
        else { throw SQLError("08006", "the server closed the connection") }
        var answer: UInt8 = 0
        // One byte: S or N. More would be somebody else's.
        guard case .bytes(1) = withUnsafeMutableBytes(of: &answer, { socket.receive($0) }) else {
            throw SQLError("08006", "the server closed the connection")
        }
        switch answer {
        case UInt8(ascii: "N") where address.encryption == .prefer: return
        case UInt8(ascii: "N"):
            throw SQLError(
                "08001", "the server does not support TLS, but sslmode=\(address.encryption.rawValue) needs it")
        case UInt8(ascii: "S"):
            let session = try TLSContext.client(address).makeSession(name: address.host)
            try socket.startTLS(session, deadlineNanoseconds: deadline)
        default: throw SQLError("08001", "the server's answer to the request for TLS is malformed")
        }
    }

    /// Asks a server, over a connection of its own, to end what a session runs. Waits until that is sent.
    static func cancel(_ address: ServerAddress, processID: Int32, key: Int32) {
        let deadline = Stopwatch.nanoseconds + timeoutNanoseconds
        let packet = TextBuffer()
        for number in [16, 80_877_102, processID, key] { packet.append(int32: number) }
        guard let socket = try? connect(address, deadline) else { return }
        if socket.sendAll(packet.array, deadlineNanoseconds: deadline) { socket.finish() }
    }
}
