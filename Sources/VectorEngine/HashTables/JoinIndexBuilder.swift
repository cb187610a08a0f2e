import ColumnStore
import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes
import Synchronization

/// Chooses the form of a ``JoinIndex`` by the exact facts of the build side, and fills it on all workers.
struct JoinIndexBuilder {
    struct Parts {
        var form: JoinIndex.Form
        var rowCount: Int
        var table: TableMemory
        /// Where keys repeat: the rows of each key side by side, see ``JoinIndex/matches``.
        var matches: TableMemory?
        var wideRows: TableMemory
        /// Wide keys that repeat: the place in `matches` + 1 by the first row of the key.
        var places: TableMemory?
        var mask = 0
        var packed: PackedKeyEncoder?
        var wide: WideKeyEncoder?
    }
    let context: ExecutionContext
    /// Keeps the strings of the keys alive.
    let owner: AnyObject
    let rowCount: Int
    /// Key columns of the build side.
    let columns: [RowSet.Column]
    /// Exact bounds of the non-NULL integer keys.
    let bounds: [KeyBounds?]
    let probeKeys: [Register]
    let nullsEqual: [Bool]
    /// Which rows match is asked for, not only whether one does.
    let needsMatches: Bool
    /// Packed codes are below this, so that a code for "no match" is left.
    private static let packedLimit: UInt64 = 1 << 62

    func build() throws -> JoinIndex { index(of: try makeParts()) }

    func index(of parts: Parts) -> JoinIndex {
        JoinIndex(parts, owner: owner, probeKeys: probeKeys, context: context)
    }

    /// Neither side's keys are texts or codes of texts.
    var isOfIntegers: Bool {
        columns.allSatisfy { $0.form.isInteger && $0.form.dictionary == nil }
            && probeKeys.allSatisfy { $0.isInteger && $0.dictionary == nil }
    }

    func makeParts() throws -> Parts {
        guard rowCount < Int(Int32.max) else {
            throw SQLError(
                .limitExceeded, "too many rows on the inner side of a join",
                detail: "A join can hold at most 2147483646 inner rows.")
        }
        return try (context.takes(.packedKeys) ? packedLayout() : nil).map(buildPacked) ?? buildWide()
    }

    // MARK: Packed codes

    private struct PackedSides {
        var layout: PackedKeyLayout
        var build: PackedKeyEncoder
        var probe: PackedKeyEncoder
    }

    /// nil when a key is no integer on both sides, or the ranges are too large together.
    private func packedLayout() -> PackedSides? {
        var ranges: [(lower: Int128, upper: Int128, hasNullCode: Bool)] = []
        var buildRemaps: [[Int32]?] = []
        var probeRemaps: [[Int32]?] = []
        for (index, column) in columns.enumerated() {
            let probe = probeKeys[index]
            if let dictionary = column.form.dictionary, let other = probe.dictionary {
                let trimming = column.form.trailingBlanks || probe.trailingBlanks
                ranges.append((0, Int128(max(dictionary.count, 1) - 1), nullsEqual[index]))
                buildRemaps.append(dictionary.canonicalCodes(trimming: trimming))
                if other === dictionary {
                    probeRemaps.append(dictionary.canonicalCodes(trimming: trimming))
                } else {
                    probeRemaps.append(other.codes(in: dictionary, trimming: trimming))
                }
            } else if column.form.isInteger && probe.isInteger, let bound = bounds[index] {
                ranges.append((bound.lower, bound.upper, nullsEqual[index]))
                buildRemaps.append(nil)
                probeRemaps.append(nil)
            } else {
                return nil
            }
        }
        guard let layout = PackedKeyLayout(ranges, limit: JoinIndexBuilder.packedLimit) else { return nil }
        return PackedSides(
            layout: layout, build: PackedKeyEncoder(layout, columns.map(\.form.physical), remaps: buildRemaps),
            probe: PackedKeyEncoder(layout, probeKeys.map(\.physical), remaps: probeRemaps))
    }

    private func buildPacked(_ sides: PackedSides) throws -> Parts {
        let codes = try TableMemory(context, bytes: rowCount * 8 + 64)
        defer { withExtendedLifetime(codes) {} }
        let target = codes.values(UInt64.self)
        try runRanges(context, rowCount) { _, range in
            sides.build.encodeChecked(vectors(range.lowerBound), range.count, target + range.lowerBound)
        }
        let domain = sides.layout.domain
        var fits = domain <= UInt64(max(rowCount * 16, 65_536)) && context.takes(.denseJoins)
        if fits && needsMatches && domain * JoinIndexBuilder.rowsForLists <= UInt64(rowCount) {
            let (table, matches) = try fillLists(target, domain)
            return Parts(
                form: directForm(sides.layout), rowCount: rowCount, table: table, matches: matches,
                wideRows: TableMemory(context), mask: 0, packed: sides.probe)
        }
        let next = try TableMemory(context, bytes: rowCount * 4 + 64)
        defer { withExtendedLifetime(next) {} }
        let table: TableMemory, mask: Int, unique: Bool
        do {
            (table, mask, unique) =
                fits
                ? try fillDirect(target, domain, next.values(Int32.self))
                : try fillHash(target, next.values(Int32.self))
        } catch {
            // A table over few keys of a wide range is smaller.
            guard fits, QueryExecutor.isRefusal(error) else { throw error }
            fits = false
            (table, mask, unique) = try fillHash(target, next.values(Int32.self))
        }
        let form = fits ? directForm(sides.layout) : .packedHash
        let matches =
            unique || !needsMatches
            ? nil : try gather(table, fits ? .numbers(Int(domain)) : .pairs(mask + 1), next.values(Int32.self))
        return Parts(
            form: form, rowCount: rowCount, table: table, matches: matches, wideRows: TableMemory(context), mask: mask,
            packed: sides.probe)
    }

    private func directForm(_ layout: PackedKeyLayout) -> JoinIndex.Form {
        if columns.count == 1, !nullsEqual[0], columns[0].form.dictionary == nil, probeKeys[0].physical != .int128 {
            return .direct(lower: layout.fields[0].lower, range: layout.domain)
        }
        return .packedDirect(domain: layout.domain)
    }

    private func vectors(_ row: Int) -> [KeyVector] {
        columns.map {
            KeyVector(
                data: UnsafeRawPointer($0.values + row * $0.form.physical.byteWidth),
                validity: $0.validity.map { UnsafePointer($0 + row) })
        }
    }

    /// How many parts the key space is cut into; each is filled by one worker.
    private var partitions: Int { rowCount < 65_536 ? 1 : context.pool.workers }

    private func fillDirect(
        _ codes: UnsafePointer<UInt64>, _ domain: UInt64, _ next: UnsafeMutablePointer<Int32>
    ) throws -> (TableMemory, Int, Bool) {
        let table = try TableMemory(context, bytes: Int(domain) * 4 + 64)
        defer { withExtendedLifetime(table) {} }
        let first = table.values(Int32.self)
        let parts = partitions, rows = rowCount
        let duplicates = UnsafeMutablePointer<Int>.allocate(capacity: parts)
        duplicates.initialize(repeating: 0, count: parts)
        defer { duplicates.deallocate() }
        first[Int(domain)] = 0
        let share = (Int(domain) + parts - 1) / parts
        try eachPartition(parts) { part in
            let low = min(part * share, Int(domain)), high = min(low + share, Int(domain))
            memset(first + low, 0, (high - low) * 4)
            duplicates[part] = scatter(codes, rows, UInt64(low), UInt64(high), first, next)
        }
        var total = 0
        for part in 0..<parts { total += duplicates[part] }
        return (table, 0, total == 0)
    }

    /// So many rows for each key of the domain are put into lists at once: chains of them would be walked row by row,
    /// each a miss of the cache.
    private static let rowsForLists: UInt64 = 4

    /// The table and the lists of ``gather(_:_:_:)``, by counting the rows of each key.
    private func fillLists(_ codes: UnsafePointer<UInt64>, _ domain: UInt64) throws -> (TableMemory, TableMemory) {
        let table = try TableMemory(context, bytes: Int(domain) * 4 + 64)
        defer { withExtendedLifetime(table) {} }
        let list = try TableMemory(context, bytes: rowCount * 4 + 64)
        defer { withExtendedLifetime(list) {} }
        let first = table.values(Int32.self), places = list.values(Int32.self)
        let parts = partitions, rows = rowCount
        let share = (Int(domain) + parts - 1) / parts
        let free = Atomic<Int>(0)
        first[Int(domain)] = 0
        try eachPartition(parts) { part in
            let low = min(part * share, Int(domain)), high = min(low + share, Int(domain))
            memset(first + low, 0, (high - low) * 4)
            let total = countCodes(codes, rows, UInt64(low), UInt64(high), first)
            let start = free.add(total, ordering: .relaxed).oldValue
            listCodes(codes, rows, UInt64(low), UInt64(high), first, places, start)
        }
        return (table, list)
    }

    private func eachPartition(_ parts: Int, _ body: (Int) -> Void) throws {
        if parts == 1 { return body(0) }
        try context.workers.runParts { worker in
            try context.cancellation.check()
            var part = worker
            while part < parts {
                body(part)
                part += context.pool.workers
            }
        }
    }

    private func fillHash(
        _ codes: UnsafePointer<UInt64>, _ next: UnsafeMutablePointer<Int32>
    ) throws -> (TableMemory, Int, Bool) {
        var size = 1024
        while size < rowCount * 2 { size <<= 1 }
        let table = try TableMemory(context, bytes: size * 16)
        defer { withExtendedLifetime(table) {} }
        let slots = table.values(SIMD2<UInt64>.self)
        let rows = rowCount
        var parts = 1
        while parts * 2 <= partitions { parts <<= 1 }
        let outcome = UnsafeMutablePointer<Int>.allocate(capacity: parts)
        defer { outcome.deallocate() }
        try eachPartition(parts) { part in
            memset(slots + part * (size / parts), 0, size / parts * 16)
            outcome[part] = insertPacked(codes, rows, slots, size, part, parts, next)
        }
        var duplicates = 0
        for part in 0..<parts {
            // Keys that crowd at the end of a partition run into the next one: then one thread fills the table.
            if outcome[part] < 0 {
                memset(slots, 0, size * 16)
                duplicates = insertPacked(codes, rows, slots, size, 0, 1, next)
                break
            }
            duplicates += outcome[part]
        }
        return (table, size - 1, duplicates == 0)
    }

    // MARK: Wide keys

    private func buildWide() throws -> Parts {
        let forms = columns.map(\.form)
        let layout = WideKeyLayout([forms, probeKeys], nulls: nullsEqual.contains(true))
        let encoder = WideKeyEncoder(layout, forms)
        let width = layout.words
        let words = try TableMemory(context, bytes: (rowCount + 8) * width * 8)
        defer { withExtendedLifetime(words) {} }
        let hashes = try TableMemory(context, bytes: (rowCount + 8) * 8)
        defer { withExtendedLifetime(hashes) {} }
        let invalid = try TableMemory(context, bytes: rowCount + 64)
        defer { withExtendedLifetime(invalid) {} }
        let next = try TableMemory(context, bytes: rowCount * 4 + 64)
        defer { withExtendedLifetime(next) {} }
        let wordRows = words.values(UInt64.self), hashRows = hashes.values(UInt64.self)
        let bad = invalid.values(UInt8.self)
        try runRanges(context, rowCount, grain: 8192) { _, range in
            let start = range.lowerBound
            encoder.encode(
                vectors(start), range.count, rows: wordRows + start * width, hashes: hashRows + start)
            excludeNulls(range, bad)
        }
        var size = 1024
        while size < rowCount * 2 { size <<= 1 }
        let table = try TableMemory(context, bytes: size * 8, zeroed: true)
        defer { withExtendedLifetime(table) {} }
        let duplicates = insertWide(layout, wordRows, hashRows, bad, table.values(UInt64.self), size - 1, next)
        var parts = Parts(
            form: .wideHash, rowCount: rowCount, table: table, wideRows: words, mask: size - 1,
            wide: WideKeyEncoder(layout, probeKeys))
        // The table keeps the first row for comparing keys; its place in the list stands beside.
        if duplicates > 0 && needsMatches {
            let places = try TableMemory(context, bytes: rowCount * 4 + 64)
            defer { withExtendedLifetime(places) {} }
            parts.matches = try gather(
                table, .tagged(size, places.values(Int32.self)), next.values(Int32.self))
            parts.places = places
        }
        return parts
    }

    // MARK: Matches

    /// Where the heads of chains stand in the finished table.
    private enum Heads {
        /// Row + 1.
        case numbers(Int)
        /// Row + 1 beside the key.
        case pairs(Int)
        /// Row + 1 in the lower half; places are noted by row.
        case tagged(Int, UnsafeMutablePointer<Int32>)
        var count: Int {
            switch self {
            case .numbers(let count), .pairs(let count), .tagged(let count, _): count
            }
        }
    }

    /// Turns chains into lists, so that walking a key's rows does not miss the cache for each of them. Heads become
    /// places in the list + 1.
    private func gather(_ table: TableMemory, _ heads: Heads, _ next: UnsafePointer<Int32>) throws -> TableMemory {
        let list = try TableMemory(context, bytes: rowCount * 4 + 64)
        defer { withExtendedLifetime(list) {} }
        let rows = list.values(Int32.self)
        let free = Atomic<Int>(0)
        try runRanges(context, heads.count, grain: 16_384) { _, range in
            // One step to measure, one to write: only then is it known where this range's rows go.
            var total = 0
            forEachHead(table, heads, range) { head in
                var row = head
                while row != 0 {
                    total &+= 1
                    row = next[Int(row) &- 1]
                }
                return nil
            }
            var place = free.add(total, ordering: .relaxed).oldValue
            forEachHead(table, heads, range) { head in
                let start = Int32(truncatingIfNeeded: place &+ 1)
                var row = head
                while row != 0 {
                    rows[place] = row &- 1
                    place &+= 1
                    row = next[Int(row) &- 1]
                }
                rows[place &- 1] = ~rows[place &- 1]
                return start
            }
        }
        return list
    }

    /// Calls `body` with every head, and replaces it when there is a result.
    @inline(__always)
    private func forEachHead(
        _ table: TableMemory, _ heads: Heads, _ range: Range<Int>, _ body: (_ head: Int32) -> Int32?
    ) {
        switch heads {
        case .numbers:
            let first = table.values(Int32.self)
            for slot in range where first[slot] != 0 {
                if let place = body(first[slot]) { first[slot] = place }
            }
        case .pairs:
            let slots = table.values(SIMD2<UInt64>.self)
            for slot in range where slots[slot].y != 0 {
                if let place = body(Int32(truncatingIfNeeded: slots[slot].y)) { slots[slot].y = UInt64(place) }
            }
        case .tagged(_, let places):
            let slots = table.values(UInt64.self)
            for slot in range where slots[slot] != 0 {
                let head = Int32(truncatingIfNeeded: slots[slot] & 0xffff_ffff)
                if let place = body(head) { places[Int(head) &- 1] = place }
            }
        }
    }

    /// Rows with a NULL in a key that NULL does not equal are not in the table.
    private func excludeNulls(_ range: Range<Int>, _ bad: UnsafeMutablePointer<UInt8>) {
        memset(bad + range.lowerBound, 0, range.count)
        for (index, column) in columns.enumerated() where !nullsEqual[index] {
            guard let validity = column.validity else { continue }
            for row in range { bad[row] |= 1 &- validity[row] }
        }
    }

    private func insertWide(
        _ layout: WideKeyLayout, _ words: UnsafePointer<UInt64>, _ hashes: UnsafePointer<UInt64>,
        _ bad: UnsafePointer<UInt8>, _ slots: UnsafeMutablePointer<UInt64>, _ mask: Int, _ nextMemory: TableMemory
    ) -> Int {
        let next = nextMemory.values(Int32.self), width = layout.words
        var duplicates = 0
        var row = rowCount
        while row > 0 {
            row &-= 1
            next[row] = 0
            if bad[row] != 0 { continue }
            let hash = hashes[row]
            var place = Int(truncatingIfNeeded: hash) & mask
            while slots[place] != 0 {
                let other = Int(slots[place] & 0xffff_ffff) &- 1
                if slots[place] &>> 32 == hash &>> 32, layout.equal(words + other &* width, words + row &* width) {
                    next[row] = Int32(truncatingIfNeeded: other &+ 1)
                    duplicates &+= 1
                    break
                }
                place = (place &+ 1) & mask
            }
            slots[place] = (hash & 0xffff_ffff_0000_0000) | UInt64(row &+ 1)
        }
        return duplicates
    }
}

/// Chains the rows whose codes are in low ..< high, from the last to the first so that chains ascend.
private func scatter(
    _ codes: UnsafePointer<UInt64>, _ rows: Int, _ low: UInt64, _ high: UInt64, _ first: UnsafeMutablePointer<Int32>,
    _ next: UnsafeMutablePointer<Int32>
) -> Int {
    var duplicates = 0
    var row = rows
    while row > 0 {
        row &-= 1
        let code = codes[row]
        if code < low || code >= high {
            if code == UInt64.max && low == 0 { next[row] = 0 }
            continue
        }
        let place = Int(code)
        let before = first[place]
        next[row] = before
        first[place] = Int32(truncatingIfNeeded: row &+ 1)
        duplicates &+= b2i(before != 0)
    }
    return duplicates
}

/// How many rows each code of the range has, and all of them together.
private func countCodes(
    _ codes: UnsafePointer<UInt64>, _ rows: Int, _ low: UInt64, _ high: UInt64, _ counts: UnsafeMutablePointer<Int32>
) -> Int {
    var total = 0
    for row in 0..<rows {
        let code = codes[row]
        if code < low || code >= high { continue }
        counts[Int(code)] &+= 1
        total &+= 1
    }
    return total
}

/// Lists the rows of each code of the range from `start` on, the last one of a code inverted. Counts become the lists'
/// beginnings + 1, 0 where there are no rows.
private func listCodes(
    _ codes: UnsafePointer<UInt64>, _ rows: Int, _ low: UInt64, _ high: UInt64, _ counts: UnsafeMutablePointer<Int32>,
    _ list: UnsafeMutablePointer<Int32>, _ start: Int
) {
    var place = start
    for code in Int(low)..<Int(high) {
        let count = Int(counts[code])
        counts[code] = Int32(truncatingIfNeeded: place)
        place &+= count
    }
    for row in 0..<rows {
        let code = codes[row]
        if code < low || code >= high { continue }
        list[Int(counts[Int(code)])] = Int32(truncatingIfNeeded: row)
        counts[Int(code)] &+= 1
    }
    // Each code's place is behind its last row now, which is where the next one's list begins.
    var begin = start
    for code in Int(low)..<Int(high) {
        let end = Int(counts[code])
        counts[code] = end > begin ? Int32(truncatingIfNeeded: begin &+ 1) : 0
        if end > begin { list[end &- 1] = ~list[end &- 1] }
        begin = end
    }
}

/// Inserts the rows whose home slot lies in the partition; duplicates, or -1 when the partition's end was reached.
private func insertPacked(
    _ codes: UnsafePointer<UInt64>, _ rows: Int, _ slots: UnsafeMutablePointer<SIMD2<UInt64>>, _ size: Int, _ part: Int,
    _ parts: Int, _ next: UnsafeMutablePointer<Int32>
) -> Int {
    let mask = size &- 1, share = size / parts
    let low = part &* share, high = low &+ share
    var duplicates = 0
    var row = rows
    while row > 0 {
        row &-= 1
        let code = codes[row]
        if code == UInt64.max {
            if part == 0 { next[row] = 0 }
            continue
        }
        var place = Int(truncatingIfNeeded: PackedGroupTable.hash(code)) & mask
        if place < low || place >= high { continue }
        while slots[place].y != 0 && slots[place].x != code {
            place = (place &+ 1) & mask
            if parts > 1 && (place >= high || place < low) { return -1 }
        }
        let before = slots[place].y
        next[row] = Int32(truncatingIfNeeded: before)
        duplicates &+= b2i(before != 0)
        slots[place] = SIMD2(code, UInt64(row &+ 1))
    }
    return duplicates
}
