import SQLTypes

/// What a part's footer says about one column as a whole.
struct ColumnSummary: Sendable, Equatable {
    var nullCount = 0
    /// Exact for numbers; strings longer than ``boundBytes`` are cut, the maximum rounded up.
    var minimum = Datum.null
    var maximum = Datum.null
    /// Bytes of all strings.
    var stringBytes = 0
    /// Maximal runs of equal neighbours.
    var runCount = 0
    var hasTrailingBlanks = false
    var sketch = DistinctSketch()

    static let boundBytes = 64

    mutating func add(_ other: ColumnSummary) {
        nullCount += other.nullCount
        stringBytes += other.stringBytes
        runCount += other.runCount
        hasTrailingBlanks = hasTrailingBlanks || other.hasTrailingBlanks
        minimum = Datum.least(minimum, other.minimum)
        maximum = Datum.greatest(maximum, other.maximum)
        sketch.merge(other.sketch)
    }

    /// A lower bound of at most ``boundBytes`` bytes.
    static func lowerBound(_ bytes: some Sequence<UInt8>) -> Datum { .string(Array(bytes.prefix(boundBytes))) }

    /// An upper bound of at most ``boundBytes`` bytes; nil when none is that short.
    static func upperBound(_ bytes: UnsafeBufferPointer<UInt8>) -> Datum? {
        if bytes.count <= boundBytes { return .string(Array(bytes)) }
        var cut = Array(bytes.prefix(boundBytes))
        while let last = cut.popLast() {
            if last < 0xFF {
                cut.append(last + 1)
                return .string(cut)
            }
        }
        return nil
    }

    func write(_ writer: inout BinaryWriter) {
        writer.put(Int64(nullCount))
        writer.put(minimum)
        writer.put(maximum)
        writer.put(Int64(stringBytes))
        writer.put(Int64(runCount))
        writer.put(hasTrailingBlanks)
        sketch.write(&writer)
    }

    init() {}

    init(_ reader: inout BinaryReader) throws {
        nullCount = try reader.getCount(upTo: 1 << 40, "null count")
        minimum = try reader.getDatum()
        maximum = try reader.getDatum()
        stringBytes = try reader.getCount(upTo: 1 << 50, "string bytes")
        runCount = try reader.getCount(upTo: 1 << 40, "run count")
        hasTrailingBlanks = try reader.getBool()
        sketch = try DistinctSketch(&reader)
    }
}

extension Datum {
    /// The smaller of two bounds of one column; NULL means "none".
    static func least(_ left: Datum, _ right: Datum) -> Datum {
        if left.isNull { return right }
        if right.isNull { return left }
        return precedes(right, left) ? right : left
    }
    static func greatest(_ left: Datum, _ right: Datum) -> Datum {
        if left.isNull { return right }
        if right.isNull { return left }
        return precedes(left, right) ? right : left
    }
    /// SQL order inside one type: NaN after all numbers, strings by bytes, intervals with 30-day months.
    private static func precedes(_ left: Datum, _ right: Datum) -> Bool {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): a < b
        case (.double(let a), .double(let b)): a < b || (b.isNaN && !a.isNaN)
        case (.string(let a), .string(let b)): a.lexicographicallyPrecedes(b)
        case (.interval(let a), .interval(let b)): a.orderingMicroseconds < b.orderingMicroseconds
        default: false
        }
    }
}

extension Interval {
    /// Microseconds with months of 30 days: what comparisons use.
    var orderingMicroseconds: Int128 { Int128(months) * 2_592_000_000_000 + Int128(microseconds) }
}
