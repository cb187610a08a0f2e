import ColumnVectors
import SQLTypes

/// How one sort column of rows that are being written becomes a number of a few bits whose order is SQL order, NULLs
/// last. (ORDER BY has its own, over registers: the engine's `SortField`.)
struct ChunkSortField {
    private enum Source {
        case integer(low: Int64, null: UInt64)
        /// By dictionary code: strings that are equal without trailing blanks share a rank.
        case codes(ranks: [UInt32])
        /// Values minus `low` fit 64 bits.
        case wide(low: Int128, null: UInt128, isInterval: Bool)
        case float
        /// The first 8 bytes after a prefix that all strings share.
        case text(skip: Int)
    }
    private var source: Source
    private let column: Int
    private let physical: PhysicalType
    var bits: Int
    /// Low bits cut off.
    var shift = 0
    /// False when different values can get the same number.
    var isExact: Bool

    private init(_ source: Source, _ column: Int, _ physical: PhysicalType, bits: Int, isExact: Bool) {
        self.source = source
        self.column = column
        self.physical = physical
        self.bits = bits
        self.isExact = isExact
    }

    // MARK: Measuring

    static func measure(_ rows: SliceRows, _ plan: WritePlan, _ column: Int) -> ChunkSortField {
        let physical = rows.forms[column]
        switch physical {
        case .uint8: return integers(rows, column, physical, UInt8.self)
        case .uint16: return integers(rows, column, physical, UInt16.self)
        case .int32: return integers(rows, column, physical, Int32.self)
        case .int64: return integers(rows, column, physical, Int64.self)
        case .int128: return wide(rows, column, physical, isInterval: plan.types[column] == .interval)
        case .float64: return ChunkSortField(.float, column, physical, bits: 65, isExact: true)
        case .string:
            guard let coded = rows.coded[column] else { return text(rows, column, physical) }
            let ranks = ranks(coded.dictionary)
            let top = UInt128(ranks[ranks.count - 1])
            return ChunkSortField(.codes(ranks: ranks), column, physical, bits: bitCount(top), isExact: true)
        }
    }

    /// One rank a code, then that of NULL.
    private static func ranks(_ dictionary: TextDictionary) -> [UInt32] {
        var ranks: [UInt32] = []
        var rank: UInt32 = 0
        for code in 0..<dictionary.count {
            if code > 0 && !StringView.equalTrimmed(dictionary.views[code - 1], dictionary.views[code]) { rank += 1 }
            ranks.append(rank)
        }
        return ranks + [rank + 1]
    }

    private static func bitCount(_ top: UInt128) -> Int { UInt128.bitWidth - top.leadingZeroBitCount }

    private static func integers<Value: FixedWidthInteger>(
        _ rows: SliceRows, _ column: Int, _ physical: PhysicalType, _ type: Value.Type
    ) -> ChunkSortField {
        var low = Int64.max
        var high = Int64.min
        for chunk in rows.chunks {
            let values = chunk.columns[column].data.assumingMemoryBound(to: type)
            let validity = chunk.columns[column].validity
            var least = Value.max
            var most = Value.min
            for row in 0..<chunk.count where validity.map({ $0[row] != 0 }) ?? true {
                least = min(least, values[row])
                most = max(most, values[row])
            }
            if least <= most {
                low = min(low, Int64(truncatingIfNeeded: least))
                high = max(high, Int64(truncatingIfNeeded: most))
            }
        }
        if low > high { (low, high) = (0, 0) }
        let range = UInt64(bitPattern: high &- low)
        let null = rows.hasNulls[column] ? UInt128(range) + 1 : UInt128(range)
        if null > UInt128(UInt64.max) {
            return ChunkSortField(
                .wide(low: Int128(low), null: null, isInterval: false), column, physical, bits: 65, isExact: true)
        }
        return ChunkSortField(
            .integer(low: low, null: UInt64(null)), column, physical, bits: bitCount(null), isExact: true)
    }

    private static func wide(
        _ rows: SliceRows, _ column: Int, _ physical: PhysicalType, isInterval: Bool
    ) -> ChunkSortField {
        var low = Int128.max
        var high = Int128.min
        for chunk in rows.chunks {
            let values = chunk.columns[column].data.assumingMemoryBound(to: Int128.self)
            let validity = chunk.columns[column].validity
            for row in 0..<chunk.count where validity.map({ $0[row] != 0 }) ?? true {
                let value = isInterval ? Interval(packed: values[row]).orderingMicroseconds : values[row]
                low = min(low, value)
                high = max(high, value)
            }
        }
        if low > high { (low, high) = (0, 0) }
        let range = UInt128(bitPattern: high &- low)
        // With NULLs in a column that uses all 128 bits the last value would share their number.
        let null = range == .max ? range : range + 1
        return ChunkSortField(
            .wide(low: low, null: null, isInterval: isInterval), column, physical, bits: bitCount(null),
            isExact: range != .max)
    }

    private static func text(_ rows: SliceRows, _ column: Int, _ physical: PhysicalType) -> ChunkSortField {
        var first: StringView?
        var shared = Int.max
        var longest = 0
        forEachView(rows, column) { _, view in
            guard let view else { return }
            longest = max(longest, Int(view.count))
            guard let known = first else {
                first = view
                shared = Int(view.count)
                return
            }
            var length = 0
            let limit = min(shared, Int(view.count))
            while length < limit && known.pointer[length] == view.pointer[length] { length += 1 }
            shared = length
        }
        let skip = first == nil ? 0 : shared
        return ChunkSortField(.text(skip: skip), column, physical, bits: 65, isExact: false)
    }

    /// Blank-trimmed strings in arrival order; nil for NULL.
    @inline(__always)
    private static func forEachView(_ rows: SliceRows, _ column: Int, _ body: (Int, StringView?) -> Void) {
        var position = 0
        for chunk in rows.chunks {
            let place = chunk.columns[column]
            for row in 0..<chunk.count {
                if let validity = place.validity, validity[row] == 0 {
                    body(position, nil)
                } else {
                    body(position, ChunkSortField.view(place, row).trimmed)
                }
                position &+= 1
            }
        }
    }

    /// A valid row's string.
    static func view(_ column: ChunkColumn, _ row: Int) -> StringView {
        if let dictionary = column.dictionary {
            return dictionary.views[Int(column.data.assumingMemoryBound(to: UInt16.self)[row])]
        }
        let start = Int(column.offsets[row])
        let length = Int(column.offsets[row + 1]) - start
        return length == 0 ? .empty : StringView(column.heap + start, count: length)
    }

    // MARK: Filling

    /// keys[row] = keys[row] << bits | this column's number, in arrival order.
    func accumulate<Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ keys: UnsafeMutablePointer<Key>
    ) {
        switch (source, physical) {
        case (.codes(let ranks), _): accumulateCodes(rows, ranks, keys)
        case (.integer(let low, let null), .uint8): accumulate(rows, low, null, UInt8.self, keys)
        case (.integer(let low, let null), .uint16): accumulate(rows, low, null, UInt16.self, keys)
        case (.integer(let low, let null), .int32): accumulate(rows, low, null, Int32.self, keys)
        case (.integer(let low, let null), _): accumulate(rows, low, null, Int64.self, keys)
        case (.wide(let low, let null, let isInterval), _): accumulateWide(rows, low, null, isInterval, keys)
        case (.float, _): accumulateFloats(rows, keys)
        case (.text(let skip), _): accumulateText(rows, skip, keys)
        }
    }

    private func accumulate<Value: FixedWidthInteger, Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ low: Int64, _ null: UInt64, _ type: Value.Type, _ keys: UnsafeMutablePointer<Key>
    ) {
        let width = Key(truncatingIfNeeded: bits - shift)
        let cut = UInt64(shift)
        var target = keys
        for chunk in rows.chunks {
            let values = chunk.columns[column].data.assumingMemoryBound(to: type)
            if let validity = chunk.columns[column].validity {
                for row in 0..<chunk.count {
                    let value = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- low)
                    let number = validity[row] != 0 ? value : null
                    target[row] = target[row] << width | Key(truncatingIfNeeded: number &>> cut)
                }
            } else {
                for row in 0..<chunk.count {
                    let value = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row]) &- low)
                    target[row] = target[row] << width | Key(truncatingIfNeeded: value &>> cut)
                }
            }
            target += chunk.count
        }
    }

    private func accumulateCodes<Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ ranks: [UInt32], _ keys: UnsafeMutablePointer<Key>
    ) {
        let null = ranks.count - 1
        guard let coded = rows.coded[column] else { return }
        var target = keys
        for (index, chunk) in rows.chunks.enumerated() {
            let codes = chunk.columns[column].data.assumingMemoryBound(to: UInt16.self)
            let remap = coded.remaps[index]
            let validity = chunk.columns[column].validity
            for row in 0..<chunk.count {
                let isNull = validity.map { $0[row] == 0 } ?? false
                push(UInt128(ranks[isNull ? null : Int(remap[Int(codes[row])])]), &target[row])
            }
            target += chunk.count
        }
    }

    private func accumulateWide<Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ low: Int128, _ null: UInt128, _ isInterval: Bool, _ keys: UnsafeMutablePointer<Key>
    ) {
        var target = keys
        for chunk in rows.chunks {
            let data = chunk.columns[column].data
            let validity = chunk.columns[column].validity
            for row in 0..<chunk.count {
                var value =
                    physical == .int128
                    ? data.assumingMemoryBound(to: Int128.self)[row]
                    : Int128(data.assumingMemoryBound(to: Int64.self)[row])
                if isInterval { value = Interval(packed: value).orderingMicroseconds }
                let isNull = validity.map { $0[row] == 0 } ?? false
                push(isNull ? null : UInt128(bitPattern: value &- low), &target[row])
            }
            target += chunk.count
        }
    }

    /// Sign and magnitude become one ascending number; -0.0 is 0.0, NaN comes after all numbers.
    private func accumulateFloats<Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ keys: UnsafeMutablePointer<Key>
    ) {
        var target = keys
        for chunk in rows.chunks {
            let values = chunk.columns[column].data.assumingMemoryBound(to: Double.self)
            let validity = chunk.columns[column].validity
            for row in 0..<chunk.count {
                let value = values[row]
                let bits = (value.isNaN ? Double.nan : value == 0 ? 0.0 : value).bitPattern
                let number = bits >> 63 == 0 ? bits | 1 << 63 : ~bits
                let isNull = validity.map { $0[row] == 0 } ?? false
                push(isNull ? 1 << 64 : UInt128(number), &target[row])
            }
            target += chunk.count
        }
    }

    private func accumulateText<Key: FixedWidthInteger & UnsignedInteger>(
        _ rows: SliceRows, _ skip: Int, _ keys: UnsafeMutablePointer<Key>
    ) {
        ChunkSortField.forEachView(rows, column) { position, view in
            guard let view else { return push(1 << 64, &keys[position]) }
            var number: UInt64 = 0
            let end = min(Int(view.count), skip + 8)
            var byte = skip
            while byte < end {
                number = number &<< 8 | UInt64(view.pointer[byte])
                byte &+= 1
            }
            if end > skip {
                number = number << UInt64(8 * (8 - (end - skip)))
            }
            push(UInt128(number), &keys[position])
        }
    }

    @inline(__always)
    private func push<Key: FixedWidthInteger & UnsignedInteger>(_ number: UInt128, _ key: inout Key) {
        key = key << Key(truncatingIfNeeded: bits - shift) | Key(truncatingIfNeeded: number >> UInt128(shift))
    }
}
