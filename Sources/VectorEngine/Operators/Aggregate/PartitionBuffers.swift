import ColumnVectors
import Glibc
import SQLTypes

/// One worker's rows on their way into ``DensePartitions``: for each partition the group within it and the arguments,
/// column by column, with room for the same number of rows.
final class PartitionBuffers {
    /// A register whose values wait with the rows.
    struct Column {
        var register: Int
        var width: Int
        var isNullable: Bool
    }
    private struct Memory {
        var column: Column
        var values: TableMemory
        var validity: TableMemory?
    }

    private let rows: Int
    private let shift: Int
    private let memories: [Memory]
    private let numbers: TableMemory
    private let fill: TableMemory
    /// Where each row of a batch goes.
    private let targets: TableMemory
    /// The rows of one partition, as the states see them.
    private let view: Batch
    /// Scratch for a byte a row.
    let mask: TableMemory

    /// What the states of a grouping read; nil where it cannot wait: strings live as long as their batch.
    static func columns(_ layout: AggregateLayout) -> [Column]? {
        var found: [Column] = []
        for register in layout.states.flatMap({ [$0.argument, $0.filter].compactMap(\.self) }) {
            if register.physical == .string { return nil }
            if found.contains(where: { $0.register == register.index }) { continue }
            found.append(
                Column(
                    register: register.index, width: register.physical.byteWidth, isNullable: register.nullable))
        }
        return found
    }

    /// - Parameter batch: of the pipeline whose rows come.
    init(
        _ columns: [Column], partitions: Int, rows: Int, shift: Int, like batch: Batch, _ context: ExecutionContext
    ) throws {
        self.rows = rows
        self.shift = shift
        let total = partitions * rows
        memories = try columns.map { column in
            Memory(
                column: column, values: try TableMemory(context, bytes: total * column.width + 64),
                validity: column.isNullable ? try TableMemory(context, bytes: total + 64) : nil)
        }
        numbers = try TableMemory(context, bytes: total * 4 + 64)
        fill = try TableMemory(context, bytes: partitions * 4 + 64, zeroed: true)
        targets = try TableMemory(context, bytes: (batch.capacity + 128) * 4)
        mask = try TableMemory(context, bytes: rows + 256)
        view = try Batch(worker: batch.worker, capacity: 0, registers: batch.registers)
    }

    /// Takes rows until a partition has no more room, which is the second result.
    func take(_ batch: Batch, _ groups: UnsafePointer<UInt32>, _ range: Range<Int>) -> (end: Int, full: Int?) {
        let targets = self.targets.values(UInt32.self)
        let (end, full) = place(
            groups, range, shift, rows, fill.values(UInt32.self), targets, numbers.values(UInt32.self))
        let taken = range.lowerBound..<end
        for memory in memories {
            let slot = batch.slots[memory.column.register], to = memory.values.address
            switch memory.column.width {
            case 1: scatter(slot.data, to, targets, taken, UInt8.self)
            case 2: scatter(slot.data, to, targets, taken, UInt16.self)
            case 4: scatter(slot.data, to, targets, taken, UInt32.self)
            case 8: scatter(slot.data, to, targets, taken, UInt64.self)
            default: scatter(slot.data, to, targets, taken, Int128.self)
            }
            guard let validity = memory.validity else { continue }
            if let valid = slot.validity {
                scatter(UnsafeMutableRawPointer(valid), validity.address, targets, taken, UInt8.self)
            } else {
                let bytes = validity.values(UInt8.self)
                for i in taken { bytes[Int(targets[i])] = 1 }
            }
        }
        return (end, full >= 0 ? full : nil)
    }

    func groups(of partition: Int) -> UnsafePointer<UInt32> {
        UnsafePointer(numbers.values(UInt32.self) + partition * rows)
    }

    /// The rows of a partition, until the next call.
    func batch(of partition: Int) -> Batch {
        view.count = Int(fill.values(UInt32.self)[partition])
        for memory in memories {
            let slot = view.slots + memory.column.register, first = partition * rows
            slot.pointee.data = memory.values.address + first * memory.column.width
            slot.pointee.validity = memory.validity.map { $0.values(UInt8.self) + first }
        }
        return view
    }

    func empty(_ partition: Int) { fill.values(UInt32.self)[partition] = 0 }
}

/// Gives rows their places in the buffers, up to the one that fills a buffer; -1: none is full.
private func place(
    _ groups: UnsafePointer<UInt32>, _ range: Range<Int>, _ shift: Int, _ rows: Int,
    _ fill: UnsafeMutablePointer<UInt32>, _ targets: UnsafeMutablePointer<UInt32>,
    _ numbers: UnsafeMutablePointer<UInt32>
) -> (end: Int, full: Int) {
    let low: UInt32 = 1 &<< UInt32(truncatingIfNeeded: shift) &- 1
    let room = UInt32(truncatingIfNeeded: rows), shift = UInt32(truncatingIfNeeded: shift)
    for i in range {
        let group = groups[i], partition = group &>> shift
        let filled = fill[Int(partition)], target = partition &* room &+ filled
        targets[i] = target
        numbers[Int(target)] = group & low
        fill[Int(partition)] = filled &+ 1
        if filled &+ 1 == room { return (i + 1, Int(partition)) }
    }
    return (range.upperBound, -1)
}

@inline(__always)
private func scatter<Value>(
    _ from: UnsafeMutableRawPointer, _ to: UnsafeMutableRawPointer, _ targets: UnsafePointer<UInt32>,
    _ range: Range<Int>, _: Value.Type
) {
    let source = from.assumingMemoryBound(to: Value.self), target = to.assumingMemoryBound(to: Value.self)
    for i in range { target[Int(targets[i])] = source[i] }
}
