import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// One worker's (group, value, sort keys) for aggregates that need all values: percentiles and LISTAGG.
final class CollectionPart {
    let spec: CollectionSpec
    let columns: [ColumnBuffer]
    private let context: ExecutionContext
    private let numbers: TableMemory
    private let positions: TableMemory
    private var reserved = 0
    var groups: UnsafeMutablePointer<UInt32> { numbers.values(UInt32.self) }
    private(set) var count = 0

    init(_ spec: CollectionSpec, _ context: ExecutionContext) {
        self.spec = spec
        self.context = context
        columns = spec.registers.map { ColumnBuffer($0.physical) }
        numbers = TableMemory(context)
        positions = TableMemory(context)
    }
    deinit { if reserved > 0 { context.grant.release(reserved) } }

    func add(_ batch: Batch, _ rowGroups: UnsafePointer<UInt32>, _ valid: UnsafePointer<UInt8>?) throws {
        try positions.grow(to: (batch.capacity + 64) * 2, keeping: 0)
        let list = positions.values(UInt16.self)
        var kept = 0
        for i in 0..<batch.count {
            list[kept] = UInt16(truncatingIfNeeded: i)
            kept &+= valid.map { Int($0[i]) } ?? 1
        }
        try numbers.grow(to: (count + kept) * 4 + 64, keeping: count * 4)
        for i in 0..<kept { groups[count + i] = rowGroups[Int(list[i])] }
        var bytes = 0
        for (column, register) in zip(columns, spec.registers) {
            try column.append(
                values: UnsafeRawPointer(batch.slots[register.index].data), as: register.physical,
                validity: batch.validity(register.index), selection: UnsafePointer(list), count: kept)
            bytes += column.reservedBytes
        }
        if bytes > reserved {
            try context.reserve(bytes - reserved)
            reserved = bytes
        }
        count += kept
        guard count < Int(UInt32.max) else { throw tooManyGroups() }
    }
}

/// Brings the collected values of all workers together by group and computes the results, in parallel over groups.
struct CollectionMerge {
    private let sink: AggregateSink
    private let merged: MergedGroups
    private let pipeline: Pipeline
    private var context: ExecutionContext { pipeline.context }

    init(_ sink: AggregateSink, _ merged: MergedGroups, pipeline: Pipeline) {
        self.sink = sink
        self.merged = merged
        self.pipeline = pipeline
    }

    /// Entries of all parts, ordered by group: those of group g are order[starts[g] ..< starts[g + 1]].
    private struct Grouped {
        var columns: [ColumnBuffer]
        var order: TableMemory
        var starts: TableMemory
    }

    func column(_ index: Int, _ owners: inout [AnyObject]) throws -> RowSet.Column {
        let call = sink.layout.collections[index].call
        let grouped = try group(index)
        owners.append(grouped.order)
        let results = merged.count == 0 ? [] : try compute(call, grouped)
        let buffer = ColumnBuffer(call.type)
        for result in results { try buffer.append(result) }
        let reservation = Reservation(context)
        try reservation.raise(to: buffer.reservedBytes)
        owners += [buffer, reservation]
        let form = pipeline.makeRegister(call.type, call.type.physical, nullable: buffer.validity != nil)
        return RowSet.Column(form: form, values: buffer.values, validity: buffer.validity)
    }

    private func group(_ index: Int) throws -> Grouped {
        let spec = sink.layout.collections[index]
        let parts = sink.parts.filter(\.hasRows)
        let total = parts.reduce(0) { $0 + $1.collections[index].count }
        let columns =
            parts.count == 1
            ? parts[0].collections[index].columns
            : spec.registers.map { ColumnBuffer($0.physical) }
        let targets = try TableMemory(context, bytes: total * 4 + 64)
        defer { withExtendedLifetime(targets) {} }
        let starts = try TableMemory(context, bytes: (merged.count + 2) * 8, zeroed: true)
        defer { withExtendedLifetime(starts) {} }
        let place = starts.values(Int.self), target = targets.values(UInt32.self)
        var at = 0
        for (part, remap) in zip(parts, merged.remaps) {
            let collected = part.collections[index]
            if parts.count > 1 {
                for (column, from) in zip(columns, collected.columns) { try column.append(from) }
            }
            guard let remap else { continue }
            let numbers = remap.values(UInt32.self), groups = collected.groups
            for i in 0..<collected.count {
                let group = numbers[Int(groups[i])]
                target[at &+ i] = group
                place[Int(group) &+ 1] &+= 1
            }
            at += collected.count
        }
        for group in 0..<merged.count { place[group + 1] += place[group] }
        let order = try TableMemory(context, bytes: total * 4 + 64)
        defer { withExtendedLifetime(order) {} }
        let list = order.values(UInt32.self)
        // Filling moves each start to its end, that is, to the next group's start.
        for i in 0..<at {
            let group = Int(target[i])
            list[place[group]] = UInt32(truncatingIfNeeded: i)
            place[group] += 1
        }
        for group in stride(from: merged.count, to: 0, by: -1) { place[group] = place[group - 1] }
        place[0] = 0
        return Grouped(columns: columns, order: order, starts: starts)
    }

    private func compute(_ call: AggregateCall, _ grouped: Grouped) throws -> [Datum] {
        if call.function == .listAggregate {
            let separator: ListAggregation.Separator =
                call.separatorOfRows == nil ? .constant(try self.separator(call)) : .lastColumn
            let lists = try ListAggregation(call, grouped.columns, separator: separator, context)
            return try results(grouped) { try lists.list($0) }
        }
        let percentiles = PercentileAggregation(call, grouped.columns[0], fraction: try fraction(call))
        return try results(grouped) { try percentiles.value($0) }
    }

    /// One result for each group, in parallel; NULL for those without values.
    private func results(
        _ grouped: Grouped, _ body: @Sendable (UnsafeMutableBufferPointer<UInt32>) throws -> Datum
    ) throws -> [Datum] {
        var results = [Datum](repeating: .null, count: merged.count)
        nonisolated(unsafe) let starts = grouped.starts.values(Int.self)
        nonisolated(unsafe) let order = grouped.order.values(UInt32.self)
        try results.withUnsafeMutableBufferPointer { slots in
            nonisolated(unsafe) let slots = slots
            let grain = merged.count > 4096 ? 256 : 1
            try runRanges(context, merged.count, grain: grain) { _, range in
                for group in range {
                    let low = starts[group], high = starts[group + 1]
                    if low == high { continue }
                    slots[group] = try body(UnsafeMutableBufferPointer(start: order + low, count: high - low))
                }
            }
        }
        return results
    }

    // MARK: Constant arguments

    private func separator(_ call: AggregateCall) throws -> [UInt8] {
        guard call.function == .listAggregate, call.arguments.count > 1 else { return [] }
        let register = try pipeline.compile(call.arguments[1])
        switch register.constant {
        case .string(let bytes): return bytes
        case .null: return []
        default: throw SQLError(.internalError, "the delimiter of LISTAGG is no text")
        }
    }

    private func fraction(_ call: AggregateCall) throws -> Double {
        if call.function == .median || call.function == .listAggregate { return 0.5 }
        guard call.arguments.count > 1 else { return 0.5 }
        let register = try pipeline.compile(call.arguments[1])
        let value: Double
        switch register.constant {
        case .double(let double): value = double
        case .integer(let integer): value = Datum.decimalToDouble(integer, scale: register.type.scale)
        default: throw SQLError(.featureNotSupported, "the percentile must be a constant")
        }
        guard value >= 0, value <= 1 else {
            throw SQLError(.numericOutOfRange, "percentile value \(value) is not between 0 and 1")
        }
        return value
    }
}

/// Order of two rows of a canonical column by an ORDER BY item.
func compareRows(_ column: ColumnBuffer, _ left: Int, _ right: Int, _ item: SortItem, _ type: SQLType) -> Int {
    let leftNull = column.isNull(left), rightNull = column.isNull(right)
    if leftNull || rightNull {
        if leftNull && rightNull { return 0 }
        return leftNull == item.nullsFirst ? -1 : 1
    }
    var order: Int
    switch column.physical {
    case .uint8: order = compareValues(column.values(as: UInt8.self), left, right)
    case .uint16: order = compareValues(column.values(as: UInt16.self), left, right)
    case .int32: order = compareValues(column.values(as: Int32.self), left, right)
    case .int64: order = compareValues(column.values(as: Int64.self), left, right)
    case .int128:
        let values = column.values(as: Int128.self)
        if type == .interval {
            let a = Interval(packed: values[left]), b = Interval(packed: values[right])
            order = a.isShorter(than: b) ? -1 : b.isShorter(than: a) ? 1 : 0
        } else {
            order = compareValues(values, left, right)
        }
    case .float64:
        let a = column.values(as: Double.self)[left], b = column.values(as: Double.self)[right]
        order = a < b ? -1 : a > b ? 1 : b2i(a.isNaN) - b2i(b.isNaN)
    case .string:
        let views = column.values(as: StringView.self)
        if type.isBinaryString {
            order = StringView.compare(views[left], views[right])
        } else {
            order = StringView.compareTrimmed(views[left], views[right])
        }
    }
    return item.descending ? 0 - order.signum() : order.signum()
}

@inline(__always)
private func compareValues<Value: Comparable>(_ values: UnsafeMutablePointer<Value>, _ left: Int, _ right: Int) -> Int {
    values[left] < values[right] ? -1 : b2i(values[left] > values[right])
}
