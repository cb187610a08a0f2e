import Platform
import SQLTypes
import Synchronization

extension Pipeline {
    /// Runs all morsels on the pool's workers: one shared counter hands them out, so skew between slices costs nothing.
    ///
    /// - Parameter inOrder: one worker takes all morsels, so rows reach the sink in the source's order.
    func run(inOrder: Bool = false) throws {
        complete()
        defer { dissolve() }
        try source.prepare()
        let workers = context.pool.workers
        for step in steps { try step.prepare(workers: workers) }
        let total = source.morselCount
        let next = Atomic<Int>(0)
        let started = context.profile == nil ? 0 : SystemTime().monotonicNanoseconds()
        do {
            // One short morsel is not worth waking anyone.
            if total <= 1 || inOrder {
                try work(0, next, total)
            } else {
                try context.pool.runThrowing { try work($0, next, total) }
            }
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
        if let profile = context.profile, let step = source.planStep {
            profile.add(step: step, microseconds: (SystemTime().monotonicNanoseconds() - started) / 1000)
        }
    }

    private func work(_ worker: Int, _ next: borrowing Atomic<Int>, _ total: Int) throws {
        do {
            try workMorsels(worker, next, total)
        } catch {
            // The others need not go on.
            source.stopRequested.store(true, ordering: .relaxed)
            throw error
        }
    }

    private func workMorsels(_ worker: Int, _ next: borrowing Atomic<Int>, _ total: Int) throws {
        let batch = try Batch(worker: worker, capacity: context.batchRows, registers: registers)
        let counted = context.grant.reserveFixed(batch.bytes)
        defer { if counted { context.grant.releaseFixed(batch.bytes) } }
        let steps = self.steps
        let body: (Batch) throws -> Void = { batch in try drive(steps, from: 0, batch) }
        while true {
            let morsel = next.add(1, ordering: .relaxed).oldValue
            if morsel >= total || source.stopRequested.load(ordering: .relaxed) { break }
            try context.cancellation.check()
            batch.slice = source.slice(ofMorsel: morsel)
            try source.run(morsel: morsel, batch: batch, body)
        }
        for step in steps { try step.finish(batch) }
    }
}

/// Runs the steps from `first` on; an expanding step runs the rest itself, once for each of its output batches.
func drive(_ steps: [Step], from first: Int, _ batch: Batch) throws {
    var index = first
    while index < steps.count {
        let step = steps[index]
        if step.expands {
            let rest = index + 1
            try step.expand(batch) { batch in
                if batch.count > 0 { try drive(steps, from: rest, batch) }
            }
            return
        }
        try step.run(batch)
        if batch.count == 0 { return }
        index += 1
    }
}
