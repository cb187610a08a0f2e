import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// Accumulators of a dense grouping that is larger than the caches, in partitions of the domain that fit them. Workers
/// write rows to a buffer for each partition first and add a full buffer at once, so that a miss is shared by several
/// rows; there is one set of accumulators for all workers.
///
/// After radix partitioning for joins (Manegold, Boncz, Kersten: "Optimizing main-memory join on modern hardware").
final class DensePartitions {
    /// A range of the domain.
    final class Partition {
        /// Who adds to the states holds it.
        let monitor = Monitor()
        /// Empty until the first rows come. Group 0 is the first of the range.
        fileprivate(set) var states: [AggregateState] = []
    }

    /// What one worker has; the array of them does not change while workers are at it.
    private final class Lane {
        var buffers: PartitionBuffers?
    }

    /// Groups of a partition, as a power of two.
    let shift: Int
    let partitions: [Partition]
    private let groups: Int
    private let columns: [PartitionBuffers.Column]
    private let rowsPerBuffer: Int
    private let layout: AggregateLayout
    private let context: ExecutionContext
    private var lanes: [Lane] = []

    /// Accumulators of a partition, in bytes: half of a usual L2 cache.
    private static let partitionBytes = 512 << 10
    /// Smaller tables stay in the caches as they are.
    private static let leastBytes = 8 << 20
    /// A batch of a slice covers this many when its table is in the order of the keys and has many slices.
    private static let clusterPartitions = 4
    private static let mostBufferBytes = 64 << 20
    private static let leastBufferRows = 512

    /// nil where rows can be added as they come, or must be.
    init?(_ keys: GroupKeys, _ layout: AggregateLayout, context: ExecutionContext) {
        guard let groups = keys.fixedGroups, keys.isDense, !layout.hasDeferred,
            groups * layout.bytesPerGroup >= DensePartitions.leastBytes,
            let columns = PartitionBuffers.columns(layout)
        else { return nil }
        var shift = 8
        while layout.bytesPerGroup << (shift + 1) <= DensePartitions.partitionBytes { shift += 1 }
        let count = (groups + (1 << shift) - 1) >> shift
        let rowBytes = 4 + columns.reduce(0) { $0 + $1.width + ($1.isNullable ? 1 : 0) }
        let bytes = min(max(groups * layout.bytesPerGroup / 2, 8 << 20), DensePartitions.mostBufferBytes)
        let rows = min(bytes / rowBytes, max(keys.rowBound, 1) / context.pool.workers) / count
        rowsPerBuffer = max(rows, DensePartitions.leastBufferRows)
        self.groups = groups
        self.shift = shift
        self.columns = columns
        self.layout = layout
        self.context = context
        partitions = (0..<count).map { _ in Partition() }
    }

    func prepare(workers: Int) { lanes = (0..<workers).map { _ in Lane() } }

    /// The groups of a batch are close to each other, but for the spare one: their accumulators are in the cache soon.
    /// Told by some of them.
    func isClustered(_ numbers: UnsafePointer<UInt32>, _ count: Int) -> Bool {
        let spare = UInt32(truncatingIfNeeded: groups - 1)
        var least = UInt32.max, greatest: UInt32 = 0
        for i in stride(from: 0, to: count, by: 16) where numbers[i] != spare {
            least = min(least, numbers[i])
            greatest = max(greatest, numbers[i])
        }
        return greatest < least || Int(greatest - least) >> shift < DensePartitions.clusterPartitions
    }

    func add(_ batch: Batch, _ groups: UnsafePointer<UInt32>) throws {
        let own = try lanes[batch.worker].buffers ?? makeBuffers(batch)
        var start = 0
        while start < batch.count {
            let (end, full) = own.take(batch, groups, start..<batch.count)
            if let full { try flush(full, own) }
            start = end
        }
    }

    /// Adds what the worker's buffers still have; the workers begin at different partitions.
    func finish(_ worker: Int) throws {
        guard let own = lanes[worker].buffers else { return }
        let first = partitions.count * worker / lanes.count
        for index in partitions.indices { try flush((first + index) % partitions.count, own) }
        lanes[worker].buffers = nil
    }

    private func makeBuffers(_ batch: Batch) throws -> PartitionBuffers {
        let made = try PartitionBuffers(
            columns, partitions: partitions.count, rows: rowsPerBuffer, shift: shift, like: batch, context)
        lanes[batch.worker].buffers = made
        return made
    }

    private func flush(_ index: Int, _ own: PartitionBuffers) throws {
        let batch = own.batch(of: index)
        if batch.count == 0 { return }
        let partition = partitions[index], groups = own.groups(of: index)
        try partition.monitor.withLock {
            if partition.states.isEmpty { partition.states = try makeStates(index) }
            for (state, accumulator) in zip(layout.states, partition.states) {
                let valid = validRows(batch, state.argument, state.filter, own.mask, usesMask: false)
                if batch.count * 8 > accumulator.groups { accumulator.load() }
                try accumulator.update(
                    StateInput(batch: batch, count: batch.count, groups: groups, single: false, valid: valid))
            }
        }
        own.empty(index)
    }

    private func makeStates(_ index: Int) throws -> [AggregateState] {
        let size = min(1 << shift, groups - index << shift)
        return try layout.states.map {
            let state = $0.prototype.fresh(final: false)
            try state.resize(size)
            return state
        }
    }

    // MARK: Merging

    /// The accumulators have been merged into others.
    func removeAll() {
        for partition in partitions { partition.states = [] }
    }

    /// Calls `body` for each partition that has rows of groups in the range, with the range's part of it.
    func forEach(in range: Range<Int>, _ body: (Partition, _ first: Int, Range<Int>) throws -> Void) rethrows {
        var start = range.lowerBound
        while start < range.upperBound {
            let index = start >> shift, end = min((index + 1) << shift, range.upperBound)
            if !partitions[index].states.isEmpty { try body(partitions[index], index << shift, start..<end) }
            start = end
        }
    }
}

/// Rows that count for an argument: has a value, passes FILTER, and where asked for also the batch's mask.
func validRows(
    _ batch: Batch, _ argument: Register?, _ filter: Register?, _ scratch: TableMemory, usesMask: Bool
) -> UnsafePointer<UInt8>? {
    let count = batch.count
    let mask = scratch.values(UInt8.self)
    var result: UnsafePointer<UInt8>?
    func combine(_ more: UnsafePointer<UInt8>) {
        guard let present = result else {
            result = more
            return
        }
        if present != UnsafePointer(mask) { memcpy(mask, present, count) }
        andBytes(mask, more, count)
        result = UnsafePointer(mask)
    }
    if let argument, let valid = batch.validity(argument.index) { combine(valid) }
    if let filter { combine(batch.values(filter.index, UInt8.self)) }
    if usesMask && batch.masked { combine(UnsafePointer(batch.mask)) }
    return result
}
