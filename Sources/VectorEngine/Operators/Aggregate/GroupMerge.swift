import ColumnVectors
import Glibc
import SQLTypes

/// All groups of a grouping with their merged states.
final class MergedGroups {
    let count: Int
    let states: [AggregateState]
    /// Packed codes of the groups, for packed and dense keys.
    let codes: UnsafePointer<UInt64>?
    /// Key rows of the groups, for wide keys.
    let words: UnsafePointer<UInt64>?
    /// Per part: group of the part -> merged group. Only when asked for.
    let remaps: [TableMemory?]
    /// Keeps keys and strings alive.
    let owners: [AnyObject]

    init(
        count: Int, states: [AggregateState], codes: UnsafePointer<UInt64>?, words: UnsafePointer<UInt64>?,
        remaps: [TableMemory?], owners: [AnyObject]
    ) {
        self.count = count
        self.states = states
        self.codes = codes
        self.words = words
        self.remaps = remaps
        self.owners = owners
    }
}

/// Joins the parts of all workers: dense groups by ranges of the domain, hashed ones by partitions of the hash, so
/// that all workers merge at the same time and never write to the same group.
struct GroupMerge {
    let sink: AggregateSink
    let context: ExecutionContext
    private var keys: GroupKeys { sink.keys }
    private var parts: [AggregateSink.Part] { sink.allParts }

    init(_ sink: AggregateSink, context: ExecutionContext) {
        self.sink = sink
        self.context = context
    }

    func merged() throws -> MergedGroups {
        switch keys.form {
        case .single: return try mergeSingle()
        case .dense(let domain): return try mergeDense(domain)
        case .packed, .wide: return try mergeHashed()
        }
    }

    private func finalStates(_ groups: Int) throws -> [AggregateState] {
        try sink.layout.states.map {
            let state = $0.prototype.fresh(final: true)
            try state.resize(groups)
            return state
        }
    }

    // MARK: No groups

    private func mergeSingle() throws -> MergedGroups {
        let states = try finalStates(1)
        for part in parts {
            for (state, from) in zip(states, part.states) { try state.merge(from, GroupMap(range: 0..<1)) }
        }
        let remaps = try parts.map { _ in try TableMemory(context, bytes: 64, zeroed: true) }
        return MergedGroups(count: 1, states: states, codes: nil, words: nil, remaps: remaps, owners: parts)
    }

    // MARK: Dense

    private func mergeDense(_ domain: Int) throws -> MergedGroups {
        let present = try presentGroups(domain)
        let count = present.count, list = UnsafePointer(present.memory.values(UInt32.self))
        let states = try finalStates(count)
        let parts = self.parts
        try runRanges(context, count) { _, range in
            for part in parts {
                for (state, from) in zip(states, part.states) {
                    try state.merge(from, GroupMap(sources: list, range: range))
                }
            }
            if let partitions = sink.partitions { try merge(partitions, list, range, states) }
        }
        sink.partitions?.removeAll()
        let codes = try TableMemory(context, bytes: count * 8 + 64)
        defer { withExtendedLifetime(codes) {} }
        let target = codes.values(UInt64.self)
        try runRanges(context, count) { _, range in for i in range { target[i] = UInt64(list[i]) } }
        return MergedGroups(
            count: count, states: states, codes: UnsafePointer(target), words: nil,
            remaps: try denseRemaps(domain, list, count), owners: [codes, present.memory] + parts)
    }

    /// Groups of partitions, in ascending order: those of one partition follow each other.
    private func merge(
        _ partitions: DensePartitions, _ list: UnsafePointer<UInt32>, _ range: Range<Int>, _ states: [AggregateState]
    ) throws {
        try withUnsafeTemporaryAllocation(of: UInt32.self, capacity: range.count) { buffer in
            guard let local = buffer.baseAddress else { return }
            var start = range.lowerBound
            while start < range.upperBound {
                let index = Int(list[start]) >> partitions.shift, first = UInt32(index << partitions.shift)
                var end = start
                while end < range.upperBound && Int(list[end]) >> partitions.shift == index {
                    local[end - range.lowerBound] = list[end] &- first
                    end += 1
                }
                let map = GroupMap(sources: UnsafePointer(local) - range.lowerBound, range: start..<end)
                for (state, from) in zip(states, partitions.partitions[index].states) { try state.merge(from, map) }
                start = end
            }
        }
    }

    private func denseRemaps(_ domain: Int, _ list: UnsafePointer<UInt32>, _ count: Int) throws -> [TableMemory?] {
        guard sink.layout.hasDeferred else { return parts.map { _ in nil } }
        let remap = try TableMemory(context, bytes: (domain + 1) * 4, zeroed: true)
        defer { withExtendedLifetime(remap) {} }
        for i in 0..<count { remap.values(UInt32.self)[Int(list[i])] = UInt32(truncatingIfNeeded: i) }
        return parts.map { _ in remap }
    }

    /// Groups that have rows, ascending.
    private func presentGroups(_ domain: Int) throws -> (memory: TableMemory, count: Int) {
        let flags = try TableMemory(context, bytes: domain + 128, zeroed: false)
        defer { withExtendedLifetime(flags) {} }
        let mask = flags.values(UInt8.self)
        let parts = self.parts, presence = sink.layout.presence
        try runRanges(context, domain) { _, range in
            memset(mask + range.lowerBound, 0, range.count)
            for part in parts { markPresent(part.states[presence], range, mask) }
            sink.partitions?.forEach(in: range) { partition, first, range in
                let local = range.lowerBound - first..<range.upperBound - first
                markPresent(partition.states[presence], local, mask + first)
            }
        }
        return try numbers(of: mask, domain)
    }

    /// The groups whose byte is 1, all others being 0: counted range by range, so that each worker knows where its
    /// groups go.
    private func numbers(of mask: UnsafePointer<UInt8>, _ domain: Int) throws -> (memory: TableMemory, count: Int) {
        let grain = 65_536, pieces = (domain + grain - 1) / grain
        let places = try TableMemory(context, bytes: (pieces + 1) * 8 + 64)
        defer { withExtendedLifetime(places) {} }
        let starts = places.values(Int.self)
        starts[0] = 0
        try runRanges(context, domain, grain: grain) { _, range in
            var count = 0
            for group in range { count &+= Int(mask[group]) }
            starts[range.lowerBound / grain + 1] = count
        }
        for piece in 0..<pieces { starts[piece + 1] += starts[piece] }
        let count = starts[pieces]
        let memory = try TableMemory(context, bytes: (count + 16) * 4)
        defer { withExtendedLifetime(memory) {} }
        let list = memory.values(UInt32.self)
        try runRanges(context, domain, grain: grain) { _, range in
            var place = starts[range.lowerBound / grain]
            // Mostly empty domains: eight groups at a time.
            for group in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                var word = UnsafeRawPointer(mask + group).loadUnaligned(as: UInt64.self)
                if range.upperBound - group < 8 { word &= 1 << UInt64((range.upperBound - group) * 8) - 1 }
                while word != 0 {
                    list[place] = UInt32(truncatingIfNeeded: group + word.trailingZeroBitCount >> 3)
                    place &+= 1
                    word &= word &- 1
                }
            }
        }
        return (memory, count)
    }

    private func markPresent(_ state: AggregateState, _ range: Range<Int>, _ mask: UnsafeMutablePointer<UInt8>) {
        switch state.width {
        case 1: mark(state.values(UInt8.self), range, mask)
        case 4: mark(state.values(Int32.self), range, mask)
        case 8: mark(state.values(Int64.self), range, mask)
        default: mark(state.values(Int128.self), range, mask)
        }
    }
    @inline(__always)
    private func mark<Value: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, _ range: Range<Int>, _ mask: UnsafeMutablePointer<UInt8>
    ) {
        for group in range { mask[group] |= b2u(values[group] != 0) }
    }

    // MARK: Hashed

    /// One part's groups, ordered by partition.
    private struct Ordered {
        var order: TableMemory
        var targets: TableMemory
        var starts: [Int]
    }

    private func mergeHashed() throws -> MergedGroups {
        let parts = self.parts
        if parts.count <= 1 { return try takeOnly(parts.first) }
        let total = parts.reduce(0) { $0 + $1.table.count }
        guard total < Int(UInt32.max) else { throw tooManyGroups() }
        let partitionBits = total < 16_384 ? 0 : total < 1 << 20 ? 6 : 8
        let partitions = 1 << partitionBits
        let ordered = try order(parts, partitionBits)
        var tables: [GroupTableState?] = Array(repeating: nil, count: partitions)
        try tables.withUnsafeMutableBufferPointer { slots in
            nonisolated(unsafe) let slots = slots
            try runRanges(context, partitions, grain: 1) { _, range in
                for partition in range { slots[partition] = try assign(partition, parts, ordered) }
            }
        }
        var bases = [0]
        for table in tables { bases.append(bases[bases.count - 1] + (table?.count ?? 0)) }
        let count = bases[partitions]
        let states = try finalStates(count)
        let width = keys.wideLayout?.words ?? 1
        let keyMemory = try TableMemory(context, bytes: (count + 8) * width * 8)
        defer { withExtendedLifetime(keyMemory) {} }
        let merged = tables, starts = bases
        try runRanges(context, partitions, grain: 1) { _, range in
            for partition in range {
                let base = starts[partition]
                if let table = merged[partition] {
                    copyKeys(table, keyMemory.values(UInt64.self) + base * width, width)
                }
                for (part, list) in zip(parts, ordered) {
                    try merge(part, list, partition, base, states)
                }
            }
        }
        let remaps = try hashedRemaps(parts, ordered)
        let isWide = keys.wideLayout != nil
        let first = UnsafePointer(keyMemory.values(UInt64.self))
        return MergedGroups(
            count: count, states: states, codes: isWide ? nil : first, words: isWide ? first : nil, remaps: remaps,
            owners: [keyMemory] + parts)
    }

    /// One worker had all rows: its groups are the result.
    private func takeOnly(_ part: AggregateSink.Part?) throws -> MergedGroups {
        guard let part else {
            return MergedGroups(
                count: 0, states: try finalStates(0), codes: nil, words: nil, remaps: [], owners: [])
        }
        let count = part.table.count
        var remap: TableMemory?
        if sink.layout.hasDeferred {
            let identity = try TableMemory(context, bytes: count * 4 + 64)
            defer { withExtendedLifetime(identity) {} }
            for group in 0..<count { identity.values(UInt32.self)[group] = UInt32(truncatingIfNeeded: group) }
            remap = identity
        }
        return MergedGroups(
            count: count, states: part.states, codes: part.table.packed.map { UnsafePointer($0.keys) },
            words: part.table.wide.map { UnsafePointer($0.rows) }, remaps: [remap], owners: [part])
    }

    /// Counting sort of each part's groups by the top bits of their hashes.
    private func order(_ parts: [AggregateSink.Part], _ bits: Int) throws -> [Ordered] {
        let partitions = 1 << bits
        var ordered = try parts.map {
            Ordered(
                order: try TableMemory(context, bytes: $0.table.count * 4 + 64),
                targets: try TableMemory(context, bytes: $0.table.count * 4 + 64),
                starts: Array(repeating: 0, count: partitions + 1))
        }
        try ordered.withUnsafeMutableBufferPointer { lists in
            nonisolated(unsafe) let lists = lists
            try runRanges(context, parts.count, grain: 1) { _, range in
                for index in range { sort(parts[index].table, bits, &lists[index]) }
            }
        }
        return ordered
    }

    private func sort(_ table: GroupTableState, _ bits: Int, _ list: inout Ordered) {
        let count = table.count, partitions = 1 << bits
        let order = list.order.values(UInt32.self)
        var starts = [Int](repeating: 0, count: partitions + 1)
        @inline(__always) func partition(_ group: Int) -> Int {
            if bits == 0 { return 0 }
            if let packed = table.packed {
                return Int(PackedGroupTable.hash(packed.keys[group]) &>> UInt64(64 &- bits))
            }
            return table.wide.map { Int($0.hashes[group] &>> UInt64(64 &- bits)) } ?? 0
        }
        for group in 0..<count { starts[partition(group) + 1] += 1 }
        for index in 0..<partitions { starts[index + 1] += starts[index] }
        list.starts = starts
        for group in 0..<count {
            let index = partition(group)
            order[starts[index]] = UInt32(truncatingIfNeeded: group)
            starts[index] += 1
        }
    }

    /// Numbers the groups of a partition over all parts.
    private func assign(_ partition: Int, _ parts: [AggregateSink.Part], _ ordered: [Ordered]) throws
        -> GroupTableState
    {
        let total = ordered.reduce(0) { $0 + $1.starts[partition + 1] - $1.starts[partition] }
        let merged = try GroupTableState(keys, context, expected: total)
        defer { merged.freeze() }
        for (part, list) in zip(parts, ordered) {
            let low = list.starts[partition], high = list.starts[partition + 1]
            let order = list.order.values(UInt32.self) + low, targets = list.targets.values(UInt32.self) + low
            try merged.take(part.table, order, high - low, targets)
        }
        return merged
    }

    private func copyKeys(_ table: GroupTableState, _ target: UnsafeMutablePointer<UInt64>, _ width: Int) {
        if let packed = table.packed { target.update(from: packed.keys, count: packed.count) }
        if let wide = table.wide { target.update(from: wide.rows, count: wide.count * width) }
    }

    private func merge(
        _ part: AggregateSink.Part, _ list: Ordered, _ partition: Int, _ base: Int, _ states: [AggregateState]
    ) throws {
        let low = list.starts[partition], high = list.starts[partition + 1]
        let order = list.order.values(UInt32.self), targets = list.targets.values(UInt32.self)
        for i in low..<high { targets[i] &+= UInt32(truncatingIfNeeded: base) }
        for (state, from) in zip(states, part.states) {
            try state.merge(
                from,
                GroupMap(sources: UnsafePointer(order), targets: UnsafePointer(targets), range: low..<high))
        }
    }

    private func hashedRemaps(_ parts: [AggregateSink.Part], _ ordered: [Ordered]) throws -> [TableMemory?] {
        guard sink.layout.hasDeferred else { return parts.map { _ in nil } }
        return try zip(parts, ordered).map { part, list in
            let remap = try TableMemory(context, bytes: part.table.count * 4 + 64)
            defer { withExtendedLifetime(remap) {} }
            let from = list.order.values(UInt32.self), to = list.targets.values(UInt32.self)
            let target = remap.values(UInt32.self)
            for i in 0..<part.table.count { target[Int(from[i])] = to[i] }
            return remap
        }
    }
}

extension GroupTableState {
    /// Takes groups of another table in; their strings are not copied.
    func take(
        _ other: GroupTableState, _ order: UnsafePointer<UInt32>, _ count: Int, _ targets: UnsafeMutablePointer<UInt32>
    ) throws {
        let step = 1024
        let words = (keys.wideLayout?.words ?? 0) + 1
        try withUnsafeTemporaryAllocation(of: UInt64.self, capacity: step * words) { buffer in
            guard let scratch = buffer.baseAddress else { return }
            var done = 0
            while done < count {
                let rows = min(step, count - done)
                if let packed, let from = other.packed {
                    let codes = from.keys
                    for i in 0..<rows { scratch[i] = codes[Int(order[done &+ i])] }
                    try packed.assign(scratch, rows, targets + done)
                } else if let wide, let from = other.wide {
                    let width = wide.layout.words, hashes = scratch + step * width
                    for i in 0..<rows {
                        let group = Int(order[done &+ i])
                        hashes[i] = from.hashes[group]
                        (scratch + i &* width).update(from: from.rows + group &* width, count: width)
                    }
                    try wide.assign(rows: scratch, hashes: hashes, rows, targets + done, copying: false)
                }
                done += rows
            }
        }
    }
}
