import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// A block of the kept memory regions, given back when the last user lets go.
final class OwnedRegion {
    let region: Region
    private let bytes: Int
    private let grant: MemoryGrant

    init(bytes: Int, context: ExecutionContext) throws {
        let bytes = MemoryRegions.capacity(for: max(bytes, 64))
        try context.reserve(bytes)
        self.bytes = bytes
        grant = context.grant
        do {
            region = try MemoryRegions.shared.take(bytes: bytes)
        } catch let error as MemoryExhausted {
            context.grant.release(bytes)
            throw SQLError(error)
        }
    }
    deinit {
        MemoryRegions.shared.give(back: region)
        grant.release(bytes)
    }
    func pointer<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> {
        region.address.assumingMemoryBound(to: Value.self)
    }
}

/// Finds the order of a row set's rows: normalised keys, radix sort of each worker's part, parallel merging. Stable.
final class RowSorter: @unchecked Sendable {  // workers write to disjoint ranges
    private let rows: RowSet
    private let keys: [RowSortKey]
    private let context: ExecutionContext
    private let count: Int
    private let layout: SortKeyLayout
    private let comparator: RowComparator?
    private let words: [UnsafeMutablePointer<UInt64>]
    private let keyMemory: OwnedRegion
    private let entryMemory: OwnedRegion
    private let entries: SortEntries
    private let scratch: SortEntries
    /// Fewer rows are sorted by one worker.
    private static let parallelFrom = 8192

    init(_ rows: RowSet, keys: [RowSortKey], context: ExecutionContext) throws {
        self.rows = rows
        self.keys = keys
        self.context = context
        count = rows.count
        guard rows.count < Int(UInt32.max) else {
            throw SQLError(.featureNotSupported, "cannot sort more than 4294967294 rows in one step")
        }
        layout = SortKeyLayout(try SortKeyFacts(keys, count: rows.count, context: context).fields())
        comparator = layout.firstInexact.map { RowComparator(Array(keys[$0...])) }
        let padded = count + 16
        keyMemory = try OwnedRegion(bytes: layout.words * padded * 8, context: context)
        let base = keyMemory.pointer(UInt64.self)
        words = (0..<layout.words).map { base + $0 * padded }
        entryMemory = try OwnedRegion(bytes: 2 * padded * MemoryLayout<SortEntry>.stride, context: context)
        entries = entryMemory.pointer(SortEntry.self)
        scratch = entries + padded
    }

    /// Row numbers in order. `entries[i].row` is the row at place i.
    struct Order {
        fileprivate let owner: OwnedRegion
        let entries: SortEntries
        let count: Int
        @inline(__always) func row(_ place: Int) -> Int { Int(truncatingIfNeeded: entries[place].row) }
    }

    func order() throws -> Order {
        let workers = count < RowSorter.parallelFrom ? 1 : context.pool.workers
        let borders = (0...workers).map { count * $0 / workers }
        if count >= RowSorter.bucketsFrom {
            let facts = try encodeParts(borders)
            if facts.isSorted && words.count == 1 && comparator == nil {
                return Order(owner: entryMemory, entries: try unsorted(borders), count: count)
            }
            if try sortBuckets(borders, varying: facts.varying) {
                return Order(owner: entryMemory, entries: entries, count: count)
            }
        }
        let sorted = try sortParts(borders)
        return Order(owner: entryMemory, entries: sorted, count: count)
    }

    // MARK: Buckets

    /// Fewer rows are sorted in parts, which fit the caches anyway.
    private static let bucketsFrom = 65_536
    private static let bucketBits = 10

    private struct KeyFacts {
        /// Bits of the first word that are not the same in all rows.
        var varying: UInt64
        var isSorted: Bool
    }

    private func onWorkers(_ borders: [Int], _ body: @Sendable (_ part: Int) throws -> Void) throws {
        if borders.count == 2 { return try body(0) }
        try context.workers.runParts { worker in
            try self.context.cancellation.check()
            if worker < borders.count - 1 { try body(worker) }
        }
    }

    /// Encodes all keys and looks at their first words.
    private func encodeParts(_ borders: [Int]) throws -> KeyFacts {
        let parts = borders.count - 1
        let facts = UnsafeMutablePointer<(all: UInt64, any: UInt64, isSorted: Bool)>.allocate(capacity: parts)
        facts.initialize(repeating: (~0, 0, true), count: parts)
        defer { facts.deallocate() }
        nonisolated(unsafe) let found = facts
        try onWorkers(borders) { part in
            try self.encodePart(borders[part], borders[part + 1])
            let keys = self.words[0]
            var (all, any, isSorted) = (~UInt64(0), UInt64(0), true)
            var previous = keys[borders[part]]
            for row in borders[part]..<borders[part + 1] {
                let key = keys[row]
                all &= key
                any |= key
                isSorted = isSorted && key >= previous
                previous = key
            }
            found[part] = (all, any, isSorted)
        }
        var (all, any, isSorted) = (~UInt64(0), UInt64(0), true)
        for part in 0..<parts {
            all &= facts[part].all
            any |= facts[part].any
            isSorted = isSorted && facts[part].isSorted
            if part > 0 && words[0][borders[part]] < words[0][borders[part] - 1] { isSorted = false }
        }
        return KeyFacts(varying: all ^ any, isSorted: isSorted)
    }

    /// Entries in the rows' order.
    private func unsorted(_ borders: [Int]) throws -> SortEntries {
        nonisolated(unsafe) let (target, keys) = (entries, words[0])
        try onWorkers(borders) { part in
            for row in borders[part]..<borders[part + 1] {
                target[row] = SortEntry(key: keys[row], row: UInt64(truncatingIfNeeded: row))
            }
        }
        return entries
    }

    /// Deals the rows to buckets by the highest bits that vary, then sorts the buckets, each in the cache. False, and
    /// nothing done, when most rows would be in one bucket.
    private func sortBuckets(_ borders: [Int], varying: UInt64) throws -> Bool {
        let parts = borders.count - 1, buckets = 1 << RowSorter.bucketBits
        let shift = UInt64(max(64 - varying.leadingZeroBitCount - RowSorter.bucketBits, 0))
        let digits = UInt64(buckets - 1)
        let memory = try OwnedRegion(bytes: (parts * buckets + buckets + 1) * 8, context: context)
        defer { withExtendedLifetime(memory) {} }
        nonisolated(unsafe) let places = memory.pointer(Int.self)
        nonisolated(unsafe) let (keys, target) = (words[0], entries)
        places.update(repeating: 0, count: parts * buckets)
        try onWorkers(borders) { part in
            let counts = places + part * buckets
            for row in borders[part]..<borders[part + 1] { counts[Int((keys[row] &>> shift) & digits)] &+= 1 }
        }
        nonisolated(unsafe) let starts = places + parts * buckets
        var total = 0
        for bucket in 0..<buckets {
            starts[bucket] = total
            for part in 0..<parts {
                let rows = places[part * buckets + bucket]
                places[part * buckets + bucket] = total
                total += rows
            }
            if total - starts[bucket] > count / 2 && parts > 1 { return false }
        }
        starts[buckets] = total
        try onWorkers(borders) { part in
            let next = places + part * buckets
            for row in borders[part]..<borders[part + 1] {
                let key = keys[row]
                let bucket = Int((key &>> shift) & digits)
                target[next[bucket]] = SortEntry(key: key, row: UInt64(truncatingIfNeeded: row))
                next[bucket] &+= 1
            }
        }
        try runRanges(context, buckets, grain: 4) { _, range in
            for bucket in range where starts[bucket + 1] - starts[bucket] > 1 {
                try self.sortRun(starts[bucket], starts[bucket + 1] - starts[bucket], word: 0)
            }
        }
        return true
    }

    // MARK: Parts

    private func sortParts(_ borders: [Int]) throws -> SortEntries {
        try onWorkers(borders) { part in try self.sortPart(borders[part], borders[part + 1]) }
        return borders.count == 2 ? entries : try mergeParts(borders)
    }

    private func sortPart(_ start: Int, _ end: Int) throws {
        try encodePart(start, end)
        let first = words[0]
        for row in start..<end { entries[row] = SortEntry(key: first[row], row: UInt64(truncatingIfNeeded: row)) }
        try sortRun(start, end - start, word: 0)
    }

    private func encodePart(_ start: Int, _ end: Int) throws {
        let chunk = 2048
        let columns = keys.map {
            (data: UnsafeRawPointer($0.column.values), validity: $0.column.validity.map { UnsafePointer($0) })
        }
        for word in words { memset(word + start, 0, (end - start) * 8) }
        withUnsafeTemporaryAllocation(of: UInt64.self, capacity: chunk) { buffer in
            guard let scratch = buffer.baseAddress else { return }
            var at = start
            while at < end {
                let rows = min(chunk, end - at)
                layout.encode(columns, start: at, count: rows, scratch: scratch, out: words.map { $0 + at })
                at += rows
            }
        }
    }

    /// Sorts entries whose `key` holds the given word and whose earlier words are equal; leaves `key` as it was.
    private func sortRun(_ start: Int, _ length: Int, word: Int) throws {
        if length > 65_536 { try context.cancellation.check() }
        radixSortEntries(entries + start, scratch + start, length)
        if word + 1 >= words.count && comparator == nil { return }
        var first = start
        let end = start + length
        while first < end {
            let key = entries[first].key
            var last = first &+ 1
            while last < end && entries[last].key == key { last &+= 1 }
            if last - first > 1 { try sortTies(first, last - first, key: key, word: word + 1) }
            first = last
        }
    }

    private func sortTies(_ start: Int, _ length: Int, key: UInt64, word: Int) throws {
        if word < words.count {
            let values = words[word]
            for i in start..<start + length { entries[i].key = values[Int(truncatingIfNeeded: entries[i].row)] }
            try sortRun(start, length, word: word)
            for i in start..<start + length { entries[i].key = key }
        } else if let comparator {
            mergeSortEntries(entries + start, scratch + start, length) {
                comparator.compare(Int(truncatingIfNeeded: $0.row), Int(truncatingIfNeeded: $1.row)) < 0
            }
        }
    }

    // MARK: Merging

    private func isLess(_ left: SortEntry, _ right: SortEntry) -> Bool {
        if left.key != right.key { return left.key < right.key }
        let (first, second) = (Int(truncatingIfNeeded: left.row), Int(truncatingIfNeeded: right.row))
        for word in 1..<max(words.count, 1) {
            let (a, b) = (words[word][first], words[word][second])
            if a != b { return a < b }
        }
        guard let comparator else { return false }
        return comparator.compare(first, second) < 0
    }

    /// Pairs of neighbouring parts are merged until one is left; each merge is cut into equal shares for the workers.
    private func mergeParts(_ initial: [Int]) throws -> SortEntries {
        var borders = initial
        var from = entries
        var to = scratch
        let simple = words.count == 1 && comparator == nil
        while borders.count > 2 {
            var next = [0]
            var index = 0
            var pairs: [(start: Int, middle: Int, end: Int)] = []
            while index + 1 < borders.count {
                let end = borders[min(index + 2, borders.count - 1)]
                pairs.append((borders[index], borders[index + 1], end))
                next.append(end)
                index += 2
            }
            let (source, target, tasks) = (from, to, pairs)
            let workers = context.pool.workers
            try context.workers.runParts { worker in
                try self.context.cancellation.check()
                for pair in tasks { self.mergeShare(pair, worker, workers, source, target, simple) }
            }
            swap(&from, &to)
            borders = next
        }
        return from
    }

    private func mergeShare(
        _ pair: (start: Int, middle: Int, end: Int), _ worker: Int, _ workers: Int, _ source: SortEntries,
        _ target: SortEntries, _ simple: Bool
    ) {
        let left = source + pair.start
        let right = source + pair.middle
        let (leftCount, rightCount) = (pair.middle - pair.start, pair.end - pair.middle)
        let total = leftCount + rightCount
        let (first, last) = (total * worker / workers, total * (worker + 1) / workers)
        let begin = mergeSplit(left, leftCount, right, rightCount, first, isLess)
        let end = mergeSplit(left, leftCount, right, rightCount, last, isLess)
        let out = target + pair.start + first
        let (rightBegin, rightEnd) = (first - begin, last - end)
        if simple {
            mergeEntries(left + begin, end - begin, right + rightBegin, rightEnd - rightBegin, out) { $0.key < $1.key }
        } else {
            mergeEntries(left + begin, end - begin, right + rightBegin, rightEnd - rightBegin, out, isLess)
        }
    }
}
