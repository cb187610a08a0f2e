import ColumnVectors
import Platform
import SQLTypes

/// Joins what the workers kept for the DISTINCT aggregates and feeds each different value of a group to plain states,
/// in parallel over groups or over partitions of the values.
struct DistinctMerge {
    struct Merged {
        var count: AggregateState
        /// Only where an aggregate asks for it.
        var sum: AggregateState?
        var moments: AggregateState?
    }
    private let sink: AggregateSink
    private let merged: MergedGroups
    private let context: ExecutionContext

    init(_ sink: AggregateSink, _ merged: MergedGroups, context: ExecutionContext) {
        self.sink = sink
        self.merged = merged
        self.context = context
    }

    func states() throws -> [Merged] { try sink.layout.distincts.indices.map(states) }

    private func states(_ index: Int) throws -> Merged {
        let form = sink.distinctForms[index]
        let parts = zip(sink.parts.filter(\.hasRows), merged.remaps).compactMap { part, remap in
            remap.map { (part: part.distincts[index], targets: UnsafePointer($0.values(UInt32.self)), owner: $0) }
        }
        let kinds = Set(
            sink.layout.outputs.compactMap { output -> AggregateLayout.DistinctKind? in
                if case .distinct(index, let kind) = output.output { kind } else { nil }
            })
        let make = {
            try DistinctTarget(sink.layout.distincts[index], form, kinds, groups: merged.count, context: context)
        }
        switch form.kind {
        case .bits(let stride):
            return try mergeBits(parts.compactMap { part in part.part.bits.map { ($0, part.targets) } }, stride, make())
        case .codes:
            let codes = parts.compactMap { part in part.part.codes.map { ($0, part.targets) } }
            let isLarge = codes.contains { $0.0.isSpread } || codes.reduce(0) { $0 + $1.0.total } > 32_768
            if isLarge { for (codes, _) in codes { try codes.spread() } }
            return try merge(isLarge ? DistinctCodes.partitions : 1, make) { target in
                let set = DistinctCodeSet(context)
                return { try mergeCodes(codes, $0, form, set, target) }
            }
        case .records:
            let records = parts.compactMap { part in part.part.records.map { ($0, part.targets) } }
            let isLarge = records.contains { $0.0.isSpread } || records.reduce(0) { $0 + $1.0.totalRecords } > 32_768
            if isLarge { for (records, _) in records { try records.spread() } }
            return try merge(isLarge ? DistinctRecords.partitions : 1, make) { target in
                let set = DistinctRecordSet(context)
                return { try mergeRecords(records, $0, set, target) }
            }
        }
    }

    // MARK: Bits

    private func mergeBits(
        _ parts: [(DistinctBits, UnsafePointer<UInt32>)], _ stride: Int, _ target: DistinctTarget
    ) throws -> Merged {
        let whole = DistinctBits(stride: stride, context)
        try whole.resize(merged.count)
        for (bits, targets) in parts {
            try runRanges(context, bits.groups, grain: grain(stride)) { _, range in whole.merge(bits, targets, range) }
        }
        try runRanges(context, merged.count, grain: grain(stride)) { _, range in
            for group in range {
                if target.countsOnly {
                    target.counts[group] = Int64(whole.count(group))
                } else {
                    try whole.forEachValue(group) { try target.add(group, code: $0) }
                }
            }
        }
        return target.merged
    }

    /// Groups of about a megabyte of bits.
    private func grain(_ stride: Int) -> Int { max((1 << 20) / stride, 1) }

    // MARK: Partitions

    /// Runs the partitions on all workers, each with a target of its own, and adds the targets up.
    private func merge(
        _ partitions: Int, _ make: () throws -> DistinctTarget,
        _ worker: (DistinctTarget) -> (_ partition: Int) throws -> Void
    ) throws -> Merged {
        let workers = partitions == 1 ? 1 : context.pool.workers
        let targets = try (0..<workers).map { _ in try make() }
        let bodies = targets.map(worker)
        try runRanges(context, partitions, grain: 1) { worker, range in
            for partition in range { try bodies[worker](partition) }
        }
        for other in targets.dropFirst() {
            try runRanges(context, merged.count) { _, range in try targets[0].merge(other, range) }
        }
        return targets[0].merged
    }

    private func mergeCodes(
        _ parts: [(DistinctCodes, UnsafePointer<UInt32>)], _ partition: Int, _ form: DistinctForm,
        _ set: DistinctCodeSet, _ target: DistinctTarget
    ) throws {
        try set.prepare(parts.reduce(0) { $0 + $1.0.codes(partition).count })
        let shift = UInt64(form.groupBits), mask: UInt64 = (1 &<< shift) &- 1
        for (part, groups) in parts {
            let codes = part.codes(partition)
            for i in 0..<codes.count {
                if i &+ 16 < codes.count { set.prefetch(codes[i &+ 16]) }
                let code = codes[i]
                let group = Int(groups[Int(truncatingIfNeeded: code & mask)])
                // Where workers number groups alike, their own number serves as well.
                let key = form.sharesGroups ? code : (code & ~mask) | UInt64(group)
                if !set.insert(key) { continue }
                if target.countsOnly {
                    target.counts[group] &+= 1
                } else {
                    try target.add(group, code: code &>> shift)
                }
            }
        }
    }

    private func mergeRecords(
        _ parts: [(DistinctRecords, UnsafePointer<UInt32>)], _ partition: Int, _ set: DistinctRecordSet,
        _ target: DistinctTarget
    ) throws {
        try set.prepare(parts.reduce(0) { $0 + $1.0.records(partition).count })
        for (part, groups) in parts {
            var (record, count) = part.records(partition)
            for _ in 0..<count {
                let group = groups[Int(record.group)]
                if set.insert(record, group: group, place: record.address) {
                    if target.countsOnly {
                        target.counts[Int(group)] &+= 1
                    } else {
                        try target.add(Int(group), record)
                    }
                }
                record = record.next
            }
        }
    }
}

/// The states of one DISTINCT aggregate that one worker feeds.
final class DistinctTarget {
    let merged: DistinctMerge.Merged
    let counts: UnsafeMutablePointer<Int64>
    /// Neither sums nor moments are asked for.
    let countsOnly: Bool
    private let form: DistinctForm
    private let physical: PhysicalType

    init(
        _ spec: DistinctSpec, _ form: DistinctForm, _ kinds: Set<AggregateLayout.DistinctKind>, groups: Int,
        context: ExecutionContext
    ) throws {
        self.form = form
        physical = spec.argument.physical
        let count = CountState(nil, context: context)
        var sum: AggregateState?
        if kinds.contains(.sum) || kinds.contains(.average) {
            sum =
                physical == .float64
                ? DoubleSumState(spec.argument, context: context)
                : SumState(spec.argument, startWidth: 16, proved: false, context: context)
        }
        let moments = kinds.contains(.moments) ? MomentsState(spec.argument, context: context) : nil
        for state in [count, sum, moments] { try state?.resize(max(groups, 1)) }
        merged = DistinctMerge.Merged(count: count, sum: sum, moments: moments)
        counts = count.values(Int64.self)
        countsOnly = sum == nil && moments == nil
    }

    /// A value by its code of bits and codes.
    func add(_ group: Int, code: UInt64) throws {
        if physical == .float64 { return add(group, Double(bitPattern: code)) }
        try add(group, form.hasBounds ? Int128(code) + form.lower : Int128(Int64(bitPattern: code)))
    }

    func add(_ group: Int, _ record: DistinctRecord) throws {
        switch physical {
        case .float64: add(group, Double(bitPattern: record.bytes.load(as: UInt64.self)))
        case .int128: try add(group, record.bytes.loadUnaligned(as: Int128.self))
        case .uint8, .uint16, .int32, .int64, .string: try add(group, code: record.bytes.load(as: UInt64.self))
        }
    }

    private func add(_ group: Int, _ value: Int128) throws {
        counts[group] &+= 1
        guard let place = merged.sum.map({ $0.values(Int128.self) + group }) else { return }
        let (sum, overflow) = place.pointee.addingReportingOverflow(value)
        if overflow { throw DecimalArithmetic.overflow() }
        place.pointee = sum
    }

    private func add(_ group: Int, _ value: Double) {
        counts[group] &+= 1
        if let sum = merged.sum { sum.values(Double.self)[group] += value }
        guard let moments = merged.moments else { return }
        let entry = moments.values(Double.self) + group * 3
        let count = entry[0] + 1, difference = value - entry[1]
        entry[1] += difference / count
        entry[2] += difference * (value - entry[1])
        entry[0] = count
    }

    func merge(_ other: DistinctTarget, _ range: Range<Int>) throws {
        let map = GroupMap(range: range)
        try merged.count.merge(other.merged.count, map)
        if let sum = merged.sum, let from = other.merged.sum { try sum.merge(from, map) }
        if let moments = merged.moments, let from = other.merged.moments { try moments.merge(from, map) }
    }
}
