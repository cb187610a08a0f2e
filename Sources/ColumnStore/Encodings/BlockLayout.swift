import Glibc
import SQLTypes

/// Where the arrays of a block lie in memory: the raw bytes as stored first, then what is unpacked from them, each
/// followed by padding.
struct BlockLayout {
    let bitmapOffset: Int
    let validityOffset: Int
    let offsetsOffset: Int
    let totalBytes: Int

    init(_ block: BlockDescriptor) {
        bitmapOffset = block.heapLength + block.rowCount * block.width
        validityOffset = BlockLayout.aligned(block.rawLength + StorageLimits.padding)
        let validity = block.nullCount > 0 ? block.rowCount + StorageLimits.padding : 0
        offsetsOffset = BlockLayout.aligned(validityOffset + validity)
        let offsets = block.form == .text ? (block.rowCount + 1) * 4 + StorageLimits.padding : 0
        totalBytes = BlockLayout.aligned(offsetsOffset + offsets)
    }

    private static func aligned(_ bytes: Int) -> Int { (bytes + 63) & ~63 }

    /// Makes a block of raw bytes at `memory`; nil when they contradict the descriptor.
    func materialize(_ block: BlockDescriptor, at memory: UnsafeMutableRawPointer, dictionaryCount: Int) -> Block? {
        memset(memory + block.rawLength, 0, min(StorageLimits.padding, totalBytes - block.rawLength))
        var validity: UnsafeMutablePointer<UInt8>?
        if block.nullCount > 0 {
            let target = (memory + validityOffset).assumingMemoryBound(to: UInt8.self)
            memset(target, 0, block.rowCount + StorageLimits.padding)
            // The bitmap may be overwritten by nothing: validity starts after it.
            if block.bitmapLength > 0 {
                let bits = UnsafePointer((memory + bitmapOffset).assumingMemoryBound(to: UInt8.self))
                let valid = unpackBits(bits, block.rowCount, target)
                if valid != block.rowCount - block.nullCount { return nil }
            }
            validity = target
        }
        var result = Block(
            form: block.form, hasTrailingBlanks: block.hasTrailingBlanks,
            width: block.form == .text ? 0 : Int32(truncatingIfNeeded: block.width),
            count: Int32(truncatingIfNeeded: block.rowCount), nullCount: Int32(truncatingIfNeeded: block.nullCount),
            data: UnsafeRawPointer(memory), base: block.base, minimum: block.minimum, maximum: block.maximum,
            validity: validity.map { UnsafePointer($0) })
        switch block.form {
        case .integer, .dictionary:
            guard codesAreInside(block, memory) else { return nil }
            if block.form == .dictionary && block.nullCount < block.rowCount && Int(block.maximum) >= dictionaryCount {
                return nil
            }
        case .text:
            let offsets = (memory + offsetsOffset).assumingMemoryBound(to: UInt32.self)
            guard sumLengths(block, memory + block.heapLength, offsets) else { return nil }
            result.heap = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
            result.offsets = UnsafePointer(offsets)
        case .wide, .float: break
        }
        return result
    }

    /// The bounds must be true: the engine sizes its tables by them.
    private func codesAreInside(_ block: BlockDescriptor, _ memory: UnsafeMutableRawPointer) -> Bool {
        let low = block.minimum &- block.base
        let high = block.maximum &- block.base
        switch block.width {
        case 1: return inside(memory.assumingMemoryBound(to: UInt8.self), block.rowCount, low, high)
        case 2: return inside(memory.assumingMemoryBound(to: UInt16.self), block.rowCount, low, high)
        case 4: return inside(memory.assumingMemoryBound(to: UInt32.self), block.rowCount, low, high)
        case 8: return inside(memory.assumingMemoryBound(to: Int64.self), block.rowCount, low, high)
        default: return true
        }
    }

    private func sumLengths(
        _ block: BlockDescriptor, _ lengths: UnsafeMutableRawPointer, _ offsets: UnsafeMutablePointer<UInt32>
    ) -> Bool {
        let total: UInt64
        switch block.width {
        case 1: total = runningSum(lengths.assumingMemoryBound(to: UInt8.self), block.rowCount, offsets)
        case 2: total = runningSum(lengths, UInt16.self, block.rowCount, offsets)
        default: total = runningSum(lengths, UInt32.self, block.rowCount, offsets)
        }
        return total == UInt64(block.heapLength)
    }
}

@inline(__always)
private func inside<Code: FixedWidthInteger>(
    _ codes: UnsafePointer<Code>, _ count: Int, _ low: Int64, _ high: Int64
) -> Bool {
    if count == 0 { return true }
    var least = codes[0]
    var most = codes[0]
    for row in 0..<count {
        least = min(least, codes[row])
        most = max(most, codes[row])
    }
    return Int64(least) >= low && Int64(most) <= high
}

@inline(__always)
private func runningSum(
    _ lengths: UnsafePointer<UInt8>, _ count: Int, _ offsets: UnsafeMutablePointer<UInt32>
) -> UInt64 {
    var sum: UInt64 = 0
    for row in 0..<count {
        offsets[row] = UInt32(truncatingIfNeeded: sum)
        sum &+= UInt64(lengths[row])
    }
    offsets[count] = UInt32(truncatingIfNeeded: sum)
    return sum
}

/// Lengths behind a heap of any size are not aligned.
@inline(__always)
private func runningSum<Length: FixedWidthInteger>(
    _ lengths: UnsafeRawPointer, _ type: Length.Type, _ count: Int, _ offsets: UnsafeMutablePointer<UInt32>
) -> UInt64 {
    var sum: UInt64 = 0
    for row in 0..<count {
        offsets[row] = UInt32(truncatingIfNeeded: sum)
        sum &+= UInt64(lengths.loadUnaligned(fromByteOffset: row &* MemoryLayout<Length>.size, as: Length.self))
    }
    offsets[count] = UInt32(truncatingIfNeeded: sum)
    return sum
}

/// One byte a row from one bit a row; says how many are set.
func unpackBits(_ bits: UnsafePointer<UInt8>, _ count: Int, _ target: UnsafeMutablePointer<UInt8>) -> Int {
    var total = 0
    for row in 0..<count {
        let bit = (bits[row &>> 3] &>> UInt8(truncatingIfNeeded: row & 7)) & 1
        target[row] = bit
        total &+= Int(bit)
    }
    return total
}

func packBits(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ target: UnsafeMutablePointer<UInt8>) {
    memset(target, 0, (count + 7) / 8)
    for row in 0..<count { target[row &>> 3] |= (bytes[row] & 1) &<< UInt8(truncatingIfNeeded: row & 7) }
}
