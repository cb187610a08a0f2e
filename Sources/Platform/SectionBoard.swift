import CIntrinsics
import Synchronization

/// The open sections of a pool and its helper threads. A helper takes a worker number of the most urgent section, of
/// several the one that has the fewest helpers, does its part, and looks for the next; without work it spins briefly,
/// then parks. A helper may leave a section before its part is done, for a more urgent one: its number goes back.
final class SectionBoard: Sendable {
    private struct Claim {
        var section: ParallelSection
        var worker: Int
    }
    /// Sections with numbers that nobody has taken, oldest first.
    private let open = Lock<[ParallelSection]>([])
    /// Grows with every section.
    private let generation = Atomic<Int>(0)
    private let parkedHelpers = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    /// The highest level of the open sections; -1 without any.
    private let mostUrgent = Atomic<Int>(-1)
    private let wakeUp = Monitor()
    private let done = Monitor()
    private let spins = SectionBoard.measureSpins()

    /// How often `pause` runs in the spinning time: its cost differs tenfold between CPUs.
    private static func measureSpins() -> Int {
        let start = Stopwatch.nanoseconds
        for _ in 0..<256 { rb_pause() }
        let elapsed = max(Stopwatch.nanoseconds - start, 1)
        return min(max(256 * Limits.spinNanoseconds / Int(elapsed), 50), 20_000)
    }

    // MARK: Callers

    /// Does the work of a section together with the helpers that are free.
    ///
    /// - Parameter body: a worker's number, and whether it may leave before it is done: it returns false then.
    func run(workers: Int, level: Int, _ body: @escaping (Int, Bool) -> Bool) {
        let section = ParallelSection(workers: workers, level: level, done: done, body)
        open.withLock { open in
            open.append(section)
            noteLevels(open)
        }
        announce()
        section.perform(0)
        repeat {
            while let worker = takeRest(of: section) { section.perform(worker) }
            section.awaitHelpers(spins)
            // One of them may have given its number back just now, and another one taken it.
        } while open.withLock({ _ in section.hasRest || section.isBusy })
        section.close()
    }

    /// More urgent work than of this level waits for a helper.
    func hasMoreUrgent(than level: Int) -> Bool { mostUrgent.load(ordering: .relaxed) > level }

    private func noteLevels(_ open: [ParallelSection]) {
        mostUrgent.store(open.reduce(-1) { max($0, $1.level) }, ordering: .relaxed)
    }

    private func takeRest(of section: ParallelSection) -> Int? {
        open.withLock { open in section.hasRest ? take(section, &open) : nil }
    }

    /// The section's next number. With the last one it leaves the board.
    private func take(_ section: ParallelSection, _ open: inout [ParallelSection]) -> Int {
        let worker = section.takeNumber()
        if !section.hasRest {
            open.removeAll { $0 === section }
            noteLevels(open)
        }
        return worker
    }

    /// A helper's number is to be taken again.
    private func giveBack(_ claim: Claim) {
        open.withLock { open in
            claim.section.giveBack(claim.worker)
            if !open.contains(where: { $0 === claim.section }) { open.append(claim.section) }
            noteLevels(open)
        }
        announce()
    }

    private func announce() {
        generation.add(1, ordering: .sequentiallyConsistent)
        if parkedHelpers.load(ordering: .sequentiallyConsistent) > 0 { wakeUp.withLock { wakeUp.wakeAll() } }
    }

    // MARK: Helpers

    /// - Parameter cpu: where the helper stays.
    func startHelper(cpu: Int?) -> Bool {
        do {
            try NativeThread.start(name: "worker") {
                if let cpu { _ = rb_pin_thread(Int32(cpu)) }
                NativeThread.role = .section
                self.help()
            }
            return true
        } catch {
            return false
        }
    }

    func stop() {
        stopped.store(true, ordering: .releasing)
        announce()
    }

    private func help() {
        while !stopped.load(ordering: .acquiring) {
            let seen = generation.load(ordering: .acquiring)
            if let claim = next() {
                if !claim.section.help(claim.worker) { giveBack(claim) }
                claim.section.leave()
            } else {
                awaitGeneration(after: seen)
            }
        }
    }

    private func next() -> Claim? {
        open.withLock { open in
            guard
                let section = open.min(by: { left, right in
                    left.level == right.level ? left.claimed < right.claimed : left.level > right.level
                })
            else { return nil }
            section.enter()
            return Claim(section: section, worker: take(section, &open))
        }
    }

    private func awaitGeneration(after seen: Int) {
        for _ in 0..<spins {
            if generation.load(ordering: .acquiring) != seen { return }
            rb_pause()
        }
        wakeUp.lock()
        parkedHelpers.add(1, ordering: .sequentiallyConsistent)
        while generation.load(ordering: .sequentiallyConsistent) == seen { wakeUp.wait() }
        parkedHelpers.subtract(1, ordering: .sequentiallyConsistent)
        wakeUp.unlock()
    }
}
