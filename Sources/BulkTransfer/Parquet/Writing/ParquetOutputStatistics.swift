import ColumnVectors
import SQLTypes

/// The least and the largest value of a column chunk, and its NULLs.
struct ParquetOutputStatistics {
    private let type: ParquetOutputType
    var nulls = 0
    private var integers: (least: Int64, largest: Int64)?
    private var doubles: (least: Double, largest: Double)?
    private var hasNaN = false
    private var bytes: (least: [UInt8], largest: [UInt8])?
    /// Longer strings are left out.
    private static let longest = 128
    private var hasLong = false

    init(_ type: ParquetOutputType) { self.type = type }

    mutating func add(_ words: UnsafePointer<UInt64>, _ count: Int) {
        if count == 0 { return }
        switch type.form {
        case .float:
            for index in 0..<count { add(Double(Float(bitPattern: UInt32(truncatingIfNeeded: words[index])))) }
        case .double: for index in 0..<count { add(Double(bitPattern: words[index])) }
        case .truth, .narrow, .wide:
            var (least, largest) = integers ?? (Int64.max, Int64.min)
            for index in 0..<count {
                let value = Int64(bitPattern: words[index])
                least = min(least, value)
                largest = max(largest, value)
            }
            integers = (least, largest)
        case .string, .text, .decimalBytes: break
        }
    }

    private mutating func add(_ value: Double) {
        if value.isNaN {
            hasNaN = true
        } else if let (least, largest) = doubles {
            doubles = (min(least, value), max(largest, value))
        } else {
            doubles = (value, value)
        }
    }

    mutating func add(_ views: UnsafePointer<StringView>, _ count: Int) {
        if count == 0 { return }
        var least = views[0]
        var largest = views[0]
        for index in 1..<max(count, 1) {
            if compare(views[index], least) < 0 { least = views[index] }
            if compare(views[index], largest) > 0 { largest = views[index] }
        }
        if Int(max(least.count, largest.count)) > ParquetOutputStatistics.longest { hasLong = true }
        if hasLong { return }
        guard let known = bytes else {
            bytes = (Array(least.bytes), Array(largest.bytes))
            return
        }
        if compare(known.least, least) > 0 { bytes?.least = Array(least.bytes) }
        if compare(known.largest, largest) < 0 { bytes?.largest = Array(largest.bytes) }
    }

    private func compare(_ known: [UInt8], _ view: StringView) -> Int {
        known.withUnsafeBufferPointer {
            compare($0.baseAddress.map { StringView($0, count: known.count) } ?? .empty, view)
        }
    }

    /// Decimals have a sign in their first byte.
    private func compare(_ left: StringView, _ right: StringView) -> Int {
        if case .decimalBytes = type.form {
            if left.count == 0 || right.count == 0 { return Int(left.count) - Int(right.count) }
            let signs = (Int8(bitPattern: left.pointer[0]) < 0, Int8(bitPattern: right.pointer[0]) < 0)
            if signs.0 != signs.1 { return signs.0 ? -1 : 1 }
        }
        return StringView.compare(left, right)
    }

    /// The Statistics structure.
    func write(_ writer: inout ThriftWriter) {
        writer.field(3, int64: nulls)
        if let (least, largest) = bounds {
            writer.field(5, binary: largest)
            writer.field(6, binary: least)
        }
    }

    /// In the form of PLAIN values.
    private var bounds: (least: [UInt8], largest: [UInt8])? {
        func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
        if let (least, largest) = integers {
            let width = type.form == .truth ? 1 : type.form == .narrow ? 4 : 8
            return (
                littleEndian(UInt64(bitPattern: least), width), littleEndian(UInt64(bitPattern: largest), width)
            )
        }
        if let (least, largest) = doubles, !hasNaN {
            // Zeros are both signs' bounds.
            let lower = least == 0 ? -0.0 : least
            let upper = largest == 0 ? 0.0 : largest
            if type.form == .double { return (littleEndian(lower.bitPattern, 8), littleEndian(upper.bitPattern, 8)) }
            return (
                littleEndian(UInt64(Float(lower).bitPattern), 4), littleEndian(UInt64(Float(upper).bitPattern), 4)
            )
        }
        return hasLong ? nil : bytes
    }
}
