import ColumnVectors
import SQLTypes

/// The values at one rank and the next one, without sorting all of them: quickselect with the middle of three as pivot,
/// which gives up on hostile orders and sorts what is left.
struct RankSelection {
    /// - Parameter entries: rows of the column, none of them NULL.
    /// - Returns: the values at `rank` and `rank + 1` (or the last one), in ascending order; nil for strings.
    static func pair(
        _ column: ColumnBuffer, _ entries: UnsafeMutableBufferPointer<UInt32>, rank: Int
    ) -> (Datum, Datum)? {
        switch column.physical {
        case .uint8: return integers(column.values(as: UInt8.self), entries, rank)
        case .uint16: return integers(column.values(as: UInt16.self), entries, rank)
        case .int32: return integers(column.values(as: Int32.self), entries, rank)
        case .int64: return integers(column.values(as: Int64.self), entries, rank)
        case .int128: return integers(column.values(as: Int128.self), entries, rank)
        case .float64: return doubles(column.values(as: Double.self), entries, rank)
        case .string: return nil
        }
    }

    private static func integers<Value: FixedWidthInteger>(
        _ values: UnsafeMutablePointer<Value>, _ entries: UnsafeMutableBufferPointer<UInt32>, _ rank: Int
    ) -> (Datum, Datum) {
        let (low, high) = select(entries, rank) { values[Int($0)] }
        return (.integer(Int128(low)), .integer(Int128(high)))
    }

    /// Doubles by their ordered bits: NaN, the largest value, needs no case of its own.
    private static func doubles(
        _ values: UnsafeMutablePointer<Double>, _ entries: UnsafeMutableBufferPointer<UInt32>, _ rank: Int
    ) -> (Datum, Datum) {
        let (low, high) = select(entries, rank) { orderedBits(values[Int($0)]) }
        return (.double(value(ofBits: low)), .double(value(ofBits: high)))
    }
    private static func orderedBits(_ value: Double) -> Int64 {
        let bits = Int64(bitPattern: (value.isNaN ? Double.nan : value).bitPattern)
        return bits < 0 ? bits ^ Int64.max : bits
    }
    private static func value(ofBits bits: Int64) -> Double {
        Double(bitPattern: UInt64(bitPattern: bits < 0 ? bits ^ Int64.max : bits))
    }

    private static func select<Value: Comparable>(
        _ entries: UnsafeMutableBufferPointer<UInt32>, _ rank: Int, _ value: (UInt32) -> Value
    ) -> (Value, Value) {
        let count = entries.count
        // On the stack for small groups.
        return withUnsafeTemporaryAllocation(of: Value.self, capacity: count) { buffer in
            let keys = buffer.baseAddress.unsafelyUnwrapped
            for i in 0..<count { (keys + i).initialize(to: value(entries[i])) }
            place(keys, count, rank)
            var next = keys[min(rank + 1, count - 1)]
            // What stands behind the rank is not smaller, but not in order either.
            if rank + 1 < count { for i in rank + 1..<count where keys[i] < next { next = keys[i] } }
            return (keys[rank], next)
        }
    }

    /// Moves the value of the rank to its place, smaller ones before it.
    private static func place<Value: Comparable>(_ keys: UnsafeMutablePointer<Value>, _ count: Int, _ rank: Int) {
        var low = 0, high = count - 1
        var patience = 2 * (Int.bitWidth - count.leadingZeroBitCount)
        while high - low > 16 {
            if patience == 0 { break }
            patience -= 1
            let (left, right) = partition(keys, low, high)
            if rank <= left { high = left } else if rank >= right { low = right } else { return }
        }
        var rest = UnsafeMutableBufferPointer(start: keys + low, count: high - low + 1)
        rest.sort()
    }

    /// Hoare's partition: keys[low...left] <= pivot <= keys[right...high], what is between equals the pivot.
    private static func partition<Value: Comparable>(
        _ keys: UnsafeMutablePointer<Value>, _ low: Int, _ high: Int
    ) -> (Int, Int) {
        let a = keys[low], b = keys[low + (high - low) / 2], c = keys[high]
        let pivot = max(min(a, b), min(max(a, b), c))
        var left = low, right = high
        while left <= right {
            while keys[left] < pivot { left += 1 }
            while pivot < keys[right] { right -= 1 }
            if left <= right {
                let moved = keys[left]
                keys[left] = keys[right]
                keys[right] = moved
                left += 1
                right -= 1
            }
        }
        return (right, left)
    }
}
