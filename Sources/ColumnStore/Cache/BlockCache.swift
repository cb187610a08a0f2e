import Platform
import SQLTypes
import Synchronization

/// Blocks in memory over all parts, inside the budget that operators share. Evicts by CLOCK: a block that was pinned
/// since the hand last passed gets another round, a pinned one is left alone. While the process is above its target
/// (``MemoryRegions/setTarget(bytes:floor:)``), new memory replaces blocks that nobody has used for a while.
final class BlockCache: Sendable {
    /// One block in memory. `pins` and `touched` are the owning part's, valid until it calls ``forget(owner:)``.
    struct Resident {
        let owner: UInt
        let pins: UnsafeMutablePointer<Atomic<Int>>
        let touched: UnsafeMutablePointer<UInt8>
        let memory: CacheArena.Allocation
        /// Not touched between the last two looks at all blocks.
        fileprivate var isCold = false

        init(
            owner: UInt, pins: UnsafeMutablePointer<Atomic<Int>>, touched: UnsafeMutablePointer<UInt8>,
            memory: CacheArena.Allocation
        ) {
            self.owner = owner
            self.pins = pins
            self.touched = touched
            self.memory = memory
        }
    }

    private struct State: @unchecked Sendable {  // raw slots; all access is under the mutex
        var arena = CacheArena()
        var residents: [Resident] = []
        var hand = 0
        var bytes = 0
        var lookedNanoseconds: Int64 = 0
        /// At most so many bytes of blocks are cold.
        var coldBytes = 0
    }
    /// Between two looks at which blocks are in use.
    private static let lookNanoseconds: Int64 = 4_000_000_000

    let budget: MemoryBudget
    private let state = Lock(State())

    init(budget: MemoryBudget) {
        self.budget = budget
        MemoryRegions.shared.addReplacer(self) { [weak self] bytes in self?.replace(bytes) }
    }
    deinit {
        MemoryRegions.shared.removeReplacer(self)
        state.withLock { state in
            MemoryRegions.shared.note(slabBytes: -state.bytes)
            state.arena.releaseAll()
        }
    }

    var bytes: Int { state.withLock { $0.bytes } }

    /// Memory for a block that is being loaded; evicts others when the budget is short.
    func allocate(_ bytes: Int) throws -> CacheArena.Allocation {
        let size = CacheArena.rounded(bytes)
        if !budget.tryReserve(size) {
            evict(size)
            do { try budget.reserveNeeded(size) } catch { throw SQLError(error) }
        }
        return try take(size)
    }

    private func take(_ size: Int) throws -> CacheArena.Allocation {
        do {
            let allocation = try state.withLock { state in
                let allocation = try state.arena.allocate(size)
                state.bytes += allocation.bytes
                return allocation
            }
            budget.note(cached: allocation.bytes)
            MemoryRegions.shared.note(slabBytes: allocation.bytes)
            return allocation
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
        state.withLock { evict(wanted, &$0) { _ in true } }
    }

    /// The process grows above its target: frees so many bytes of blocks that have not been used lately, if there are.
    private func replace(_ wanted: Int) {
        state.withLock { state in
            let now = Stopwatch.nanoseconds
            if now - state.lookedNanoseconds >= BlockCache.lookNanoseconds {
                state.lookedNanoseconds = now
                state.coldBytes = 0
                for index in state.residents.indices {
                    let isCold = state.residents[index].touched.pointee == 0
                    state.residents[index].isCold = isCold
                    state.residents[index].touched.pointee = 0
                    if isCold { state.coldBytes += state.residents[index].memory.bytes }
                }
            }
            if state.coldBytes == 0 { return }
            let before = state.bytes
            evict(wanted, &state) { $0.isCold }
            if before - state.bytes < wanted { state.coldBytes = 0 }
        }
    }

    /// One round of the clock for blocks that were touched, another for all; until enough is free.
    private func evict(_ wanted: Int, _ state: inout State, where allows: (Resident) -> Bool) {
        var freed = 0
        var steps = state.residents.count * 2
        while freed < wanted && steps > 0 && !state.residents.isEmpty {
            steps -= 1
            if state.hand >= state.residents.count { state.hand = 0 }
            let resident = state.residents[state.hand]
            if !allows(resident) {
                state.hand += 1
            } else if resident.touched.pointee != 0 {
                resident.touched.pointee = 0
                state.residents[state.hand].isCold = false
                state.hand += 1
            } else if BlockSlots.tryEvict(resident.pins) {
                freed += resident.memory.bytes
                remove(at: state.hand, &state)
            } else {
                state.hand += 1
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
        state.coldBytes -= min(state.coldBytes, allocation.bytes)
        state.arena.free(allocation)
        budget.note(cached: -allocation.bytes)
        MemoryRegions.shared.note(slabBytes: -allocation.bytes)
        budget.release(allocation.bytes)
    }
}
