// Typed loops over one field of many records. Each writes a value per row and lists the rows that are not in the usual
// form (empty, NULL, blanks around, overlong, out of range, wrong); those are converted one by one afterwards.

/// Up to eight digits at once. `count` is 1 ... 8; eight bytes from `bytes` on must be readable. Bits of `bad` are set
/// for anything but digits.
@inline(__always)
func parseDigits(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ bad: inout UInt64) -> UInt64 {
    let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self) ^ 0x3030_3030_3030_3030
    return foldDigits(word &<< UInt64(truncatingIfNeeded: 64 &- count &* 8), &bad)
}

/// The number whose digits' values are the bytes of a word, the first digit lowest.
@inline(__always)
func foldDigits(_ digits: UInt64, _ bad: inout UInt64) -> UInt64 {
    bad |= ((digits &+ 0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080
    let pairs = (digits &* 10) &+ (digits &>> 8)
    let low = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let high = ((pairs &>> 16) & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return (low &+ high) &>> 32
}

@inline(__always)
private func signed(_ magnitude: UInt64, _ negative: Int) -> Int64 {
    let mask = 0 &- Int64(truncatingIfNeeded: negative)
    return (Int64(truncatingIfNeeded: magnitude) ^ mask) &- mask
}

@inline(__always)
private func isMinus(_ byte: UInt8) -> Int {
    Int(truncatingIfNeeded: unsafeBitCast(byte == 0x2D, to: UInt8.self))
}

/// Integers of up to 16 digits. Returns the number of odd rows.
@inline(__always)
private func integers<Out: FixedWidthInteger>(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ lowest: Int64, _ highest: Int64,
    _ out: UnsafeMutablePointer<Out>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int {
    var starts = slots.starts
    var ends = slots.ends
    let stride = slots.stride
    let bias = slots.bias
    var oddCount = 0
    for row in 0..<rows {
        var bytes = text + Int(starts.pointee &+ bias)
        var count = Int(ends.pointee) &- Int(starts.pointee &+ bias)
        starts += stride
        ends += stride
        let negative = isMinus(bytes[0])
        bytes += negative
        count &-= negative
        var bad: UInt64 = 0
        var magnitude: UInt64 = 0
        if UInt(bitPattern: count &- 1) < 8 {
            magnitude = parseDigits(bytes, count, &bad)
        } else if UInt(bitPattern: count &- 9) < 8 {
            magnitude =
                parseDigits(bytes, count &- 8, &bad) &* 100_000_000
                &+ parseDigits(bytes + (count &- 8), 8, &bad)
        } else {
            bad = 1
        }
        let value = signed(magnitude, negative)
        out[row] = Out(truncatingIfNeeded: value)
        if (bad != 0) || (value < lowest) || (value > highest) {
            odd[oddCount] = UInt32(truncatingIfNeeded: row)
            oddCount &+= 1
        }
    }
    return oddCount
}

func parseIntegers32(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ lowest: Int64, _ highest: Int64,
    _ out: UnsafeMutablePointer<Int32>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int { integers(text, slots, rows, lowest, highest, out, odd) }

func parseIntegers64(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ out: UnsafeMutablePointer<Int64>,
    _ odd: UnsafeMutablePointer<UInt32>
) -> Int { integers(text, slots, rows, .min, .max, out, odd) }

/// Decimals with exactly the column's 1 ... 8 places after the point, or without a point; up to 16 characters.
@inline(__always)
private func decimals<Out: FixedWidthInteger>(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ scale: Int, _ limit: UInt64,
    _ out: UnsafeMutablePointer<Out>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int {
    var starts = slots.starts
    var ends = slots.ends
    let stride = slots.stride
    let bias = slots.bias
    var power: UInt64 = 1
    for _ in 0..<scale { power &*= 10 }
    // The bytes of the fraction when the field's last byte is the highest of a word.
    let fraction = ~UInt64(0) &<< UInt64(truncatingIfNeeded: 64 &- scale &* 8)
    var oddCount = 0
    for row in 0..<rows {
        var bytes = text + Int(starts.pointee &+ bias)
        var count = Int(ends.pointee) &- Int(starts.pointee &+ bias)
        starts += stride
        ends += stride
        let negative = isMinus(bytes[0])
        bytes += negative
        count &-= negative
        var bad: UInt64 = 0
        var magnitude: UInt64 = 0
        if count > scale &+ 1 && bytes[count &- 1 &- scale] == 0x2E {
            if count <= 8 {
                // Squeeze the point out: the bytes before it move up by one.
                let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self) ^ 0x3030_3030_3030_3030
                let shifted = word &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)
                magnitude = foldDigits((shifted & fraction) | ((shifted &<< 8) & ~fraction), &bad)
            } else if count &- 1 &- scale <= 8 {
                magnitude =
                    parseDigits(bytes, count &- 1 &- scale, &bad) &* power
                    &+ parseDigits(bytes + (count &- scale), scale, &bad)
            } else {
                bad = 1
            }
        } else if UInt(bitPattern: count &- 1) < 8 {
            magnitude = parseDigits(bytes, count, &bad) &* power
        } else {
            bad = 1
        }
        out[row] = Out(truncatingIfNeeded: signed(magnitude, negative))
        if (bad != 0) || (magnitude >= limit) {
            odd[oddCount] = UInt32(truncatingIfNeeded: row)
            oddCount &+= 1
        }
    }
    return oddCount
}

func parseDecimals64(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ scale: Int, _ limit: UInt64,
    _ out: UnsafeMutablePointer<Int64>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int { decimals(text, slots, rows, scale, limit, out, odd) }

func parseDecimals128(
    _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ scale: Int, _ limit: UInt64,
    _ out: UnsafeMutablePointer<Int128>, _ odd: UnsafeMutablePointer<UInt32>
) -> Int { decimals(text, slots, rows, scale, limit, out, odd) }
