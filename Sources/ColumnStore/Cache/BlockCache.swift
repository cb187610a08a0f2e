import Platform
import SQLTypes
import Synchronization

/// Blocks in memory over all parts, inside the budget that operators share. Evicts by CLOCK: a block that was pinned
/// since the hand last passed gets another round, a pinned one is left alone.
final class BlockCache: Sendable {
    /// One block in memory. `pins` and `touched` are the owning part's, valid until it calls ``forget(owner:)``.
    struct Resident {
        let owner: UInt
        let pins: UnsafeMutablePointer<Atomic<Int>>
        let touched: UnsafeMutablePointer<UInt8>
        let memory: CacheArena.Allocation
    }

    private struct State: @unchecked Sendable {  // raw slots; all access is under the mutex
        var arena = CacheArena()
        var residents: [Resident] = []
        var hand = 0
        var bytes = 0
    }

    let budget: MemoryBudget
    private let state = Mutex(State())

    init(budget: MemoryBudget) { self.budget = budget }
    deinit { state.withLock { $0.arena.releaseAll() } }

    var bytes: Int { state.withLock { $0.bytes } }

    /// Memory for a block that is being loaded; evicts others when the budget is short.
    func allocate(_ bytes: Int) throws -> CacheArena.Allocation {
        let size = CacheArena.rounded(bytes)
        if !budget.tryReserve(size) {
            evict(size)
            do { try budget.reserve(size) } catch { throw SQLError(error) }
        }
        return try take(size)
    }

    private func take(_ size: Int) throws -> CacheArena.Allocation {
        do {
            return try state.withLock { state in
                let allocation = try state.arena.allocate(size)
                state.bytes += allocation.bytes
                return allocation
            }
        } catch {
            budget.release(size)
            throw SQLError(error)
        }
    }

    /// Gives back memory that never became a resident block.
    func discard(_ allocation: CacheArena.Allocation) {
        state.withLock { release(allocation, &$0) }
    }

    func insert(_ resident: Resident) { state.withLock { $0.residents.append(resident) } }

    /// Frees at least so many bytes if unpinned blocks hold as much.
    func evict(_ wanted: Int) {
        state.withLock { state in
            var freed = 0
            var steps = state.residents.count * 2
            while freed < wanted && steps > 0 && !state.residents.isEmpty {
                steps -= 1
                if state.hand >= state.residents.count { state.hand = 0 }
                let resident = state.residents[state.hand]
                if resident.touched.pointee != 0 {
                    resident.touched.pointee = 0
                    state.hand += 1
                } else if BlockSlots.tryEvict(resident.pins) {
                    freed += resident.memory.bytes
                    remove(at: state.hand, &state)
                } else {
                    state.hand += 1
                }
            }
        }
    }

    /// Frees all blocks of a part that goes away: nobody pins them any more.
    func forget(owner: UInt) {
        state.withLock { state in
            var index = 0
            while index < state.residents.count {
                if state.residents[index].owner == owner { remove(at: index, &state) } else { index += 1 }
            }
        }
    }

    private func remove(at index: Int, _ state: inout State) {
        release(state.residents[index].memory, &state)
        state.residents.swapAt(index, state.residents.count - 1)
        state.residents.removeLast()
    }

    private func release(_ allocation: CacheArena.Allocation, _ state: inout State) {
        state.bytes -= allocation.bytes
        state.arena.free(allocation)
        budget.release(allocation.bytes)
    }
}
