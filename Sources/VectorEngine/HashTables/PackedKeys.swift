import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// Several integer-like keys as one number below ``domain``: code = sum of (value - lower) * stride. A NULL has its
/// own code (0, and values start at 1) where the field says so.
struct PackedKeyLayout {
    struct Field {
        var lower: Int64
        /// Different codes, the one for NULL included.
        var codes: UInt64
        var stride: UInt64 = 1
        var hasNullCode: Bool
        var range: UInt64 { hasNullCode ? codes - 1 : codes }
    }
    private(set) var fields: [Field] = []
    private(set) var domain: UInt64 = 1

    /// nil when the product of the ranges does not fit `limit`.
    init?(_ bounds: [(lower: Int128, upper: Int128, hasNullCode: Bool)], limit: UInt64) {
        for bound in bounds {
            let upper = max(bound.upper, bound.lower)
            guard bound.lower >= Int128(Int64.min), upper <= Int128(Int64.max) else { return nil }
            let codes = upper - bound.lower + (bound.hasNullCode ? 2 : 1)
            guard codes <= Int128(limit) else { return nil }
            let (product, overflow) = domain.multipliedReportingOverflow(by: UInt64(codes))
            guard !overflow, product <= limit else { return nil }
            fields.append(
                Field(
                    lower: Int64(bound.lower), codes: UInt64(codes), stride: domain, hasNullCode: bound.hasNullCode))
            domain = product
        }
    }
}

/// Where the values of a key stand for a run of rows.
struct KeyVector {
    var data: UnsafeRawPointer
    var validity: UnsafePointer<UInt8>?
}

/// Turns key columns of one side (a batch, a row set) into packed codes.
final class PackedKeyEncoder {
    private let layout: PackedKeyLayout
    private let physicals: [PhysicalType]
    /// Dictionary codes of this side -> field values; entries without a counterpart are below 0.
    private let remaps: [[Int32]?]
    static let invalid = UInt64.max

    init(_ layout: PackedKeyLayout, _ physicals: [PhysicalType], remaps: [[Int32]?]) {
        self.layout = layout
        self.physicals = physicals
        self.remaps = remaps
    }

    /// Codes of values that are proved to be in the fields' bounds. NULLs take the field's code for NULL.
    func encode<Code: FixedWidthInteger & UnsignedInteger>(
        _ vectors: [KeyVector], _ count: Int, _ codes: UnsafeMutablePointer<Code>
    ) {
        if layout.fields.isEmpty { codes.update(repeating: 0, count: count) }
        for (index, field) in layout.fields.enumerated() {
            let vector = vectors[index]
            if let remap = remaps[index] {
                remap.withUnsafeBufferPointer { table in
                    guard let base = table.baseAddress else { return }
                    byCode(physicals[index], vector) {
                        addMapped($0, vector, base, count, field, codes, index == 0)
                    }
                }
            } else {
                switch physicals[index] {
                case .uint8: add(UInt8.self, vector, count, field, codes, index == 0)
                case .uint16: add(UInt16.self, vector, count, field, codes, index == 0)
                case .int32: add(Int32.self, vector, count, field, codes, index == 0)
                case .int64: add(Int64.self, vector, count, field, codes, index == 0)
                default: add(Int128.self, vector, count, field, codes, index == 0)
                }
            }
        }
    }

    /// The same for values that may lie outside: such rows, and NULLs of fields without a code for it, become
    /// ``invalid``. The domain is below 2^62 here.
    func encodeChecked(_ vectors: [KeyVector], _ count: Int, _ codes: UnsafeMutablePointer<UInt64>) {
        if layout.fields.isEmpty { codes.update(repeating: 0, count: count) }
        for (index, field) in layout.fields.enumerated() {
            let vector = vectors[index]
            if let remap = remaps[index] {
                remap.withUnsafeBufferPointer { table in
                    guard let base = table.baseAddress else {
                        return codes.update(repeating: PackedKeyEncoder.invalid, count: count)
                    }
                    byCode(physicals[index], vector) {
                        checkMapped($0, vector, base, count, field, codes, index == 0)
                    }
                }
            } else {
                switch physicals[index] {
                case .uint8: check(UInt8.self, vector, count, field, codes, index == 0)
                case .uint16: check(UInt16.self, vector, count, field, codes, index == 0)
                case .int32: check(Int32.self, vector, count, field, codes, index == 0)
                case .int64: check(Int64.self, vector, count, field, codes, index == 0)
                default: check(Int128.self, vector, count, field, codes, index == 0)
                }
            }
        }
    }

    private enum CodePointer {
        case bytes(UnsafePointer<UInt8>)
        case words(UnsafePointer<UInt16>)
    }
    private func byCode(_ physical: PhysicalType, _ vector: KeyVector, _ body: (CodePointer) -> Void) {
        if physical == .uint8 {
            body(.bytes(vector.data.assumingMemoryBound(to: UInt8.self)))
        } else {
            body(.words(vector.data.assumingMemoryBound(to: UInt16.self)))
        }
    }
    private func addMapped<Code: FixedWidthInteger & UnsignedInteger>(
        _ from: CodePointer, _ vector: KeyVector, _ table: UnsafePointer<Int32>, _ count: Int,
        _ field: PackedKeyLayout.Field, _ codes: UnsafeMutablePointer<Code>, _ first: Bool
    ) {
        switch from {
        case .bytes(let values): addMappedCodes(values, vector.validity, table, count, field, codes, first)
        case .words(let values): addMappedCodes(values, vector.validity, table, count, field, codes, first)
        }
    }
    private func checkMapped(
        _ from: CodePointer, _ vector: KeyVector, _ table: UnsafePointer<Int32>, _ count: Int,
        _ field: PackedKeyLayout.Field, _ codes: UnsafeMutablePointer<UInt64>, _ first: Bool
    ) {
        switch from {
        case .bytes(let values): checkMappedCodes(values, vector.validity, table, count, field, codes, first)
        case .words(let values): checkMappedCodes(values, vector.validity, table, count, field, codes, first)
        }
    }
}

@inline(__always)
private func add<Value: FixedWidthInteger, Code: FixedWidthInteger & UnsignedInteger>(
    _: Value.Type, _ vector: KeyVector, _ count: Int, _ field: PackedKeyLayout.Field,
    _ codes: UnsafeMutablePointer<Code>, _ first: Bool
) {
    let values = vector.data.assumingMemoryBound(to: Value.self)
    let stride = Code(truncatingIfNeeded: field.stride)
    // Wrapping: the lower bound may be negative, the difference never is.
    let shift = Code(truncatingIfNeeded: field.hasNullCode ? field.lower &- 1 : field.lower)
    if field.hasNullCode, let valid = vector.validity {
        for i in 0..<count {
            let keep = 0 &- Code(truncatingIfNeeded: valid[i])
            let code = ((Code(truncatingIfNeeded: values[i]) &- shift) & keep) &* stride
            codes[i] = first ? code : codes[i] &+ code
        }
    } else if first {
        for i in 0..<count { codes[i] = (Code(truncatingIfNeeded: values[i]) &- shift) &* stride }
    } else {
        for i in 0..<count { codes[i] = codes[i] &+ (Code(truncatingIfNeeded: values[i]) &- shift) &* stride }
    }
}

@inline(__always)
private func addMappedCodes<Value: FixedWidthInteger, Code: FixedWidthInteger & UnsignedInteger>(
    _ values: UnsafePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ table: UnsafePointer<Int32>, _ count: Int,
    _ field: PackedKeyLayout.Field, _ codes: UnsafeMutablePointer<Code>, _ first: Bool
) {
    let stride = Code(truncatingIfNeeded: field.stride)
    let shift = Code(truncatingIfNeeded: field.hasNullCode ? field.lower &- 1 : field.lower)
    for i in 0..<count {
        let keep = validity.map { 0 &- Code(truncatingIfNeeded: $0[i]) } ?? Code.max
        // The code of a NULL row is undefined and may lie outside of the table.
        let place = Int(values[i]) & (validity.map { 0 &- Int($0[i]) } ?? -1)
        let code = ((Code(truncatingIfNeeded: table[place]) &- shift) & keep) &* stride
        codes[i] = first ? code : codes[i] &+ code
    }
}

@inline(__always)
private func check<Value: FixedWidthInteger>(
    _: Value.Type, _ vector: KeyVector, _ count: Int, _ field: PackedKeyLayout.Field,
    _ codes: UnsafeMutablePointer<UInt64>, _ first: Bool
) {
    let values = vector.data.assumingMemoryBound(to: Value.self)
    let lower = field.lower, range = field.range, stride = field.stride
    let shift: UInt64 = field.hasNullCode ? 1 : 0
    let validity = vector.validity
    for i in 0..<count {
        let value = Int64(truncatingIfNeeded: values[i])
        let offset = UInt64(bitPattern: value &- lower)
        var outside = b2i(offset >= range)
        if Value.bitWidth > 64 { outside |= b2i(Value(truncatingIfNeeded: value) != values[i]) }
        var code = (offset &+ shift) &* stride
        if let validity {
            let null = Int(1 &- validity[i])
            outside = shift == 1 ? outside & ~null : outside | null
            code = code & (0 &- UInt64(validity[i]))
        }
        let bad = 0 &- UInt64(truncatingIfNeeded: outside)
        if first {
            codes[i] = code | bad
        } else {
            let before = codes[i]
            codes[i] = (before &+ code) | bad | (0 &- UInt64(truncatingIfNeeded: b2i(before == UInt64.max)))
        }
    }
}

@inline(__always)
private func checkMappedCodes<Value: FixedWidthInteger>(
    _ values: UnsafePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ table: UnsafePointer<Int32>, _ count: Int,
    _ field: PackedKeyLayout.Field, _ codes: UnsafeMutablePointer<UInt64>, _ first: Bool
) {
    for i in 0..<count {
        var code = UInt64.max
        if let validity, validity[i] == 0 {
            if field.hasNullCode { code = 0 }
        } else {
            let mapped = Int64(table[Int(values[i])])
            let offset = UInt64(bitPattern: mapped &- field.lower)
            if mapped >= 0 && offset < field.range {
                code = (offset &+ (field.hasNullCode ? 1 : 0)) &* field.stride
            }
        }
        if first {
            codes[i] = code
        } else {
            let before = codes[i]
            codes[i] = before == UInt64.max || code == UInt64.max ? UInt64.max : before &+ code
        }
    }
}

extension TextDictionary {
    /// code -> the first code that is equal without trailing blanks; nil when all codes differ.
    func canonicalCodes(trimming: Bool) -> [Int32]? {
        guard trimming && hasTrailingBlanks else { return nil }
        var table = [Int32](repeating: 0, count: max(count, 1))
        var seen: [[UInt8]: Int32] = [:]
        for code in 0..<count {
            let key = Array(views[code].trimmed.bytes)
            table[code] = seen[key] ?? Int32(code)
            if seen[key] == nil { seen[key] = Int32(code) }
        }
        return table
    }

    /// code of this dictionary -> canonical code of the other, -1 without a counterpart.
    func codes(in other: TextDictionary, trimming: Bool) -> [Int32] {
        var known: [[UInt8]: Int32] = [:]
        known.reserveCapacity(other.count)
        for code in 0..<other.count {
            let key = Array(trimming ? other.views[code].trimmed.bytes : other.views[code].bytes)
            if known[key] == nil { known[key] = Int32(code) }
        }
        return (0..<max(count, 1)).map { code in
            code < count ? known[Array(trimming ? views[code].trimmed.bytes : views[code].bytes)] ?? -1 : -1
        }
    }
}
