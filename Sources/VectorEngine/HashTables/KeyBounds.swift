import Platform
import SQLTypes

/// Exact bounds of the non-NULL values of a materialised integer column.
struct KeyBounds {
    var lower: Int128
    var upper: Int128

    /// nil for columns that are not integers, and when every row is NULL.
    static func of(_ column: RowSet.Column, _ rows: Int, _ context: ExecutionContext) throws -> KeyBounds? {
        guard column.form.isInteger, rows > 0 else { return nil }
        switch column.form.physical {
        case .uint8: return try bounds(column, UInt8.self, rows, context)
        case .uint16: return try bounds(column, UInt16.self, rows, context)
        case .int32: return try bounds(column, Int32.self, rows, context)
        case .int64: return try bounds(column, Int64.self, rows, context)
        default: return try bounds(column, Int128.self, rows, context)
        }
    }

    private static func bounds<Value: FixedWidthInteger>(
        _ column: RowSet.Column, _: Value.Type, _ rows: Int, _ context: ExecutionContext
    ) throws -> KeyBounds? {
        let workers = context.pool.workers
        let results = UnsafeMutablePointer<(Value, Value)>.allocate(capacity: workers)
        results.initialize(repeating: (Value.max, Value.min), count: workers)
        defer { results.deallocate() }
        let values = UnsafePointer(column.values.assumingMemoryBound(to: Value.self))
        try runRanges(context, rows, grain: 262_144) { worker, range in
            let (low, high) = scan(
                values + range.lowerBound, column.validity.map { UnsafePointer($0 + range.lowerBound) }, range.count)
            results[worker] = (min(results[worker].0, low), max(results[worker].1, high))
        }
        var low = Value.max, high = Value.min
        for worker in 0..<workers {
            low = min(low, results[worker].0)
            high = max(high, results[worker].1)
        }
        return low <= high ? KeyBounds(lower: Int128(low), upper: Int128(high)) : nil
    }

    @inline(__always)
    private static func scan<Value: FixedWidthInteger>(
        _ values: UnsafePointer<Value>, _ validity: UnsafePointer<UInt8>?, _ count: Int
    ) -> (Value, Value) {
        var low = Value.max, high = Value.min
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
}
