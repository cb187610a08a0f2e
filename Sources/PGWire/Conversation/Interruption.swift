import Synchronization

/// A cancel request that also reaches a statement whose work is done while its rows are still being sent. Set from any
/// thread, cleared when the next message begins.
final class Interruption: Sendable {
    private let flag = Atomic<Bool>(false)
    var isRequested: Bool { flag.load(ordering: .relaxed) }
    func request() { flag.store(true, ordering: .relaxed) }
    func clear() { flag.store(false, ordering: .relaxed) }
}
