import ColumnStore
import ColumnVectors
import SQLTypes

/// How a DISTINCT aggregate keeps its pairs of group and value, chosen by the exact bounds of both.
struct DistinctForm {
    enum Kind {
        /// A bit for every value of every group; bytes of a group.
        case bits(stride: Int)
        /// One number, `value << groupBits | group`.
        case codes
        /// Hash, group and bytes of the value.
        case records
    }
    let kind: Kind
    let groupBits: Int
    /// Workers number the groups alike.
    let sharesGroups: Bool
    /// The value of code 0.
    let lower: Int128
    private let encoder: PackedKeyEncoder?
    /// Codes count from `lower`; otherwise they are the value's 64 bits.
    var hasBounds: Bool { encoder != nil }
    /// Bytes of bits that any number of rows may have, and bytes of a group whose number is not known before.
    private static let smallBytes: UInt64 = 1 << 20, smallStride: UInt64 = 32

    init(_ spec: DistinctSpec, keys: GroupKeys, _ context: ExecutionContext) {
        let rows = UInt64(min(max(keys.rowBound, 1), Int(Int32.max)))
        let groups = keys.fixedGroups.map { UInt64($0) } ?? rows
        groupBits = DistinctForm.bits(groups)
        sharesGroups = keys.fixedGroups != nil
        let value = spec.argument
        var layout: PackedKeyLayout?
        if value.isInteger {
            layout = PackedKeyLayout([(value.lower, value.upper, false)], limit: .max)
        } else if let dictionary = value.dictionary {
            layout = PackedKeyLayout([(0, Int128(max(dictionary.count, 1) - 1), false)], limit: .max)
        }
        let remap = value.dictionary?.canonicalCodes(trimming: value.trailingBlanks)
        lower = layout.map { Int128($0.fields[0].lower) } ?? 0
        encoder = layout.map { PackedKeyEncoder($0, [value.physical], remaps: [remap]) }
        if !context.takes(.distinctCodes) {
            kind = .records
        } else if let layout {
            let stride = DistinctForm.stride(layout.domain)
            let isSmall =
                sharesGroups
                ? stride.multipliedReportingOverflow(by: groups).overflow == false
                    && stride * groups <= max(DistinctForm.smallBytes, min(rows, 256 << 20))
                : stride <= DistinctForm.smallStride
            let fits = DistinctForm.bits(layout.domain) + groupBits <= 64
            kind = isSmall ? .bits(stride: Int(stride)) : fits ? .codes : .records
        } else {
            // Without bounds a value takes all 64 bits.
            let isWord = value.physical == .int64 || value.physical == .float64
            kind = isWord && groupBits == 0 ? .codes : .records
        }
    }

    /// Bits of the numbers below `count`.
    private static func bits(_ count: UInt64) -> Int { count <= 1 ? 0 : 64 - (count - 1).leadingZeroBitCount }

    /// Bytes of a group: 1, 2, 4 or whole words.
    private static func stride(_ domain: UInt64) -> UInt64 {
        if domain <= 8 { return 1 }
        if domain <= 16 { return 2 }
        return domain <= 32 ? 4 : (domain / 64 + (domain % 64 == 0 ? 0 : 1)) * 8
    }

    /// Values as numbers from 0, for bits and codes. Rows without a value get any number.
    func encode(_ vector: KeyVector, _ physical: PhysicalType, _ count: Int, _ codes: UnsafeMutablePointer<UInt64>) {
        if let encoder { return encoder.encode([vector], count, codes) }
        let values = vector.data.assumingMemoryBound(to: UInt64.self)
        guard physical == .float64 else { return codes.update(from: values, count: count) }
        let doubles = vector.data.assumingMemoryBound(to: Double.self)
        for i in 0..<count { codes[i] = DistinctForm.bits(doubles[i]) }
    }

    /// Both zeros are one value, and all NaNs are.
    @inline(__always) static func bits(_ value: Double) -> UInt64 {
        value != value ? Double.nan.bitPattern : (value + 0.0).bitPattern
    }
}
