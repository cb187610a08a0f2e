import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// One worker's set of (group, value) for a DISTINCT aggregate.
final class DistinctPart {
    let spec: DistinctSpec
    let keys: DistinctKeys
    let packed: PackedGroupTable?
    let wide: WideGroupTable?
    private let numbers: TableMemory
    private let rows: TableMemory
    private let batchRows: Int

    init(_ spec: DistinctSpec, _ context: ExecutionContext) throws {
        self.spec = spec
        batchRows = context.batchRows
        keys = DistinctKeys(spec)
        numbers = try TableMemory(context, bytes: (context.batchRows + 128) * 4)
        let width = keys.wideLayout?.words ?? 0
        rows = try TableMemory(context, bytes: (context.batchRows + 128) * max(width, 1) * 8)
        packed = keys.packedLayout == nil ? nil : try PackedGroupTable(context)
        wide = try keys.wideLayout.map { try WideGroupTable($0, context) }
    }

    func add(_ batch: Batch, _ groups: UnsafePointer<UInt32>, _ valid: UnsafePointer<UInt8>?) throws {
        let vectors = [
            KeyVector(data: UnsafeRawPointer(groups), validity: nil),
            KeyVector(data: UnsafeRawPointer(batch.slots[spec.argument.index].data), validity: nil),
        ]
        let count = batch.count, hashes = batch.hashes
        var kept = 0
        if let packed, let encoder = keys.packedEncoder {
            encoder.encode(vectors, count, hashes)
            for i in 0..<count {
                hashes[kept] = hashes[i]
                kept &+= valid.map { Int($0[i]) } ?? 1
            }
            try packed.assign(hashes, kept, numbers.values(UInt32.self))
        } else if let wide, let encoder = keys.wideEncoder {
            let words = rows.values(UInt64.self), width = wide.layout.words
            // Views of NULL rows must not be followed.
            let nullable = [vectors[0], KeyVector(data: vectors[1].data, validity: valid)]
            encoder.encode(nullable, count, rows: words, hashes: hashes)
            for i in 0..<count where valid.map({ $0[i] != 0 }) ?? true {
                hashes[kept] = hashes[i]
                if kept != i { (words + kept &* width).update(from: words + i &* width, count: width) }
                kept &+= 1
            }
            try wide.assign(rows: words, hashes: hashes, kept, numbers.values(UInt32.self))
        }
    }
}

/// The key (group, value): packed when the value's bounds leave room beside 31 bits of group.
struct DistinctKeys {
    let packedLayout: PackedKeyLayout?
    let packedEncoder: PackedKeyEncoder?
    let wideLayout: WideKeyLayout?
    let wideEncoder: WideKeyEncoder?
    static let groupCodes: UInt64 = 1 << 31

    init(_ spec: DistinctSpec) {
        let group = Register(
            index: -1, physical: .int32, type: .integer, lower: 0, upper: Int128(DistinctKeys.groupCodes) - 1,
            nullable: false, dictionary: nil, trailingBlanks: false, constant: nil)
        let value = spec.argument
        let remap = value.dictionary?.canonicalCodes(trimming: value.trailingBlanks)
        var layout: PackedKeyLayout?
        if value.isInteger {
            layout = PackedKeyLayout(
                [(0, group.upper, false), (value.lower, value.upper, false)], limit: .max)
        } else if let dictionary = value.dictionary {
            layout = PackedKeyLayout(
                [(0, group.upper, false), (0, Int128(max(dictionary.count, 1) - 1), false)], limit: .max)
        }
        packedLayout = layout
        packedEncoder = layout.map {
            PackedKeyEncoder($0, [.int32, value.physical], remaps: [nil, remap])
        }
        let wide = layout == nil ? WideKeyLayout([[group, value]], nulls: false) : nil
        wideLayout = wide
        wideEncoder = wide.map { WideKeyEncoder($0, [group, value]) }
    }
}

/// Joins the sets of all workers and feeds their values to plain states: by disjoint shares of the groups, in parallel.
struct DistinctMerge {
    struct Merged {
        var count: AggregateState
        var sum: AggregateState
        var moments: AggregateState
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
        let spec = sink.layout.distincts[index]
        let isFloat = spec.argument.physical == .float64
        let count = CountState(nil, context: context)
        let sum =
            isFloat
            ? DoubleSumState(spec.argument, context: context)
            : SumState(spec.argument, startWidth: 16, proved: false, context: context)
        let moments = MomentsState(spec.argument, context: context)
        let result = Merged(count: count, sum: sum, moments: moments)
        for state in [count, sum, moments] { try state.resize(merged.count) }
        let shares = merged.count < 1024 ? 1 : context.pool.workers * 4
        try runRanges(context, shares, grain: 1) { _, range in
            for share in range { try feed(index, share, shares, result, spec) }
        }
        return result
    }

    /// All entries whose merged group belongs to the share.
    private func feed(_ index: Int, _ share: Int, _ shares: Int, _ result: Merged, _ spec: DistinctSpec) throws {
        let parts = sink.parts.filter(\.hasRows)
        let whole = try DistinctPart(spec, context)
        var number: UInt32 = 0
        for (part, remap) in zip(parts, merged.remaps) {
            guard let remap else { continue }
            let targets = remap.values(UInt32.self)
            let distinct = part.distincts[index]
            if let packed = distinct.packed, let table = whole.packed {
                for entry in 0..<packed.count {
                    let code = packed.keys[entry]
                    let group = code & (DistinctKeys.groupCodes - 1)
                    let target = targets[Int(group)]
                    if Int(target) % shares != share { continue }
                    var key = code &- group &+ UInt64(target)
                    let before = table.count
                    try table.assign(&key, 1, &number)
                    if table.count > before { try addPacked(key, Int(target), spec, result) }
                }
            } else if let wide = distinct.wide, let table = whole.wide {
                try feedWide(wide, table, targets, share, shares, spec, result)
            }
        }
    }

    private func addPacked(_ key: UInt64, _ target: Int, _ spec: DistinctSpec, _ result: Merged) throws {
        let value = Int128(key / DistinctKeys.groupCodes) + spec.argument.lower
        try add(target, spec.argument.isInteger ? value : 0, result)
    }

    private func feedWide(
        _ wide: WideGroupTable, _ table: WideGroupTable, _ targets: UnsafePointer<UInt32>, _ share: Int, _ shares: Int,
        _ spec: DistinctSpec, _ result: Merged
    ) throws {
        let width = wide.layout.words, kind = wide.layout.fields[1].kind
        var row = [UInt64](repeating: 0, count: width)
        var number: UInt32 = 0
        for entry in 0..<wide.count {
            let from = wide.rows + entry * width
            let target = Int(targets[Int(from[0])])
            if target % shares != share { continue }
            for word in 0..<width { row[word] = from[word] }
            row[0] = UInt64(target)
            // Any function of group and value serves as hash here, if all workers' entries use the same.
            var hash = StringHash.mix(valueHash(row, kind), UInt64(target) ^ 0x2D35_8DCC_AA6C_78A5)
            let before = table.count
            try table.assign(rows: row, hashes: &hash, 1, &number, copying: false)
            if table.count == before { continue }
            switch kind {
            case .string: try add(target, 0, result)
            case .float: addFloat(target, Double(bitPattern: row[1]), result)
            case .integer: try add(target, Int128(Int64(bitPattern: row[1])), result)
            case .wide: try add(target, Int128(Int64(bitPattern: row[2])) << 64 | Int128(row[1]), result)
            }
        }
    }

    private func valueHash(_ row: [UInt64], _ kind: WideKeyLayout.Kind) -> UInt64 {
        switch kind {
        case .string: return WideKeyEncoder.hash(head: row[1], tail: row[2])
        case .wide: return StringHash.mix(row[1] ^ 0x8BB8_4B93_962E_ACC9, row[2] ^ 0x9E37_79B9_7F4A_7C15)
        default: return StringHash.mix(row[1] ^ 0x8BB8_4B93_962E_ACC9, 0x9E37_79B9_7F4A_7C15)
        }
    }

    private func add(_ target: Int, _ value: Int128, _ result: Merged) throws {
        result.count.values(Int64.self)[target] &+= 1
        guard result.sum is SumState else { return }
        let place = result.sum.values(Int128.self) + target
        let (sum, overflow) = place.pointee.addingReportingOverflow(value)
        if overflow { throw DecimalArithmetic.overflow() }
        place.pointee = sum
    }

    private func addFloat(_ target: Int, _ value: Double, _ result: Merged) {
        result.count.values(Int64.self)[target] &+= 1
        result.sum.values(Double.self)[target] += value
        let entry = result.moments.values(Double.self) + target * 3
        let count = entry[0] + 1, difference = value - entry[1]
        entry[1] += difference / count
        entry[2] += difference * (value - entry[1])
        entry[0] = count
    }
}
