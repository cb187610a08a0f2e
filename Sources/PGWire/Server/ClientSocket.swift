import Glibc
import Platform
import SQLTypes

/// A connection, encrypted or not: the thread that has it reads and writes it, with no event loop in between. That
/// thread alone reads and closes; writes come one at a time, also from workers on its behalf; any thread may look
/// whether the other side hung up, or stop the reading.
final class ClientSocket: @unchecked Sendable {  // the descriptor is closed under `isOpen`, which others hold to use it
    private let descriptor: Int32
    private let isOpen = Lock(true)
    private var tls: TLSSession?
    /// Encrypted, and too much for the system's buffers so far. Of the writer.
    private var unsent: [UInt8] = []
    private var sentOfUnsent = 0
    /// What was read last, before it is decrypted. Of the reader.
    private var encrypted: [UInt8] = []

    /// Takes the descriptor over.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }
    deinit { close() }

    /// Probes of connections that have been silent, so that half-open ones end.
    func prepare() {
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    // MARK: Encryption

    /// `TLSv1.3`; nil where nothing is encrypted.
    var encryption: String? { tls?.version }

    /// From here on everything is encrypted. Waits for the other side.
    ///
    /// - Parameter first: bytes that were read already.
    func startTLS(_ session: TLSSession, deadlineNanoseconds: Int64) throws {
        encrypted = [UInt8](repeating: 0, count: ClientSocket.recordBytes)
        while true {
            let progress = session.handshake()
            push(session)
            guard flush(deadlineNanoseconds: deadlineNanoseconds) else { throw ClientSocket.lost }
            switch progress {
            case .done:
                tls = session
                return
            case .failed(let reason): throw SQLError("08006", "could not start TLS: \(reason)")
            case .wantsInput:
                guard awaitBytes(deadlineNanoseconds: deadlineNanoseconds), feed(session) == .fed else {
                    throw ClientSocket.lost
                }
            }
        }
    }
    /// A record of TLS; some of them, for who sends much.
    private static let recordBytes = 17 << 10
    private static let largeBytes = 68 << 10
    private static let lost = SQLError("08006", "the other side closed the connection, or was silent for too long")

    private enum Fed { case fed, end }

    private func feed(_ session: TLSSession) -> Fed {
        let received = encrypted.withUnsafeMutableBytes { receivePlain($0) }
        switch received {
        case .bytes(let count):
            let isFed = encrypted.withUnsafeBytes { session.feed(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            if count == encrypted.count && count < ClientSocket.largeBytes {
                encrypted = [UInt8](repeating: 0, count: ClientSocket.largeBytes)
            }
            return isFed ? .fed : .end
        case .end: return .end
        }
    }

    /// What the session has to say goes to the socket, as far as there is room.
    private func push(_ session: TLSSession) {
        session.takeOutput { bytes in
            var done = 0
            if unsent.isEmpty { done = sendPlain(bytes) ?? 0 }
            if done < bytes.count { unsent.append(contentsOf: bytes[done...]) }
        }
    }

    // MARK: Reading

    enum Received {
        /// None when what came is only a part of something encrypted.
        case bytes(Int)
        case end
    }

    /// Waits for bytes.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Received {
        guard let tls else { return receivePlain(buffer) }
        if tls.hasBytes, let received = ClientSocket.received(tls.read(into: buffer)) { return received }
        switch feed(tls) {
        case .fed: return ClientSocket.received(tls.read(into: buffer)) ?? .bytes(0)
        case .end: return .end
        }
    }

    private static func received(_ decrypted: TLSSession.Decrypted) -> Received? {
        switch decrypted {
        case .bytes(let count): .bytes(count)
        case .end: .end
        case .wantsInput: nil
        }
    }

    private func receivePlain(_ buffer: UnsafeMutableRawBufferPointer) -> Received {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return .end
        }
    }

    /// Bytes, or the end, within this time.
    func hasBytes(milliseconds: Int32) -> Bool {
        if let tls, tls.hasBytes { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    /// Bytes, or the end, before this time.
    func awaitBytes(deadlineNanoseconds: Int64) -> Bool {
        let left = (deadlineNanoseconds - Stopwatch.nanoseconds) / 1_000_000
        return left > 0 && hasBytes(milliseconds: Int32(clamping: left))
    }

    // MARK: Writing

    private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    /// Sends what can go at once; nil when the other side is gone. What is encrypted by then counts as sent, see
    /// ``hasUnsent``.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let tls else { return sendPlain(bytes) }
        guard let isFlushed = flush() else { return nil }
        if !isFlushed { return 0 }
        guard tls.write(bytes) else { return nil }
        push(tls)
        return bytes.count
    }

    private func sendPlain(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, ClientSocket.sendFlags)
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
        }
    }

    var hasUnsent: Bool { !unsent.isEmpty }

    /// Sends what is encrypted and waits: true when nothing is left, nil when the other side is gone.
    func flush() -> Bool? {
        while sentOfUnsent < unsent.count {
            let count = unsent.withUnsafeBytes { sendPlain(UnsafeRawBufferPointer(rebasing: $0[sentOfUnsent...])) }
            guard let count else { return nil }
            if count == 0 { return false }
            sentOfUnsent += count
        }
        unsent.removeAll(keepingCapacity: unsent.capacity <= 1 << 20)
        sentOfUnsent = 0
        return true
    }

    private func flush(deadlineNanoseconds: Int64) -> Bool {
        while true {
            guard let isFlushed = flush() else { return false }
            if isFlushed { return true }
            let left = (deadlineNanoseconds - Stopwatch.nanoseconds) / 1_000_000
            if left <= 0 { return false }
            waitUntilWritable(milliseconds: Int32(clamping: left))
        }
    }

    /// Sends all of it, and waits as long as that takes; false when the other side is gone or the time is over.
    func sendAll(_ bytes: [UInt8], deadlineNanoseconds: Int64) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[done...])) }
            guard let count else { return false }
            done += count
            if count > 0 { continue }
            let left = (deadlineNanoseconds - Stopwatch.nanoseconds) / 1_000_000
            if left <= 0 { return false }
            waitUntilWritable(milliseconds: Int32(clamping: left))
        }
        return flush(deadlineNanoseconds: deadlineNanoseconds)
    }

    func waitUntilWritable(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, milliseconds)
    }

    // MARK: Ends

    var hasHungUp: Bool { hasHungUp(milliseconds: 0) }

    /// Whether the other side goes away within this time, from any thread while the connection is open.
    func hasHungUp(milliseconds: Int32) -> Bool {
        if milliseconds == 0 { return isOpen.withLock { $0 ? isHangUp(0) : true } }
        return isHangUp(milliseconds)
    }

    private func isHangUp(_ milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: ClientSocket.hangUp, revents: 0)
        return poll(&entry, 1, milliseconds) > 0
            && Int32(entry.revents) & (Int32(ClientSocket.hangUp) | POLLERR | POLLHUP) != 0
    }
    /// POLLRDHUP, which the C library hides.
    private static let hangUp: Int16 = 0x2000

    /// The reader wakes up and finds the end.
    func stopReading() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RD)) } } }

    /// Reader and writer wake up and find the end.
    func stop() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RDWR)) } } }

    /// Says that no more will come, and waits a moment for the other side to take what did: closing at once could reset
    /// the connection before it has read why.
    func finish() {
        if let tls {
            tls.sayGoodbye()
            push(tls)
            _ = flush()
        }
        shutdown(descriptor, Int32(SHUT_WR))
        var rest = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<8 {
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, 50) > 0 else { continue }
            if recv(descriptor, &rest, rest.count, Int32(MSG_DONTWAIT)) <= 0 { return }
        }
    }

    func close() {
        isOpen.withLock {
            if $0 { Glibc.close(descriptor) }
            $0 = false
        }
    }
}
