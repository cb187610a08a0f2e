import Synchronization

/// What each plan step did, for EXPLAIN ANALYZE and the system tables. Safe from any worker.
public final class ExecutionProfile: Sendable {
    public struct Step: Sendable {
        public var rows: Int64 = 0
        public var sliceRows: [Int64]
        public var bytes: Int64 = 0
        public var microseconds: Int64 = 0
        public var detail = ""
    }
    private let steps = Mutex<[Int: Step]>([:])
    public let slices: Int

    public init(slices: Int) { self.slices = slices }

    public func add(step: Int, slice: Int, rows: Int, bytes: Int = 0) {
        steps.withLock { steps in
            var entry = steps[step] ?? Step(sliceRows: Array(repeating: 0, count: slices))
            entry.rows += Int64(rows)
            entry.bytes += Int64(bytes)
            if slice < entry.sliceRows.count { entry.sliceRows[slice] += Int64(rows) }
            steps[step] = entry
        }
    }
    public func add(step: Int, microseconds: Int64, detail: String? = nil) {
        steps.withLock { steps in
            var entry = steps[step] ?? Step(sliceRows: Array(repeating: 0, count: slices))
            entry.microseconds += microseconds
            if let detail { entry.detail = detail }
            steps[step] = entry
        }
    }
    /// Takes back what was counted for these steps since `earlier`: they run again.
    func restore(_ earlier: [Int: Step], steps repeated: [Int]) {
        steps.withLock { steps in
            for step in repeated { steps[step] = earlier[step] }
        }
    }
    public var all: [Int: Step] { steps.withLock { $0 } }
}
