import Glibc
import Platform

/// Least-significant-digit radix sorts; stable, so positions need no digit of their own.
enum RadixSort {
    private static let digitBits = 11

    /// Sorts words by the bits from `fromBit` on.
    static func sort(_ keys: UnsafeMutablePointer<UInt64>, _ count: Int, fromBit: Int, bits: Int) throws {
        if bits == 0 || count < 2 { return }
        let memory = try MemoryRegions.shared.take(bytes: count * 8)
        defer { MemoryRegions.shared.give(back: memory) }
        let passes = (bits + digitBits - 1) / digitBits
        let width = (bits + passes - 1) / passes
        var source = keys
        var target = memory.address.assumingMemoryBound(to: UInt64.self)
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << digitBits) { buffer in
            guard let starts = buffer.baseAddress else { return }
            for pass in 0..<passes {
                let shift = UInt64(fromBit + pass * width)
                if scatter(source, target, count, shift, UInt64(1 << width - 1), starts) { swap(&source, &target) }
            }
        }
        if source != keys { memcpy(keys, source, count * 8) }
    }

    private static func scatter(
        _ source: UnsafeMutablePointer<UInt64>, _ target: UnsafeMutablePointer<UInt64>, _ count: Int, _ shift: UInt64,
        _ mask: UInt64, _ starts: UnsafeMutablePointer<Int>
    ) -> Bool {
        starts.initialize(repeating: 0, count: Int(mask) + 1)
        for row in 0..<count { starts[Int(truncatingIfNeeded: source[row] &>> shift & mask)] &+= 1 }
        if !runningStarts(starts, Int(mask) + 1, count) { return false }
        for row in 0..<count {
            let digit = Int(truncatingIfNeeded: source[row] &>> shift & mask)
            target[starts[digit]] = source[row]
            starts[digit] &+= 1
        }
        return true
    }

    /// Sorts keys of up to 128 bits together with positions.
    static func sort(
        _ keys: UnsafeMutablePointer<UInt128>, _ positions: UnsafeMutablePointer<UInt32>, _ count: Int, bits: Int
    ) throws {
        if bits == 0 || count < 2 { return }
        let memory = try MemoryRegions.shared.take(bytes: count * 20)
        defer { MemoryRegions.shared.give(back: memory) }
        let passes = (bits + digitBits - 1) / digitBits
        let width = (bits + passes - 1) / passes
        var source = (keys, positions)
        var target = (
            memory.address.assumingMemoryBound(to: UInt128.self),
            (memory.address + count * 16).assumingMemoryBound(to: UInt32.self)
        )
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << digitBits) { buffer in
            guard let starts = buffer.baseAddress else { return }
            for pass in 0..<passes {
                let shift = UInt128(pass * width)
                if scatter(source, target, count, shift, Int(1 << width - 1), starts) { swap(&source, &target) }
            }
        }
        if source.0 != keys {
            memcpy(keys, source.0, count * 16)
            memcpy(positions, source.1, count * 4)
        }
    }

    private typealias Pairs = (UnsafeMutablePointer<UInt128>, UnsafeMutablePointer<UInt32>)

    private static func scatter(
        _ source: Pairs, _ target: Pairs, _ count: Int, _ shift: UInt128, _ mask: Int,
        _ starts: UnsafeMutablePointer<Int>
    ) -> Bool {
        starts.initialize(repeating: 0, count: mask + 1)
        for row in 0..<count { starts[Int(truncatingIfNeeded: source.0[row] &>> shift) & mask] &+= 1 }
        if !runningStarts(starts, mask + 1, count) { return false }
        for row in 0..<count {
            let digit = Int(truncatingIfNeeded: source.0[row] &>> shift) & mask
            let place = starts[digit]
            starts[digit] = place &+ 1
            target.0[place] = source.0[row]
            target.1[place] = source.1[row]
        }
        return true
    }

    /// Counts become first places; false when all keys share one digit and the pass can be left out.
    private static func runningStarts(_ starts: UnsafeMutablePointer<Int>, _ digits: Int, _ count: Int) -> Bool {
        var sum = 0
        for digit in 0..<digits {
            let rows = starts[digit]
            if rows == count { return false }
            starts[digit] = sum
            sum &+= rows
        }
        return true
    }
}
