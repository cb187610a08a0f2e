import Glibc
import Platform
import SQLTypes

/// A client's connection without an event loop: the session's own thread reads and writes it, which saves two changes
/// of threads in every round trip. That thread alone reads, writes and closes; any thread may look whether the client
/// hung up, or stop the reading.
final class ClientSocket: @unchecked Sendable {  // the descriptor is closed under `isOpen`, which others hold to use it
    private let descriptor: Int32
    private let isOpen = Lock(true)

    /// Takes a descriptor of its own for a connection; the given one may be closed afterwards.
    init(duplicating handle: Int32) throws {
        descriptor = fcntl(handle, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else {
            throw SQLError(
                .ioError, "could not take over a connection", detail: String(cString: strerror(errno)))
        }
    }
    deinit { close() }

    /// Waiting reads from here on, and probes of connections that have been silent, so that half-open ones end.
    func prepare(idleSeconds: Int) {
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK)
        set(SOL_SOCKET, SO_KEEPALIVE, 1)
        set(Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(Int32(IPPROTO_TCP), TCP_KEEPINTVL, 15)
        set(Int32(IPPROTO_TCP), TCP_KEEPCNT, 4)
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 120_000)
        var time = timeval(tv_sec: idleSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    private func set(_ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    enum Received {
        case bytes(Int)
        case timeout
        case end
    }

    /// Waits for bytes.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Received {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .timeout : .end
        }
    }

    private static let sendFlags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)

    /// Sends what can go at once; nil when the client is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, ClientSocket.sendFlags)
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : nil
        }
    }

    func waitUntilWritable(milliseconds: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&entry, 1, milliseconds)
    }

    /// Bytes, or the end, within this time.
    func hasBytes(milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) != 0
    }

    var hasHungUp: Bool {
        isOpen.withLock { isOpen in
            if !isOpen { return true }
            var entry = pollfd(fd: descriptor, events: ClientSocket.hangUp, revents: 0)
            return poll(&entry, 1, 0) > 0
                && Int32(entry.revents) & (Int32(ClientSocket.hangUp) | POLLERR | POLLHUP) != 0
        }
    }
    /// POLLRDHUP, which the C library hides.
    private static let hangUp: Int16 = 0x2000

    /// The reader wakes up and finds the end.
    func stopReading() { isOpen.withLock { if $0 { shutdown(descriptor, Int32(SHUT_RD)) } } }

    /// Says that no more will come, and waits a moment for the client to take what did: closing at once could reset the
    /// connection before it has read why.
    func finish() {
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
