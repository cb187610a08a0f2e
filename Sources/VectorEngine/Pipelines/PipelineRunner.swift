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
        for step in steps {
            // The tables of thousands of grouping sets take a while to be made.
            try context.cancellation.check()
            try step.prepare(workers: workers)
        }
        let total = source.morselCount
        let next = Atomic<Int>(0)
        let meter = context.profile.map { PipelineMeter(self, $0, workers: workers) }
        let watch = meter == nil ? nil : context.share
        watch?.meter.add(blocks: meter?.scannedBlocks ?? 0)
        watch?.meter.beginSegment()
        defer { watch?.meter.endSegment() }
        do {
            // One short morsel is not worth waking anyone.
            if total <= 1 || inOrder {
                _ = try work(0, next, total, meter)
            } else if total <= Pipeline.fewMorsels {
                try runBriefly(next, total, meter)
            } else {
                try context.pool.runThrowing(level: level) { try work($0, next, total, meter, mayLeave: $1) }
            }
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
        meter?.report()
    }

    /// For pipelines that run many times over other rows, on the query's thread: ``repeatRun(_:)`` does.
    func beginRepeating() throws -> Batch {
        complete()
        try source.prepare()
        for step in steps { try step.prepare(workers: 1) }
        do {
            return try makeBatch(0, nil)
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
    }

    func repeatRun(_ batch: Batch) throws {
        let steps = self.steps
        do {
            for morsel in 0..<source.morselCount {
                try source.run(morsel: morsel, batch: batch) { try drive(steps, from: 0, $0) }
            }
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
    }

    /// A short pipeline begins on the session's own thread: most are done before the pool's workers would be awake, and
    /// many sessions can run theirs at once. What takes longer gets the pool.
    private func runBriefly(_ next: borrowing Atomic<Int>, _ total: Int, _ meter: PipelineMeter?) throws {
        let batch = try makeBatch(0, meter)
        let deadline = Stopwatch.nanoseconds + Pipeline.briefNanoseconds
        let isDone = try stopping { try takeMorsels(batch, next, total, until: deadline) == .taken }
        if isDone { return try stopping { try finish(batch) } }
        try context.pool.runThrowing(level: level) { worker, mayLeave in
            if worker > 0 { return try work(worker, next, total, meter, mayLeave: mayLeave) }
            batch.meter = meter?.cells(of: 0)
            try stopping {
                _ = try takeMorsels(batch, next, total)
                try finish(batch)
            }
            return true
        }
    }
    private static let fewMorsels = 4
    private static let briefNanoseconds: Int64 = 150_000

    /// - Returns: false when the worker has left for something more urgent: its number is to be taken again.
    private func work(
        _ worker: Int, _ next: borrowing Atomic<Int>, _ total: Int, _ meter: PipelineMeter?, mayLeave: Bool = false
    ) throws -> Bool {
        try stopping {
            let batch = try makeBatch(worker, meter)
            if try takeMorsels(batch, next, total, mayLeave: mayLeave) == .left { return false }
            try finish(batch)
            return true
        }
    }

    private func makeBatch(_ worker: Int, _ meter: PipelineMeter?) throws -> Batch {
        let batch = try Batch(
            worker: worker, capacity: context.batchRows, registers: registers, grant: context.grant)
        batch.meter = meter?.cells(of: worker)
        batch.counters = context.share?.meter.counters(of: worker)
        return batch
    }

    /// How urgent the statement's sections are to helpers.
    private var level: Int { context.share?.level ?? WorkerPool.usualLevel }

    /// After an error the other workers need not go on.
    private func stopping<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            source.stopRequested.store(true, ordering: .relaxed)
            throw error
        }
    }

    private enum MorselEnd {
        case taken
        case timeUp
        case left
    }

    private func takeMorsels(
        _ batch: Batch, _ next: borrowing Atomic<Int>, _ total: Int, until deadline: Int64 = .max,
        mayLeave: Bool = false
    ) throws -> MorselEnd {
        let share = context.share
        var clock = share?.clock(worker: batch.worker)
        let steps = self.steps
        // A morsel of wide rows takes more than a second, so each of its batches asks.
        let cancellation = context.cancellation
        let body: (Batch) throws -> Void = { batch in
            try cancellation.check()
            try drive(steps, from: 0, batch)
        }
        while true {
            let morsel = next.add(1, ordering: .relaxed).oldValue
            if morsel >= total || source.stopRequested.load(ordering: .relaxed) { return .taken }
            try cancellation.check()
            batch.move(toSlice: source.slice(ofMorsel: morsel))
            try source.run(morsel: morsel, batch: batch, body)
            // Blocks without a survivor are the source's time.
            batch.mark(0)
            if deadline != .max, morsel + 1 < total, Stopwatch.nanoseconds > deadline {
                return .timeUp
            }
            guard let share else { continue }
            let isWanted = { mayLeave && self.context.pool.hasMoreUrgent(than: share.level) }
            clock?.pay(share, isWanted: isWanted)
            if isWanted() { return .left }
        }
    }

    private func finish(_ batch: Batch) throws {
        for step in steps { try step.finish(batch) }
        if let last = steps.last { batch.mark(last.section) }
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
            return batch.mark(step.section)
        }
        try step.run(batch)
        if batch.count == 0 { return batch.mark(step.section) }
        index += 1
    }
    if let last = steps.last { batch.mark(last.section) }
}
