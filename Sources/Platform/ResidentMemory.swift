import Synchronization

/// Holds the process to the warehouse's figure. What has been reserved is not all that a process takes: plans, results
/// on their way, the heap's free pages and the program itself come on top. So the whole is measured, many times a
/// second while statements run, and what nobody has reserved is taken off what may be reserved
/// (``MemoryBudget/outside``).
/// Above the figure what is kept for reuse goes back, then blocks of the cache, then the heap's free pages; all of it
/// also when nobody has asked anything for a while. Where several warehouses share the process each is held to its own
/// figure, see ``ProcessBudgets``. Safe from any thread.
public final class ResidentMemory: Sendable {
    private struct State {
        var isStopping = false
        var isRunning = false
        var idleSince: Int64?
        var hasRested = false
        var trimmedNanoseconds: Int64 = 0
        var lookedNanoseconds: Int64 = 0
        var letGo: (@Sendable () -> Void)?
        /// Of the process without any data.
        var programBytes = 0
    }
    private let budget: MemoryBudget
    private let regions: MemoryRegions
    /// Above these bytes of regions fresh memory replaces what is kept, also when there is no need yet.
    private let regionTarget: Int
    private let regionFloor: Int
    /// Bytes of other processes that the figure is for, too, such as a parent's that keeps this one alive.
    private let besidesBytes: Int
    private let monitor = Monitor()
    private let state = Lock(State())

    private static let millisecond: Int64 = 1_000_000
    private static let tenseMilliseconds: Int64 = 20
    private static let busyMilliseconds: Int64 = 100
    private static let idleMilliseconds: Int64 = 200
    /// So long nothing must have run before memory is given back: when it is short, and otherwise.
    private static let shortRestMilliseconds: Int64 = 3_000
    private static let longRestMilliseconds: Int64 = 30_000
    private static let trimMilliseconds: Int64 = 500
    /// When it would give back much.
    private static let urgentTrimMilliseconds: Int64 = 50
    /// Below the figure, more than this part of it must be free pages of the heap.
    private static let earlyTrimShare = 8
    /// Free pages of the heap that are worth a look at all of it.
    private static let trimBytes = 4 << 20
    /// A process of less cannot be held to it: it needs half of that without any data.
    public static let leastFigure = 64 << 20
    /// Up to this figure the heap is kept small from the start.
    private static let smallFigure = 2 << 30
    private static let largestMargin = 64 << 20

    public init(
        _ budget: MemoryBudget, regionTarget: Int, regionFloor: Int, besidesBytes: Int = 0,
        regions: MemoryRegions = .shared
    ) {
        self.budget = budget
        self.besidesBytes = besidesBytes
        self.regions = regions
        self.regionTarget = regionTarget
        self.regionFloor = regionFloor
        if budget.limit <= ResidentMemory.smallFigure {
            ProcessHeap.bound(arenas: max(HostEnvironment.allowedCPUs().count, 2))
        } else {
            ProcessHeap.keepLargePieces()
        }
        regions.budgets.add(budget)
        regions.setTarget(of: self, bytes: regionTarget, floor: regionFloor)
    }
    deinit { leave() }

    private func leave() {
        regions.budgets.remove(budget)
        regions.removeTarget(of: self)
    }

    private var residentBytes: Int { HostEnvironment.residentMemory() + besidesBytes }

    /// - Parameter letGo: called when memory is short and nobody asks anything: what can be made again goes.
    public func start(_ letGo: @escaping @Sendable () -> Void) throws {
        if budget.limit < ResidentMemory.leastFigure { return }
        let program = ownBytes(of: residentBytes, regions.budgets.view(of: budget)) - budget.used
        state.withLock {
            $0.isRunning = true
            $0.letGo = letGo
            $0.programBytes = min(program, budget.limit / 8)
        }
        measure()
        do {
            try NativeThread.start(name: "memory") { [weak self] in
                // A warehouse that is never closed ends it, too.
                while let resident = self, resident.pause() { resident.measure() }
                self?.state.withLock { $0.isRunning = false }
            }
        } catch {
            state.withLock { $0.isRunning = false }
            throw error
        }
    }

    /// Returns when the thread has ended.
    public func stop() {
        monitor.withLock {
            state.withLock { $0.isStopping = true }
            monitor.wakeAll()
            while state.withLock({ $0.isRunning }) {
                _ = monitor.wait(atMostNanoseconds: ResidentMemory.millisecond)
            }
        }
        leave()
    }

    private var isBusy: Bool { NativeThread.runningStatements.load(ordering: .relaxed) > 0 }
    private var isTense: Bool { budget.used + budget.outside + regions.keptBytes > budget.limit / 4 * 3 }

    /// The next statement finds what the last one has left: also between the two, until that has gone back, looks are
    /// close together.
    private func pause() -> Bool {
        let isBusy = isBusy, isUneasy = isBusy || !state.withLock { $0.hasRested }
        let milliseconds =
            isUneasy && isTense
            ? ResidentMemory.tenseMilliseconds
            : isBusy ? ResidentMemory.busyMilliseconds : ResidentMemory.idleMilliseconds
        return monitor.withLock {
            if !state.withLock({ $0.isStopping }) {
                _ = monitor.wait(atMostNanoseconds: milliseconds * ResidentMemory.millisecond)
            }
            return !state.withLock { $0.isStopping }
        }
    }

    /// One look at the process, and what follows from it.
    func measure() {
        let resident = residentBytes
        let view = regions.budgets.view(of: budget)
        note(resident, view)
        let own = ownBytes(of: resident, view)
        let isTense = own > budget.limit / 4 * 3
        if own > budget.limit / 32 * 31 {
            relieve(own - budget.limit / 16 * 15)
        } else if isTense {
            trimHeapEarly()
        }
        rest(isTense: isTense)
    }

    /// What this warehouse answers for of the process's memory: all of it when it is alone.
    private func ownBytes(of resident: Int, _ view: ProcessBudgets.View) -> Int {
        let used = budget.used
        return used + view.part(max(resident - used - view.othersUsed, 0))
    }

    private func note(_ resident: Int, _ view: ProcessBudgets.View) {
        let unreserved = max(resident - regions.keptBytes - budget.used - view.othersUsed, 0)
        // What may be kept at all times is set aside, and a margin: what is reserved may not have been touched yet.
        let outside = max(view.part(unreserved), state.withLock { $0.programBytes })
        budget.setOutside(outside + regionFloor + min(budget.limit / 32, ResidentMemory.largestMargin))
        let others = view.part(max(resident - regions.bytes, 0))
        let room = max(budget.limit / 16 * 15 - others, budget.limit / 4)
        regions.setTarget(of: self, bytes: min(regionTarget, room), floor: regionFloor)
    }

    /// The process is above its figure, or nearly.
    private func relieve(_ surplus: Int) {
        trimHeap()
        let kept = regions.keptBytes
        // Another part of the process is the larger one: giving up all that is ours would not help.
        if budget.outside >= budget.largestOutside && kept + budget.cached < surplus { return }
        if kept > 0 { regions.trim(to: max(kept - surplus, 0)) }
        if surplus > kept { budget.reclaim(surplus - kept) }
    }

    private func trimHeap() {
        let now = Stopwatch.nanoseconds
        let milliseconds = (now - state.withLock { $0.trimmedNanoseconds }) / ResidentMemory.millisecond
        if milliseconds < ResidentMemory.urgentTrimMilliseconds { return }
        let free = ProcessHeap.usage().freeBytes
        let isDue = milliseconds >= ResidentMemory.trimMilliseconds || free > budget.limit / 16
        if !isDue || free <= ResidentMemory.trimBytes { return }
        state.withLock { $0.trimmedNanoseconds = now }
        ProcessHeap.trim()
    }

    /// What a large plan has left free goes back before another statement needs room at once: between two looks it may
    /// take more than is left below the figure.
    private func trimHeapEarly() {
        let now = Stopwatch.nanoseconds
        let isDue = state.withLock { state in
            if now - state.lookedNanoseconds < ResidentMemory.trimMilliseconds * ResidentMemory.millisecond {
                return false
            }
            state.lookedNanoseconds = now
            return true
        }
        if !isDue || ProcessHeap.usage().freeBytes <= budget.limit / ResidentMemory.earlyTrimShare { return }
        state.withLock { $0.trimmedNanoseconds = now }
        ProcessHeap.trim()
    }

    /// Once in every time of rest: everything that nobody uses goes back, of the cache what is above the figure.
    private func rest(isTense: Bool) {
        let now = Stopwatch.nanoseconds
        let isBusy = isBusy
        let milliseconds = isTense ? ResidentMemory.shortRestMilliseconds : ResidentMemory.longRestMilliseconds
        let isDue = state.withLock { state in
            if isBusy {
                state.idleSince = nil
                state.hasRested = false
                return false
            }
            let since = state.idleSince ?? now
            state.idleSince = since
            if state.hasRested || now - since < milliseconds * ResidentMemory.millisecond { return false }
            state.hasRested = true
            return true
        }
        if !isDue { return }
        regions.trim(to: 0)
        ProcessHeap.trim()
        if surplus() <= 0 { return }
        state.withLock { $0.letGo }?()
        ProcessHeap.trim()
        let left = surplus()
        if left > 0 { budget.reclaim(left) }
    }

    /// Bytes above what the process shall have.
    private func surplus() -> Int {
        let own = ownBytes(of: residentBytes, regions.budgets.view(of: budget))
        return own - budget.limit / 16 * 15
    }
}
