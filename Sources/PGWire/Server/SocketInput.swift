import Platform
import SQLTypes

/// Messages straight from a socket: the session's thread waits in the system call.
final class SocketInput: ClientInput, @unchecked Sendable {  // `ending` is guarded; the rest is the taker's
    private let socket: ClientSocket
    private var decoder: FrameDecoder
    private var buffer: [UInt8]
    private let ending = Lock<SQLError?>(nil)
    private let silence: Silence?
    private static let smallBytes = 8 << 10
    private static let largeBytes = 64 << 10

    /// - Parameters:
    ///   - decoder: with what was received before.
    ///   - silence: told when the other side is waited for.
    init(socket: ClientSocket, decoder: FrameDecoder, silence: Silence? = nil) {
        self.socket = socket
        self.silence = silence
        self.decoder = decoder
        buffer = [UInt8](repeating: 0, count: SocketInput.smallBytes)
    }

    func take() -> InputEvent {
        while true { if let event = next() { return event } }
    }

    func poll() -> InputEvent? {
        // A first look at what is here already costs no system call.
        if let event = decoded() { return event }
        return socket.hasBytes(milliseconds: SocketInput.pollMilliseconds) ? next() : nil
    }
    private static let pollMilliseconds: Int32 = 200

    private func decoded() -> InputEvent? {
        if let reason = ending.withLock({ $0 }) { return .ended(reason) }
        do {
            return try decoder.next().map { .frame($0) }
        } catch {
            return .ended(SQLError(error))
        }
    }

    /// One read; nil when it brought no whole message.
    private func next() -> InputEvent? {
        if let event = decoded() { return event }
        silence?.begin()
        defer { silence?.end() }
        let received = buffer.withUnsafeMutableBytes { buffer in
            let received = socket.receive(buffer)
            if case .bytes(let count) = received {
                decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
            return received
        }
        switch received {
        // Clients that fill the buffer send much.
        case .bytes(let count):
            if count == buffer.count && count < SocketInput.largeBytes {
                buffer = [UInt8](repeating: 0, count: SocketInput.largeBytes)
            }
        case .end: return ending.withLock { $0 }.map { .ended($0) } ?? .closed
        }
        return decoded()
    }

    func end(_ reason: SQLError) {
        ending.withLock { $0 = $0 ?? reason }
        socket.stopReading()
    }

    func close() { socket.close() }
}
