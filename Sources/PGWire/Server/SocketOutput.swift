import Synchronization

/// Sends a conversation's bytes straight through a socket; what the client is too slow for waits here.
final class SocketOutput: ClientOutput, @unchecked Sendable {  // one caller at a time; `closed` is atomic
    private let socket: ClientSocket
    private let statistics: ServerStatistics
    private var pending: [UInt8] = []
    private var sent = 0
    private let closed = Atomic<Bool>(false)
    private static let waitMilliseconds: Int32 = 200

    init(socket: ClientSocket, statistics: ServerStatistics) {
        self.socket = socket
        self.statistics = statistics
    }

    var isClosed: Bool { closed.load(ordering: .relaxed) }
    var hasHungUp: Bool { isClosed || socket.hasHungUp }

    var isWritable: Bool {
        push()
        return pending.isEmpty && !socket.hasUnsent
    }

    func waitUntilWritable() {
        push()
        if pending.isEmpty && !socket.hasUnsent || isClosed { return }
        socket.waitUntilWritable(milliseconds: SocketOutput.waitMilliseconds)
        push()
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        if isClosed { return }
        statistics.sentBytes.add(bytes.count, ordering: .relaxed)
        push()
        var done = 0
        if pending.isEmpty {
            guard let count = socket.send(bytes) else { return fail() }
            done = count
        }
        if done < bytes.count { pending.append(contentsOf: bytes[done...]) }
    }

    private func push() {
        if isClosed { return }
        if pending.isEmpty {
            if socket.hasUnsent && socket.flush() == nil { fail() }
            return
        }
        let count = pending.withUnsafeBytes {
            socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...]))
        }
        guard let count else { return fail() }
        sent += count
        if sent == pending.count {
            pending.removeAll(keepingCapacity: pending.capacity <= 1 << 20)
            sent = 0
        }
    }

    private func fail() {
        closed.store(true, ordering: .relaxed)
        pending = []
        sent = 0
    }

    func finish() {
        for _ in 0..<5 where !isWritable && !isClosed { waitUntilWritable() }
        if !isClosed { socket.finish() }
        fail()
    }
}
