import CIntrinsics
import Synchronization

/// The open sections of a pool and its helper threads. A helper takes a worker number of the section that has the
/// fewest helpers, does its part, and looks for the next; without work it spins briefly, then parks.
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
    func run(workers: Int, _ body: @escaping (Int) -> Void) {
        let section = ParallelSection(workers: workers, done: done, body)
        open.withLock { $0.append(section) }
        announce()
        section.perform(0)
        while let worker = takeRest(of: section) { section.perform(worker) }
        section.close(spins: spins)
    }

    private func takeRest(of section: ParallelSection) -> Int? {
        open.withLock { open in
            guard section.claimed < section.workers else { return nil }
            return take(section, &open)
        }
    }

    /// The section's next number. With the last one it leaves the board.
    private func take(_ section: ParallelSection, _ open: inout [ParallelSection]) -> Int {
        let worker = section.claimed
        section.claimed += 1
        if section.claimed == section.workers { open.removeAll { $0 === section } }
        return worker
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
                claim.section.help(claim.worker)
                claim.section.leave()
            } else {
                awaitGeneration(after: seen)
            }
        }
    }

    private func next() -> Claim? {
        open.withLock { open in
            guard let section = open.min(by: { $0.claimed < $1.claimed }) else { return nil }
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
