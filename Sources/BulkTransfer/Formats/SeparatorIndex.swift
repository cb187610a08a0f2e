import CIntrinsics

/// What was found in a window of text.
struct SeparatorCount {
    /// Positions stored.
    var separators = 0
    /// Line ends, those within quotes included.
    var newlines = 0
    /// Line ends that end a record.
    var records = 0
    /// Quotes stand where only byte-by-byte reading makes sense of them.
    var isIrregular = false
}

/// Stores the positions of all delimiters and line ends of `text[from ..< to]`, 64 bytes at a time.
func indexSeparators(
    _ text: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ delimiter: UInt8, _ out: UnsafeMutablePointer<UInt32>
) -> SeparatorCount {
    var count = 0
    var lines = 0
    var index = from
    while index < to {
        var mask = rb_equal2_mask64(text + index, delimiter, 10)
        var newlines = rb_equal2_mask64(text + index, 10, 10)
        if to &- index < 64 {
            let valid: UInt64 = (1 &<< UInt64(truncatingIfNeeded: to &- index)) &- 1
            mask &= valid
            newlines &= valid
        }
        lines &+= newlines.nonzeroBitCount
        count &+= storePositions(mask, UInt32(truncatingIfNeeded: index), out + count)
        index &+= 64
    }
    return SeparatorCount(separators: count, newlines: lines, records: lines)
}

/// The same for CSV: separators within quotes are left out.
func indexQuotedSeparators(
    _ text: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ delimiter: UInt8, _ quote: UInt8,
    _ out: UnsafeMutablePointer<UInt32>
) -> SeparatorCount {
    var found = SeparatorCount()
    var scan = QuoteScan(quote: quote, delimiter: delimiter)
    var index = from
    while index < to {
        let records = scan.step(text, index, to)
        found.records &+= records.nonzeroBitCount
        found.newlines &+= scan.newlines.nonzeroBitCount
        let target = out + found.separators
        found.separators &+= storePositions(scan.separators, UInt32(truncatingIfNeeded: index), target)
        index &+= 64
    }
    found.isIrregular = scan.irregular != 0
    return found
}

/// Writes the positions of the set bits, eight at a time: up to seven elements more than there are.
@inline(__always)
func storePositions(_ bits: UInt64, _ base: UInt32, _ out: UnsafeMutablePointer<UInt32>) -> Int {
    let count = bits.nonzeroBitCount
    var mask = bits
    var target = out
    var left = count
    while left > 0 {
        for slot in 0..<8 {
            target[slot] = base &+ UInt32(truncatingIfNeeded: mask.trailingZeroBitCount)
            mask &= mask &- 1
        }
        target += 8
        left &-= 8
    }
    return count
}

/// Line ends in a piece of text.
func countNewlines(_ text: UnsafePointer<UInt8>, _ from: Int, _ to: Int) -> Int {
    var lines = 0
    var index = from
    while index < to {
        var mask = rb_equal2_mask64(text + index, 10, 10)
        if to &- index < 64 { mask &= (1 &<< UInt64(truncatingIfNeeded: to &- index)) &- 1 }
        lines &+= mask.nonzeroBitCount
        index &+= 64
    }
    return lines
}

/// True when every record has exactly `perRow` separators, ends without a carriage return and, with a delimiter at its
/// end, has nothing after that one.
func isRegular(
    _ text: UnsafePointer<UInt8>, _ positions: UnsafePointer<UInt32>, rows: Int, perRow: Int, trailing: Bool
) -> Bool {
    var wrong: UInt32 = 0
    var last = perRow &- 1
    for _ in 0..<rows {
        let end = positions[last]
        wrong |= UInt32(text[Int(end)] ^ 10)
        wrong |= text[Int(end) &- 1] == 13 ? 1 : 0
        if trailing { wrong |= (end &- positions[last &- 1]) ^ 1 }
        last &+= perRow
    }
    return wrong == 0
}
