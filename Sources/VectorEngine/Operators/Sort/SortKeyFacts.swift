import ColumnVectors
import SQLTypes

/// Measures the key columns before the keys are made: exact bounds of integers, lengths and the common prefix of strings.
struct SortKeyFacts {
    private let keys: [RowSortKey]
    private let count: Int
    private let context: ExecutionContext

    init(_ keys: [RowSortKey], count: Int, context: ExecutionContext) {
        self.keys = keys
        self.count = count
        self.context = context
    }

    func fields() throws -> [SortField] {
        try keys.map { key in
            try context.cancellation.check()
            let form = key.column.form
            let nullable = key.column.hasNulls
            if form.physical == .string {
                let (shared, longest) = stringFacts(key.column)
                return SortField(
                    form: form, lower: 0, upper: 0, nullable: nullable, descending: key.descending,
                    nullsFirst: key.nullsFirst, skip: shared, longest: longest)
            }
            let (lower, upper) = form.physical == .float64 ? (0, 0) : integerBounds(key.column)
            return SortField(
                form: form, lower: lower, upper: upper, nullable: nullable, descending: key.descending,
                nullsFirst: key.nullsFirst)
        }
    }

    private func integerBounds(_ column: RowSet.Column) -> (Int128, Int128) {
        @inline(__always) func bounds<Value: FixedWidthInteger>(_: Value.Type) -> (Int128, Int128) {
            let values = UnsafePointer(column.values.assumingMemoryBound(to: Value.self))
            let (low, high) = valueBounds(values, column.validity.map { UnsafePointer($0) }, count)
            return low > high ? (0, 0) : (Int128(low), Int128(high))
        }
        switch column.form.physical {
        case .uint8: return bounds(UInt8.self)
        case .uint16: return bounds(UInt16.self)
        case .int32: return bounds(Int32.self)
        case .int64: return bounds(Int64.self)
        default: return bounds(Int128.self)
        }
    }

    /// How many first bytes all values share, and the longest value's length.
    private func stringFacts(_ column: RowSet.Column) -> (shared: Int, longest: Int) {
        let views = column.values.assumingMemoryBound(to: StringView.self)
        var first: StringView?
        var shared = 0
        var longest = 0
        for row in 0..<count {
            if let validity = column.validity, validity[row] == 0 { continue }
            let view = column.form.trailingBlanks ? views[row].trimmed : views[row]
            let length = Int(view.count)
            longest = max(longest, length)
            guard let model = first else {
                first = view
                shared = length
                continue
            }
            if shared == 0 { continue }
            shared = min(shared, length)
            var same = 0
            while same < shared && view.pointer[same] == model.pointer[same] { same &+= 1 }
            shared = same
        }
        return (shared, longest)
    }
}

@inline(__always)
private func valueBounds<Value: FixedWidthInteger>(
    _ values: UnsafePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ count: Int
) -> (Value, Value) {
    var low = Value.max
    var high = Value.min
    if let validity {
        for i in 0..<count where validity[i] != 0 {
            low = min(low, values[i])
            high = max(high, values[i])
        }
    } else {
        for i in 0..<count {
            low = min(low, values[i])
            high = max(high, values[i])
        }
    }
    return (low, high)
}
