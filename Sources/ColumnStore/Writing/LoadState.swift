import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

/// What the lanes of one load share.
final class LoadState: Sendable {
    let store: Store
    let plan: WritePlan
    private let state: Lock<State>
    private let bufferedBytes = Atomic<Int>(0)

    private struct State {
        /// Rows per slice, for dealing evenly: the table's and the lanes'.
        var sliceRows: [Int]
        var early: [PartFile] = []
    }

    init(store: Store, plan: WritePlan, sliceRows: [Int]) {
        self.store = store
        self.plan = plan
        state = Lock(State(sliceRows: sliceRows))
    }

    /// Rows are to be written early: the load has its part, or more than it leaves to all others.
    var isOverLimit: Bool {
        let bytes = bufferedBytes.load(ordering: .relaxed)
        return bytes > plan.bufferLimit || bytes > max(store.cache.budget.free, LoadState.smallestBuffer)
    }
    /// Less is not worth a file.
    private static let smallestBuffer = 4 << 20
    func note(bytes: Int) { bufferedBytes.add(bytes, ordering: .relaxed) }
    func note(rows: Int, slice: Int) { state.withLock { $0.sliceRows[slice] += rows } }

    /// How many of the next rows go to which slice: those with the fewest rows are filled up first.
    func dealEvenly(_ count: Int, first: Int) -> [(slice: Int, rows: Int)] {
        state.withLock { state in
            let slices = state.sliceRows.count
            let order = (0..<slices).map { ($0 + first) % slices }.sorted { state.sliceRows[$0] < state.sliceRows[$1] }
            var shares = [Int](repeating: 0, count: slices)
            var left = count
            // Level the lowest k slices with the next one, then share the rest.
            for (index, slice) in order.enumerated() {
                let level = index + 1 < slices ? state.sliceRows[order[index + 1]] : Int.max
                let gap = level == .max ? Int.max : (level - state.sliceRows[slice] - shares[slice])
                let group = index + 1
                let full = gap == .max ? true : gap >= (left + group - 1) / group
                if full {
                    for (place, member) in order[...index].enumerated() {
                        shares[member] += left / group + (place < left % group ? 1 : 0)
                    }
                    left = 0
                    break
                }
                for member in order[...index] { shares[member] += gap }
                left -= gap * group
            }
            for slice in 0..<slices { state.sliceRows[slice] += shares[slice] }
            return (0..<slices).map { (slice: $0, rows: shares[$0]) }
        }
    }

    /// Writes one lane's chunks on its own thread because the buffers are full.
    func writeEarly(_ chunks: [[RowChunk]]) throws {
        let files = try PartBuilder(store: store, plan: plan, workers: nil).build(chunks)
        state.withLock { $0.early += files }
    }

    func takeEarly() -> [PartFile] {
        state.withLock { state in
            defer { state.early = [] }
            return state.early
        }
    }
}
