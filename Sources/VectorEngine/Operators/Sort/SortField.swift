import ColumnVectors
import SQLTypes

/// How one sort key becomes bits whose unsigned order is the key's order. Bits are packed tight: an integer takes as
/// many as its bounds need, a string a prefix.
struct SortField {
    enum Kind {
        /// One value for all rows: no bits.
        case constant
        /// value - lower in one piece.
        case integer
        /// Bounds of 63 bits and more: two pieces for 128-bit values, one for the others.
        case wideInteger
        /// 128-bit values cut to the range of 64 bits: one piece that orders all but the very large.
        case saturated
        case double
        /// Pieces of eight bytes each, from byte `skip` on: all values share the bytes before it.
        case string(skip: Int, pieces: Int)
    }
    let kind: Kind
    let physical: PhysicalType
    let lower: Int128
    let upper: Int128
    let nullable: Bool
    let descending: Bool
    let nullsFirst: Bool
    let trims: Bool
    /// False: equal bits do not prove equal values.
    let exact: Bool

    /// Bits of each piece, the most significant piece first.
    var pieceBits: [Int] {
        let flag = nullable ? [1] : []
        switch kind {
        case .constant: return []
        case .integer: return [64 - codeLimit.leadingZeroBitCount]
        case .wideInteger: return flag + (physical == .int128 ? [64, 64] : [64])
        case .double, .saturated: return flag + [64]
        case .string(_, let pieces): return flag + Array(repeating: 64, count: pieces)
        }
    }

    /// The largest code of the integer kind.
    private var codeLimit: UInt64 { UInt64(truncatingIfNeeded: upper &- lower) &+ (nullable ? 1 : 0) }

    /// A field for a column whose facts are known. Not inlined: folding the 128-bit constants of a caller into it
    /// crashes the optimizer of Swift 6.3.1.
    @inline(never)
    init(
        form: Register, lower: Int128, upper: Int128, nullable: Bool, descending: Bool, nullsFirst: Bool,
        skip: Int = 0, longest: Int = Int.max, saturates: Bool = false
    ) {
        physical = form.physical
        self.lower = lower
        self.upper = upper
        self.nullable = nullable
        self.descending = descending
        self.nullsFirst = nullsFirst
        trims = form.trailingBlanks
        switch form.physical {
        case .float64:
            kind = .double
            exact = true
        case .string:
            let rest = max(longest - skip, 0)
            kind = .string(skip: skip, pieces: rest == 0 ? 0 : rest <= 8 ? 1 : 2)
            // Words end in zeros: of binary values, which may too, only the bytes themselves tell.
            exact = rest == 0 || rest <= 16 && !form.type.family.isBinaryString
        default:
            let (range, overflow) = upper.subtractingReportingOverflow(lower)
            let narrow = !overflow && range < Int128(Int64.max)
            if lower > upper || (range == 0 && !nullable && !overflow) {
                kind = lower > upper && nullable ? .integer : .constant
            } else {
                kind = narrow ? .integer : saturates && form.physical == .int128 ? .saturated : .wideInteger
            }
            exact = narrow || !saturates || form.physical != .int128
        }
    }

    /// One piece of rows `start ..< start + count`.
    func encode(
        piece: Int, _ data: UnsafeRawPointer, _ validity: UnsafePointer<UInt8>?, start: Int, count: Int,
        into out: UnsafeMutablePointer<UInt64>
    ) {
        switch kind {
        case .constant: break
        case .integer: encodeIntegers(data, validity, start, count, out)
        case .wideInteger, .saturated, .double, .string:
            if nullable && piece == 0 { return encodeFlags(validity, start, count, out) }
            let part = nullable ? piece - 1 : piece
            if validity != nil { for i in 0..<count { out[i] = 0 } }
            if case .string(let skip, _) = kind {
                let views = data.assumingMemoryBound(to: StringView.self) + start
                encodeStrings(views, validity.map { $0 + start }, count, skip + part * 8, trims, descending, out)
            } else if physical == .float64 {
                encodeDoubles(data.assumingMemoryBound(to: Double.self) + start, count, descending, out)
            } else if case .saturated = kind {
                let values = data.assumingMemoryBound(to: Int128.self) + start
                encodeSaturated(values, count, descending, out)
            } else {
                encodeWide(data, start, count, high: part == 0, out)
            }
            if let validity { for i in 0..<count { out[i] &= 0 &- UInt64(validity[start + i]) } }
        }
    }

    private func encodeFlags(
        _ validity: UnsafePointer<UInt8>?, _ start: Int, _ count: Int, _ out: UnsafeMutablePointer<UInt64>
    ) {
        let valid: UInt64 = nullsFirst ? 1 : 0
        guard let validity else {
            for i in 0..<count { out[i] = valid }
            return
        }
        let flip: UInt64 = nullsFirst ? 0 : 1
        for i in 0..<count { out[i] = UInt64(validity[start + i]) ^ flip }
    }

    private func encodeIntegers(
        _ data: UnsafeRawPointer, _ validity: UnsafePointer<UInt8>?, _ start: Int, _ count: Int,
        _ out: UnsafeMutablePointer<UInt64>
    ) {
        let shift: UInt64 = nullable && nullsFirst ? 1 : 0
        let base = UInt64(truncatingIfNeeded: descending ? upper : lower)
        switch physical {
        case .uint8: encodeCodes(data.assumingMemoryBound(to: UInt8.self) + start, count, base, descending, shift, out)
        case .uint16:
            encodeCodes(data.assumingMemoryBound(to: UInt16.self) + start, count, base, descending, shift, out)
        case .int32: encodeCodes(data.assumingMemoryBound(to: Int32.self) + start, count, base, descending, shift, out)
        case .int64: encodeCodes(data.assumingMemoryBound(to: Int64.self) + start, count, base, descending, shift, out)
        default: encodeCodes(data.assumingMemoryBound(to: Int128.self) + start, count, base, descending, shift, out)
        }
        guard let validity else { return }
        let null = nullsFirst ? 0 : codeLimit
        for i in 0..<count {
            let mask = 0 &- UInt64(validity[start + i])
            out[i] = (out[i] & mask) | (null & ~mask)
        }
    }

    private func encodeWide(
        _ data: UnsafeRawPointer, _ start: Int, _ count: Int, high: Bool, _ out: UnsafeMutablePointer<UInt64>
    ) {
        let flip: UInt64 = descending ? ~0 : 0
        if physical == .int128 {
            let values = data.assumingMemoryBound(to: Int128.self) + start
            for i in 0..<count {
                let biased = UInt128(bitPattern: values[i]) ^ (1 << 127)
                out[i] = UInt64(truncatingIfNeeded: high ? biased >> 64 : biased) ^ flip
            }
        } else {
            // Only 64-bit values have a range this wide otherwise.
            let values = data.assumingMemoryBound(to: Int64.self) + start
            for i in 0..<count { out[i] = UInt64(bitPattern: values[i]) ^ (1 << 63) ^ flip }
        }
    }
}

@inline(__always)
private func encodeCodes<Value: FixedWidthInteger>(
    _ values: UnsafePointer<Value>, _ count: Int, _ base: UInt64, _ descending: Bool, _ shift: UInt64,
    _ out: UnsafeMutablePointer<UInt64>
) {
    if descending {
        for i in 0..<count { out[i] = base &- UInt64(truncatingIfNeeded: values[i]) &+ shift }
    } else {
        for i in 0..<count { out[i] = UInt64(truncatingIfNeeded: values[i]) &- base &+ shift }
    }
}

private func encodeSaturated(
    _ values: UnsafePointer<Int128>, _ count: Int, _ descending: Bool, _ out: UnsafeMutablePointer<UInt64>
) {
    let flip: UInt64 = descending ? ~0 : 0
    for i in 0..<count {
        out[i] = UInt64(bitPattern: Int64(clamping: values[i])) ^ (1 << 63) ^ flip
    }
}

/// NaN sorts above all numbers; both zeros are one value.
private func encodeDoubles(
    _ values: UnsafePointer<Double>, _ count: Int, _ descending: Bool, _ out: UnsafeMutablePointer<UInt64>
) {
    let flip: UInt64 = descending ? ~0 : 0
    for i in 0..<count {
        let value = values[i]
        let bits = value.isNaN ? Double.nan.bitPattern : (value + 0.0).bitPattern
        let sign = 0 &- (bits &>> 63)
        out[i] = (bits ^ (sign | 1 &<< 63)) ^ flip
    }
}

private func encodeStrings(
    _ views: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ count: Int, _ skip: Int, _ trims: Bool,
    _ descending: Bool, _ out: UnsafeMutablePointer<UInt64>
) {
    let flip: UInt64 = descending ? ~0 : 0
    for i in 0..<count {
        if let validity, validity[i] == 0 { continue }
        let view = views[i]
        let length = trims ? view.trimmedCount : Int(view.count)
        out[i] = bigEndianPrefix(view.pointer + skip, length &- skip) ^ flip
    }
}

/// Up to eight bytes as a number whose order is the order of the strings.
@inline(__always)
func bigEndianPrefix(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> UInt64 {
    if count >= 8 { return UInt64(bigEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)) }
    var word: UInt64 = 0
    var index = 0
    while index < count {
        word |= UInt64(bytes[index]) &<< UInt64(56 &- 8 &* index)
        index &+= 1
    }
    return word
}
