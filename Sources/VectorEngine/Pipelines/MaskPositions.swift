import CIntrinsics
import Glibc

/// For every byte of mask bits, the positions of its set bits: 8 bytes an entry, and how many there are.
enum PositionTable {
    nonisolated(unsafe) static let entries: UnsafePointer<UInt8> = {  // immutable after initialization
        let table = UnsafeMutablePointer<UInt8>.allocate(capacity: 256 * 8)
        table.initialize(repeating: 0, count: 256 * 8)
        for byte in 0..<256 {
            var count = 0
            for bit in 0..<8 where byte & (1 << bit) != 0 {
                table[byte * 8 + count] = UInt8(bit)
                count += 1
            }
        }
        return UnsafePointer(table)
    }()
}

/// Writes the ascending positions of non-zero bytes: 8 rows a step, no branch on how many are set. `mask` must be
/// readable and writable for 64 bytes past `count` (they are cleared), `positions` writable for 8 entries past the
/// result.
func positionsOfSetBytes(_ mask: UnsafeMutablePointer<UInt8>, _ count: Int, _ positions: UnsafeMutablePointer<UInt16>)
    -> Int
{
    memset(mask + count, 0, 64)
    let table = PositionTable.entries
    var kept = 0
    var row = 0
    while row < count {
        var bits = rb_nonzero_mask64(mask + row)
        if bits == 0 {
            row &+= 64
            continue
        }
        for step in 0..<8 {
            let byte = Int(bits & 0xff)
            rb_store_positions8(positions + kept, table + byte &* 8, UInt16(truncatingIfNeeded: row &+ step &* 8))
            kept &+= byte.nonzeroBitCount
            bits &>>= 8
        }
        row &+= 64
    }
    return kept
}

/// The same for a mask that must not be written to; it is copied to scratch first.
func positionsOfSetBytes(
    _ mask: UnsafePointer<UInt8>, _ count: Int, _ scratch: UnsafeMutablePointer<UInt8>,
    _ positions: UnsafeMutablePointer<UInt16>
) -> Int {
    memcpy(scratch, mask, count)
    return positionsOfSetBytes(scratch, count, positions)
}

/// How many bytes are non-zero; `mask` has 64 readable and writable bytes past `count`, which are cleared.
func countSetBytes(_ mask: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
    memset(mask + count, 0, 64)
    var total = 0
    var row = 0
    while row < count {
        total &+= rb_nonzero_mask64(mask + row).nonzeroBitCount
        row &+= 64
    }
    return total
}
