import CIntrinsics
import Synchronization

/// Where threads that call a pool run: a statement that is alone stays on the first CPU, beside the pinned helpers, and
/// keeps its caches; several statements are left to the operating system, or all would queue for that one CPU.
struct CallerPlacement: Sendable {
    private let cpu: Int?
    /// The CPUs of this process.
    private let allowed: [UInt64]

    /// - Parameter cpu: nil leaves all threads alone.
    init(cpu: Int?) {
        var mask = [UInt64](repeating: 0, count: 16)
        self.cpu = rb_get_affinity(&mask) == 0 ? cpu : nil
        allowed = mask
    }

    /// Moves the calling thread if need be; returns its role from now on.
    func place(_ role: NativeThread.Role) -> NativeThread.Role {
        guard let cpu else { return role }
        let isAlone = NativeThread.runningStatements.load(ordering: .relaxed) <= 1
        switch role {
        case .statement where isAlone:
            _ = rb_pin_thread(Int32(cpu))
            return .pinnedStatement
        case .pinnedStatement where !isAlone:
            _ = rb_set_affinity(allowed)
            return .statement
        default: return role
        }
    }
}
