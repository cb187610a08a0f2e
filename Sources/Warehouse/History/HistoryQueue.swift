import Platform

/// Things that wait to be worked through, by a thread that starts with the first of them and gathers them for a moment,
/// or by whoever needs the result. Safe from any thread.
final class HistoryQueue<Item: Sendable>: @unchecked Sendable {  // guarded by `monitor`; `work` orders the drains
    private let monitor = Monitor()
    private let work = Monitor()
    private var items: [Item] = []
    private var isRunning = false
    private var isStopped = false
    private static var gatheringNanoseconds: Int64 { 50_000_000 }
    private static var limit: Int { 4_096 }

    /// - Parameter settle: works through the queue; called from the queue's thread, must not keep the owner.
    func put(_ item: Item, settle: @escaping @Sendable () -> Void) {
        monitor.lock()
        items.append(item)
        let isFirst = items.count == 1
        let isFull = items.count > Self.limit
        let starts = !isRunning && !isStopped
        if starts { isRunning = true } else if isFirst { monitor.wakeOne() }
        monitor.unlock()
        if starts { start(settle) }
        // A writer that outruns the thread helps it.
        if isFull { settle() }
    }

    private func start(_ settle: @escaping @Sendable () -> Void) {
        do {
            try NativeThread.start(name: "history") { [self] in run(settle) }
        } catch {
            // Without a thread readers and a full queue do the work.
            monitor.withLock { isStopped = true }
        }
    }

    private func run(_ settle: @Sendable () -> Void) {
        while true {
            let ends: Bool = monitor.withLock {
                while items.isEmpty && !isStopped { monitor.wait() }
                if isStopped { return true }
                let deadline = Stopwatch.nanoseconds + Self.gatheringNanoseconds
                while !isStopped, monitor.wait(untilNanoseconds: deadline) {}
                return isStopped
            }
            if ends { return }
            settle()
        }
    }

    /// Hands over what is queued; one caller at a time, so that the order stays.
    func drain(_ body: ([Item]) -> Void) {
        work.withLock {
            let taken: [Item] = monitor.withLock {
                defer { items = [] }
                return items
            }
            if !taken.isEmpty { body(taken) }
        }
    }

    func stop() {
        monitor.withLock {
            isStopped = true
            monitor.wakeAll()
        }
    }
}
