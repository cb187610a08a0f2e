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
        if workers == 1 {
            try sortPart(0, count)
        } else {
            try context.pool.runThrowing { worker in
                if worker < workers { try self.sortPart(borders[worker], borders[worker + 1]) }
            }
        }
        let sorted = workers == 1 ? entries : try mergeParts(borders)
        return Order(owner: entryMemory, entries: sorted, count: count)
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
            try context.pool.runThrowing { worker in
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
