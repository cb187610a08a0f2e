import ColumnVectors
import Platform
import SQLTypes

extension RowSet {
    /// The rows at the given places of an order, with the columns at `indexes`. Strings keep pointing into this set.
    func arranged(
        _ order: RowSorter.Order, places: Range<Int>, columns indexes: [Int], context: ExecutionContext
    ) throws -> RowSet {
        let count = places.count
        var targets: [Column] = []
        var owners: [AnyObject] = [self]
        for index in indexes {
            let from = columns[index]
            let values = try OwnedRegion(bytes: count * from.form.physical.byteWidth, context: context)
            defer { withExtendedLifetime(values) {} }
            owners.append(values)
            var column = Column(form: from.form, values: values.region.address, validity: nil)
            if from.hasNulls {
                let bytes = try OwnedRegion(bytes: count, context: context)
                defer { withExtendedLifetime(bytes) {} }
                owners.append(bytes)
                column.validity = bytes.pointer(UInt8.self)
            }
            targets.append(column)
        }
        let workers = count < 16_384 ? 1 : context.pool.workers
        let sources = indexes.map { columns[$0] }
        let share = { (worker: Int) in
            let (first, last) = (count * worker / workers, count * (worker + 1) / workers)
            let entries = order.entries + places.lowerBound
            for (from, to) in zip(sources, targets) {
                gatherEntries(
                    UnsafeRawPointer(from.values), to.values, from.form.physical.byteWidth, entries, first, last)
                if let validity = from.validity, let target = to.validity {
                    gatherEntries(UnsafeRawPointer(validity), UnsafeMutableRawPointer(target), 1, entries, first, last)
                }
            }
        }
        if workers == 1 { share(0) } else { context.pool.run { if $0 < workers { share($0) } } }
        return RowSet(columns: targets, count: count, owners: owners)
    }
}

private func gatherEntries(
    _ from: UnsafeRawPointer, _ to: UnsafeMutableRawPointer, _ width: Int, _ entries: SortEntries, _ first: Int,
    _ last: Int
) {
    @inline(__always) func move<Value>(_: Value.Type) {
        let source = from.assumingMemoryBound(to: Value.self)
        let target = to.assumingMemoryBound(to: Value.self)
        for i in first..<last { target[i] = source[Int(truncatingIfNeeded: entries[i].row)] }
    }
    switch width {
    case 1: move(UInt8.self)
    case 2: move(UInt16.self)
    case 4: move(UInt32.self)
    case 8: move(UInt64.self)
    default: move(SIMD2<UInt64>.self)
    }
}
