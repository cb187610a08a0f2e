import Glibc
import Platform
import SQLTypes

/// Takes connections in on a thread of its own and hands each to `take`, which must not wait. From ``close()`` on
/// nobody comes in.
final class Listener: Sendable {
    private let descriptor: Int32
    /// A pipe whose writing end is closed when the thread is to end.
    private let wakeUp: Int32
    private let wakeUpWriter: Int32
    private let ended = Lock(false)
    private let monitor = Monitor()
    let port: Int
    private static let backlog: Int32 = 512
    private static let pauseMilliseconds: Int64 = 100

    /// Listens at once.
    init(
        host: String, port: Int, name: String, take: @escaping @Sendable (Int32, SocketAddress) -> Void
    ) throws {
        descriptor = try Listener.bind(host, port)
        let descriptor = self.descriptor
        self.port = SocketAddress { getsockname(descriptor, $0, $1) }.port
        var ends: [Int32] = [-1, -1]
        if pipe(&ends) != 0 {
            let error = Listener.failure(host, port)
            Glibc.close(descriptor)
            throw error
        }
        wakeUp = ends[0]
        wakeUpWriter = ends[1]
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        try NativeThread.start(name: name) { [self] in
            run(take)
            monitor.withLock {
                ended.withLock { $0 = true }
                monitor.wakeAll()
            }
        }
    }
    deinit {
        Glibc.close(descriptor)
        Glibc.close(wakeUp)
    }

    private static func bind(_ host: String, _ port: Int) throws -> Int32 {
        var code: Int32 = 0
        for address in try SocketAddress.resolve(host: host, port: port, isPassive: true) {
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let descriptor = socket(address.family, kind, 0)
            if descriptor >= 0 {
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
                if address.with({ Glibc.bind(descriptor, $0, $1) }) == 0, listen(descriptor, backlog) == 0 {
                    return descriptor
                }
            }
            code = errno
            if descriptor >= 0 { Glibc.close(descriptor) }
        }
        errno = code
        throw failure(host, port)
    }

    private static func failure(_ host: String, _ port: Int) -> SQLError {
        SQLError("58000", "could not listen on \(host):\(port): \(String(cString: strerror(errno)))")
    }

    private func run(_ take: (Int32, SocketAddress) -> Void) {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeUp, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            poll(&entries, 2, -1)
            if entries[1].revents != 0 { return }
            var accepted: Int32 = -1
            let peer = SocketAddress {
                accepted = accept(descriptor, $0, $1)
            }
            if accepted >= 0 {
                _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
                take(accepted, peer)
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                // Without free descriptors it fails at once, again and again.
                poll(&entries[1], 1, Int32(Listener.pauseMilliseconds))
            }
        }
    }

    /// Returns when the thread has ended.
    func close() {
        Glibc.close(wakeUpWriter)
        monitor.withLock {
            while !ended.withLock({ $0 }) { monitor.wait() }
        }
        // The port is free from here on.
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
