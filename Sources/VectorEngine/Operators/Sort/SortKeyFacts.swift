import ColumnVectors
import Platform
import SQLTypes

/// Measures the key columns before the keys are made: exact bounds of integers, lengths and the common prefix of
/// strings.
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
        var fields: [SortField] = []
        for key in keys {
            try context.cancellation.check()
            fields.append(field(key))
        }
        return fields
    }

    private func field(_ key: RowSortKey) -> SortField {
        let form = key.column.form
        var bounds = MeasuredBounds(lower: 0, upper: 0)
        var text = (shared: 0, longest: 0)
        switch form.physical {
        case .string: text = stringFacts(key.column)
        case .float64: break
        case .uint8, .uint16, .int32, .int64, .int128: bounds = MeasuredBounds(of: key.column, count)
        }
        return SortField(
            form: form, lower: bounds.lower, upper: bounds.upper, nullable: key.column.hasNulls,
            descending: key.descending, nullsFirst: key.nullsFirst, skip: text.shared, longest: text.longest)
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

/// The smallest and the largest value of an integer column; zeros without values.
private struct MeasuredBounds {
    var lower: Int128
    var upper: Int128

    init(lower: Int128, upper: Int128) {
        self.lower = lower
        self.upper = upper
    }

    init(of column: RowSet.Column, _ count: Int) {
        let validity = column.validity.map { UnsafePointer($0) }
        switch column.form.physical {
        case .uint8: self = valueBounds(column.values.assumingMemoryBound(to: UInt8.self), validity, count)
        case .uint16: self = valueBounds(column.values.assumingMemoryBound(to: UInt16.self), validity, count)
        case .int32: self = valueBounds(column.values.assumingMemoryBound(to: Int32.self), validity, count)
        case .int64: self = valueBounds(column.values.assumingMemoryBound(to: Int64.self), validity, count)
        default: self = valueBounds(column.values.assumingMemoryBound(to: Int128.self), validity, count)
        }
    }
}

@inline(__always)
private func valueBounds<Value: FixedWidthInteger>(
    _ values: UnsafeMutablePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ count: Int
) -> MeasuredBounds {
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
    return low > high ? MeasuredBounds(lower: 0, upper: 0) : MeasuredBounds(lower: Int128(low), upper: Int128(high))
}
