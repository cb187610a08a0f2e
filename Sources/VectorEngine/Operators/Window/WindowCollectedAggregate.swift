import ColumnVectors
import QueryPlan
import SQLTypes

/// MEDIAN, percentiles, LISTAGG and approximate distinct counts as windows: these look at all values of a frame at
/// once. The value is computed anew only where the frame changes, which for the whole partition is once.
struct WindowCollectedAggregate {
    private let function: AggregateFunction
    private let call: WindowCall
    private let arguments: [RowSet.Column]
    private let result: WindowResult

    init(
        _ function: AggregateFunction, _ call: WindowCall, _ arguments: [RowSet.Column], _ result: WindowResult
    ) {
        self.function = function
        self.call = call
        self.arguments = arguments
        self.result = result
    }

    func evaluate(_ partition: WindowPartition, _ scratch: WindowScratch, _ frames: WindowFrames) throws {
        var previous: (start: Int, end: Int, row: Int)?
        for place in 0..<partition.count {
            let row = partition.start + place
            let (start, end) = (scratch.starts[place], scratch.ends[place])
            if let known = previous, known.start == start, known.end == end {
                repeatValue(from: known.row, in: row)
                continue
            }
            try compute(partition.start + start, partition.start + end, row, scratch)
            previous = (start, end, row)
        }
    }

    private func repeatValue(from known: Int, in row: Int) {
        let width = call.type.physical.byteWidth
        result.valid[row] = result.valid[known]
        (result.column.values + row * width).copyMemory(
            from: result.column.values + known * width, byteCount: width)
    }

    private func compute(_ start: Int, _ end: Int, _ row: Int, _ scratch: WindowScratch) throws {
        let column = arguments[0]
        let values = (start..<end).filter { index in column.validity.map { $0[index] != 0 } ?? true }
        switch function {
        case .listAggregate: try list(values, row, scratch)
        case .approximateCountDistinct:
            let sorted = values.sorted { compareColumnValues(column, $0, $1) < 0 }
            var distinct: Int64 = 0
            for (place, value) in sorted.enumerated()
            where place == 0 || compareColumnValues(column, sorted[place - 1], value) != 0 { distinct += 1 }
            result.pointer(Int64.self)[row] = distinct
        default:
            if values.isEmpty {
                result.valid[row] = 0
                return
            }
            let sorted = values.sorted { compareColumnValues(column, $0, $1) < 0 }
            try percentile(sorted, row)
        }
    }

    private func fraction(_ row: Int) throws -> Double {
        guard function != .median, arguments.count > 1 else { return 0.5 }
        let value = WideColumn(arguments[1]).double(row)
        guard value >= 0 && value <= 1 else {
            throw SQLError(.numericOutOfRange, "percentile value \(value) is not between 0 and 1")
        }
        return value
    }

    private func percentile(_ sorted: [Int], _ row: Int) throws {
        let fraction = try fraction(row)
        if function == .percentileDiscrete {
            let place = max(Int((fraction * Double(sorted.count)).rounded(.up)) - 1, 0)
            return copy(sorted[min(place, sorted.count - 1)], row)
        }
        let exact = fraction * Double(sorted.count - 1)
        let low = sorted[Int(exact.rounded(.down))]
        let high = sorted[Int(exact.rounded(.up))]
        let rest = exact - exact.rounded(.down)
        let column = WideColumn(arguments[0])
        switch arguments[0].form.physical {
        case .float64:
            result.pointer(Double.self)[row] = Interpolation.between(
                column.double(low), column.double(high), share: rest)
        case .string: copy(low, row)
        default: try interpolate(column[low], column[high], rest, row)
        }
    }

    private func interpolate(_ low: Int128, _ high: Int128, _ rest: Double, _ row: Int) throws {
        let shift = max(call.type.scale - arguments[0].form.type.scale, 0)
        let value = try Interpolation.between(low, high, share: rest, shift: shift)
        switch call.type.physical {
        case .int32: result.pointer(Int32.self)[row] = Int32(truncatingIfNeeded: value)
        case .int64: result.pointer(Int64.self)[row] = Int64(truncatingIfNeeded: value)
        case .float64: result.pointer(Double.self)[row] = Double(value)
        default: result.pointer(Int128.self)[row] = value
        }
    }

    private func copy(_ source: Int, _ row: Int) {
        let width = arguments[0].form.physical.byteWidth
        (result.column.values + row * width).copyMemory(from: arguments[0].values + source * width, byteCount: width)
    }

    /// Values in the rows' order; empty strings are skipped like NULLs.
    private func list(_ values: [Int], _ row: Int, _ scratch: WindowScratch) throws {
        let views = arguments[0].values.assumingMemoryBound(to: StringView.self)
        let separators = arguments.count > 1 ? arguments[1].values.assumingMemoryBound(to: StringView.self) : nil
        let text = TextBuffer()
        for value in values where views[value].count > 0 {
            let isSeparated = arguments.count > 1 && (arguments[1].validity.map { $0[value] != 0 } ?? true)
            if let separators, isSeparated, text.count > 0 { text.append(separators[value].bytes) }
            text.append(views[value].bytes)
            if text.count > SQLType.maximumVarcharLength {
                throw SQLError(.stringTooLong, "Result size exceeds LISTAGG limit")
            }
        }
        if text.count == 0 {
            result.valid[row] = 0
            return
        }
        result.pointer(StringView.self)[row] = try scratch.arena.copy(text.bytes)
    }
}
