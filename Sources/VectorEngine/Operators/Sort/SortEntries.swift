import Glibc

/// A row number with the key word that is being sorted by.
struct SortEntry {
    var key: UInt64
    var row: UInt64
}

typealias SortEntries = UnsafeMutablePointer<SortEntry>

/// Stable: insertion sort of short runs, then bottom-up merging. `less` is inlined.
@inline(__always)
func mergeSortEntries(
    _ entries: SortEntries, _ scratch: SortEntries, _ count: Int, _ less: (SortEntry, SortEntry) -> Bool
) {
    let run = 16
    var start = 0
    while start < count {
        let end = min(start &+ run, count)
        var index = start &+ 1
        while index < end {
            let entry = entries[index]
            var place = index
            while place > start && less(entry, entries[place &- 1]) {
                entries[place] = entries[place &- 1]
                place &-= 1
            }
            entries[place] = entry
            index &+= 1
        }
        start = end
    }
    var width = run
    var from = entries
    var to = scratch
    while width < count {
        var left = 0
        while left < count {
            let middle = min(left &+ width, count)
            let right = min(middle &+ width, count)
            mergeEntries(from + left, middle &- left, from + middle, right &- middle, to + left, less)
            left = right
        }
        swap(&from, &to)
        width &*= 2
    }
    if from != entries { memcpy(entries, from, count &* MemoryLayout<SortEntry>.stride) }
}

/// Merges two sorted runs; entries of the first go before equal ones of the second.
@inline(__always)
func mergeEntries(
    _ left: SortEntries, _ leftCount: Int, _ right: SortEntries, _ rightCount: Int, _ out: SortEntries,
    _ less: (SortEntry, SortEntry) -> Bool
) {
    var i = 0
    var j = 0
    var k = 0
    while i < leftCount && j < rightCount {
        if less(right[j], left[i]) {
            out[k] = right[j]
            j &+= 1
        } else {
            out[k] = left[i]
            i &+= 1
        }
        k &+= 1
    }
    let stride = MemoryLayout<SortEntry>.stride
    if i < leftCount { memcpy(out + k, left + i, (leftCount &- i) &* stride) }
    if j < rightCount { memcpy(out + k, right + j, (rightCount &- j) &* stride) }
}

/// How many of the first `diagonal` entries of the merge of two sorted runs come from the left one.
func mergeSplit(
    _ left: SortEntries, _ leftCount: Int, _ right: SortEntries, _ rightCount: Int, _ diagonal: Int,
    _ less: (SortEntry, SortEntry) -> Bool
) -> Int {
    var low = max(0, diagonal - rightCount)
    var high = min(diagonal, leftCount)
    while low < high {
        let taken = (low + high) / 2
        // The left run gives more while its next entry is not above the right run's last taken one.
        if less(right[diagonal - taken - 1], left[taken]) { high = taken } else { low = taken + 1 }
    }
    return low
}

/// Sorts by `key`, stable: least significant byte first, only over bytes that vary.
func radixSortEntries(_ entries: SortEntries, _ scratch: SortEntries, _ count: Int) {
    if count < 384 { return mergeSortEntries(entries, scratch, count) { $0.key < $1.key } }
    var all: UInt64 = ~0
    var any: UInt64 = 0
    var sorted = true
    var previous = entries[0].key
    for i in 0..<count {
        let key = entries[i].key
        all &= key
        any |= key
        if key < previous { sorted = false }
        previous = key
    }
    if sorted { return }
    let varying = all ^ any
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { counters in
        guard let counts = counters.baseAddress else { return }
        var from = entries
        var to = scratch
        var shift: UInt64 = 0
        while shift < 64 {
            if (varying &>> shift) & 0xff != 0 {
                radixPass(from, to, count, shift, counts)
                swap(&from, &to)
            }
            shift &+= 8
        }
        if from != entries { memcpy(entries, from, count &* MemoryLayout<SortEntry>.stride) }
    }
}

private func radixPass(
    _ from: SortEntries, _ to: SortEntries, _ count: Int, _ shift: UInt64, _ counts: UnsafeMutablePointer<Int>
) {
    counts.update(repeating: 0, count: 256)
    for i in 0..<count { counts[Int(truncatingIfNeeded: (from[i].key &>> shift) & 0xff)] &+= 1 }
    var total = 0
    for digit in 0..<256 {
        let these = counts[digit]
        counts[digit] = total
        total &+= these
    }
    for i in 0..<count {
        let entry = from[i]
        let digit = Int(truncatingIfNeeded: (entry.key &>> shift) & 0xff)
        to[counts[digit]] = entry
        counts[digit] &+= 1
    }
}
