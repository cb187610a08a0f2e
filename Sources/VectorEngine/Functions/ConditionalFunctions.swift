import ColumnVectors
import QueryPlan
import SQLTypes

/// COALESCE, NULLIF, GREATEST, LEAST: functions that look at NULLs themselves.
enum ConditionalFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .greatest: extreme(1)
        case .least: extreme(-1)
        case .coalesce: coalesce
        case .nullIf: nullIf
        default: nil
        }
    }

    static let coalesce = FunctionKernel(nulls: .custom) { site in
        let width = site.result.physical.byteWidth
        return { frame in
            frame.forEachRow { row in
                for (index, argument) in frame.arguments.enumerated() where !frame.isNull(index, row) {
                    copyValue(argument.data, row, width, frame.result)
                    return
                }
                frame.resultValidity[row] = 0
            }
        }
    }

    static let nullIf = FunctionKernel(nulls: .custom) { site in
        let type = site.result
        let width = type.physical.byteWidth
        return { frame in
            frame.forEachRow { row in
                let isNull = frame.isNull(0, row)
                if isNull || (!frame.isNull(1, row) && compare(frame, 0, 1, row, type) == 0) {
                    frame.resultValidity[row] = 0
                } else {
                    copyValue(frame.arguments[0].data, row, width, frame.result)
                }
            }
        }
    }

    /// GREATEST (1) and LEAST (-1); NULLs do not take part.
    static func extreme(_ wanted: Int) -> FunctionKernel {
        FunctionKernel(nulls: .custom) { site in
            let type = site.result
            let width = type.physical.byteWidth
            return { frame in
                frame.forEachRow { row in
                    var best: Int?
                    for index in frame.arguments.indices where !frame.isNull(index, row) {
                        if let known = best, compare(frame, index, known, row, type) * wanted <= 0 { continue }
                        best = index
                    }
                    if let best {
                        copyValue(frame.arguments[best].data, row, width, frame.result)
                    } else {
                        frame.resultValidity[row] = 0
                    }
                }
            }
        }
    }

    private static func copyValue(
        _ from: UnsafeRawPointer, _ row: Int, _ width: Int, _ to: UnsafeMutableRawPointer
    ) { (to + row * width).copyMemory(from: from + row * width, byteCount: width) }

    /// Order of two arguments of the same physical type in one row.
    private static func compare(_ frame: FunctionFrame, _ left: Int, _ right: Int, _ row: Int, _ type: SQLType) -> Int {
        @inline(__always) func order<Value: Comparable>(_: Value.Type) -> Int {
            let a = frame.arguments[left].values(Value.self)[row]
            let b = frame.arguments[right].values(Value.self)[row]
            return a < b ? -1 : a == b ? 0 : 1
        }
        switch type.physical {
        case .uint8: return order(UInt8.self)
        case .uint16: return order(UInt16.self)
        case .int32: return order(Int32.self)
        case .int64: return order(Int64.self)
        case .int128:
            guard type == .interval else { return order(Int128.self) }
            let a = Interval(packed: frame.arguments[left].values(Int128.self)[row]).comparable
            let b = Interval(packed: frame.arguments[right].values(Int128.self)[row]).comparable
            return a < b ? -1 : a == b ? 0 : 1
        case .float64:
            return compareDoubles(
                frame.arguments[left].values(Double.self)[row], frame.arguments[right].values(Double.self)[row])
        case .string:
            let (a, b) = (frame.string(left, row), frame.string(right, row))
            // A row at a time: the case itself, not its descriptor.
            if case .varbyte = type { return StringView.compare(a, b) }
            return StringView.compareTrimmed(a, b)
        }
    }
}
