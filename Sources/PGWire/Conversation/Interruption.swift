import Synchronization

/// A cancel request that also reaches a statement whose work is done while its rows are still being sent, and whether
/// there is work at all. Set from any thread, cleared when the next message begins.
final class Interruption: Sendable {
    private let requested = Atomic<Bool>(false)
    private let working = Atomic<Bool>(false)
    var isRequested: Bool { requested.load(ordering: .relaxed) }
    /// A message is being worked on.
    var isWorking: Bool { working.load(ordering: .relaxed) }
    func request() { requested.store(true, ordering: .relaxed) }
    func beginMessage() {
        requested.store(false, ordering: .relaxed)
        working.store(true, ordering: .relaxed)
    }
    func endMessage() { working.store(false, ordering: .relaxed) }
}
