import Platform

/// Wrong passwords make the next attempt for the same user from the same address wait, longer each time, whether its
/// password is right or not: who has to wait learns nothing by hanging up. Others do not wait, nobody is locked out for
/// longer than ``longestNanoseconds``, and a right password ends it. Safe from any thread.
final class FailedLogins: Sendable {
    struct Client: Hashable, Sendable {
        let user: String
        let address: String
        /// Names of any length may be asked for.
        private static let nameBytes = 128

        init(user: String, address: String) {
            self.user = String(decoding: user.utf8.prefix(Client.nameBytes), as: UTF8.self)
            self.address = address
        }
    }
    private struct Failures {
        var count: Int
        var lastNanoseconds: Int64
    }
    private let clients = Lock<[Client: Failures]>([:])
    private let capacity: Int
    static let firstNanoseconds: Int64 = 100_000_000
    static let longestNanoseconds: Int64 = 5_000_000_000
    /// After so long without another one they are forgotten.
    static let memoryNanoseconds: Int64 = 300_000_000_000

    /// - Parameter capacity: clients that are remembered at most.
    init(capacity: Int = 4_096) { self.capacity = capacity }

    var count: Int { clients.withLock { $0.count } }

    /// How long the client's next attempt waits.
    func delayNanoseconds(_ client: Client, now: Int64) -> Int64 {
        clients.withLock { clients in
            guard let failures = clients[client], !FailedLogins.isOver(failures, now) else { return 0 }
            let doublings = min(failures.count - 1, 16)
            return min(FailedLogins.firstNanoseconds << Int64(doublings), FailedLogins.longestNanoseconds)
        }
    }

    func succeeded(_ client: Client) { clients.withLock { _ = $0.removeValue(forKey: client) } }

    func failed(_ client: Client, now: Int64) {
        clients.withLock { clients in
            if clients[client] == nil && clients.count >= capacity { FailedLogins.makeRoom(&clients, now) }
            var failures = clients[client] ?? Failures(count: 0, lastNanoseconds: now)
            if FailedLogins.isOver(failures, now) { failures.count = 0 }
            failures.count = min(failures.count + 1, 1_000)
            failures.lastNanoseconds = now
            clients[client] = failures
        }
    }

    private static func isOver(_ failures: Failures, _ now: Int64) -> Bool {
        now - failures.lastNanoseconds >= memoryNanoseconds
    }

    /// The fewest failures go first: who makes up names does not get rid of a count that way.
    private static func makeRoom(_ clients: inout [Client: Failures], _ now: Int64) {
        let before = clients.count
        clients = clients.filter { !isOver($0.value, now) }
        if clients.count < before { return }
        let least = clients.min {
            ($0.value.count, $0.value.lastNanoseconds) < ($1.value.count, $1.value.lastNanoseconds)
        }
        if let least { clients[least.key] = nil }
    }
}
