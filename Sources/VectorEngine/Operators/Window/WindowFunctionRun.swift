import ColumnVectors
import QueryPlan
import SQLTypes

/// One window function over sorted rows: evaluated partition by partition, from any worker.
final class WindowFunctionRun: @unchecked Sendable {  // immutable; workers write to disjoint rows of the result
    let call: WindowCall
    let result: WindowResult
    private let arguments: [RowSet.Column]
    private let frames: WindowFrames

    /// Set when one pass over the rows does it.
    private let running: WindowRunning?
    private let takesNarrowSums: Bool

    init(
        _ call: WindowCall, _ arguments: [RowSet.Column], orderKeys: [RowSortKey], rows: Int, context: ExecutionContext
    ) throws {
        self.call = call
        self.arguments = arguments
        frames = WindowFrames(call.frame, orderKeys: orderKeys)
        takesNarrowSums = context.takes(.runningWindows)
        running = takesNarrowSums ? WindowRunning(call, arguments, frames, rows: rows) : nil
        result = try WindowResult(
            call.type, physical: running?.physical, bounds: running?.bounds, rows: rows, context: context)
    }

    /// All partitions of the range.
    func evaluate(_ borders: WindowBorders, _ range: Range<Int>, _ scratch: WindowScratch) throws {
        if let running { return running.evaluate(borders, range, result) }
        for index in range {
            try evaluate(
                WindowPartition(
                    start: borders.partitions[index], end: borders.partitions[index + 1], peers: borders.peers),
                scratch)
        }
    }

    private func evaluate(_ partition: WindowPartition, _ scratch: WindowScratch) throws {
        switch call.function {
        case .rowNumber:
            let output = result.pointer(Int64.self)
            for row in partition.start..<partition.end { output[row] = Int64(row - partition.start + 1) }
        case .rank, .denseRank: rank(partition, dense: call.function == .denseRank)
        case .percentRank, .cumulativeDistribution: distribution(partition)
        case .ntile: try ntile(partition)
        case .lag, .lead: try shifted(partition, scratch, forward: call.function == .lead)
        case .firstValue, .lastValue, .nthValue: try framed(partition, scratch)
        case .ratioToReport: try ratio(partition)
        case .aggregate(let function):
            try frames.fill(partition, scratch)
            try WindowAggregate(function, call, arguments, result, frames, takesNarrowSums: takesNarrowSums)
                .evaluate(partition, scratch)
        }
    }

    // MARK: Ranking

    private func rank(_ partition: WindowPartition, dense: Bool) {
        let wide = call.type.physical == .int64
        let long = result.pointer(Int64.self)
        let short = result.pointer(Int32.self)
        var groups = 0
        var value = 0
        for row in partition.start..<partition.end {
            if partition.peers[row] != 0 {
                groups += 1
                value = dense ? groups : row - partition.start + 1
            }
            if wide { long[row] = Int64(value) } else { short[row] = Int32(truncatingIfNeeded: value) }
        }
    }

    private func distribution(_ partition: WindowPartition) {
        let output = result.pointer(Double.self)
        let count = partition.count, isPercentage = call.function == .percentRank
        var start = partition.start
        while start < partition.end {
            var end = start + 1
            while end < partition.end && partition.peers[end] == 0 { end += 1 }
            let before = Double(start - partition.start)
            let value =
                isPercentage
                ? (count > 1 ? before / Double(count - 1) : 0) : Double(end - partition.start) / Double(count)
            for row in start..<end { output[row] = value }
            start = end
        }
    }

    private func ntile(_ partition: WindowPartition) throws {
        let buckets = WideColumn(arguments[0])
        let output = result.pointer(Int64.self)
        for row in partition.start..<partition.end {
            if buckets.isNull(row) {
                result.valid[row] = 0
                continue
            }
            guard let number = Int(exactly: buckets[row]), number > 0 else {
                throw SQLError("22014", "argument of ntile must be greater than zero")
            }
            // The first `rest` buckets have one row more.
            let (size, rest) = partition.count.quotientAndRemainder(dividingBy: number)
            let place = row - partition.start
            let larger = rest * (size + 1)
            output[row] = Int64(place < larger ? place / (size + 1) + 1 : rest + (place - larger) / max(size, 1) + 1)
        }
    }

    private func ratio(_ partition: WindowPartition) throws {
        let column = WideColumn(arguments[0])
        let output = result.pointer(Double.self)
        var sum = 0.0
        for row in partition.start..<partition.end where !column.isNull(row) { sum += column.double(row) }
        for row in partition.start..<partition.end {
            if column.isNull(row) {
                result.valid[row] = 0
            } else {
                if sum == 0 { throw DecimalArithmetic.divisionByZero }
                output[row] = column.double(row) / sum
            }
        }
    }

    // MARK: Values of other rows

    /// Copies the argument's value of `source` into the result, NULL for none.
    private func put(_ row: Int, _ source: Int?, _ column: RowSet.Column) {
        guard let source, column.validity.map({ $0[source] != 0 }) ?? true else {
            result.valid[row] = 0
            return
        }
        let width = column.form.physical.byteWidth
        (result.column.values + row * width).copyMemory(from: column.values + source * width, byteCount: width)
    }

    /// Places of rows with a value and, for every row, how many of them come before it. Rows count from the partition's
    /// first.
    private func valuePlaces(
        _ partition: WindowPartition, _ scratch: WindowScratch
    ) throws -> (places: UnsafeMutablePointer<Int>, before: UnsafeMutablePointer<Int>, count: Int) {
        try scratch.reserve(partition.count)
        let places = scratch.numbers
        let before = scratch.numbers + partition.count + 1
        var count = 0
        for place in 0..<partition.count {
            before[place] = count
            if !call.ignoreNulls || (arguments[0].validity.map { $0[partition.start + place] != 0 } ?? true) {
                places[count] = place
                count += 1
            }
        }
        before[partition.count] = count
        return (places, before, count)
    }

    private func shifted(_ partition: WindowPartition, _ scratch: WindowScratch, forward: Bool) throws {
        let offsets = arguments.count > 1 ? WideColumn(arguments[1]) : nil
        let fallback = arguments.count > 2 ? arguments[2] : nil
        let (places, before, count) = try valuePlaces(partition, scratch)
        for place in 0..<partition.count {
            let row = partition.start + place
            guard let offset = offsets.map({ $0.isNull(row) ? nil : Int(exactly: $0[row]) }) ?? 1 else {
                result.valid[row] = 0
                continue
            }
            if offset == 0 {
                put(row, row, arguments[0])
                continue
            }
            let step = max(min(forward ? offset : 0 - offset, partition.count + 1), -partition.count - 1)
            let present = before[place + 1] - before[place]
            // Ahead of a row without a value the next one is already one step away.
            let index = step < 0 ? before[place] + step : before[place] + present + step - 1
            if index >= 0 && index < count {
                put(row, partition.start + places[index], arguments[0])
            } else if let fallback {
                put(row, row, fallback)
            } else {
                result.valid[row] = 0
            }
        }
    }

    private func framed(_ partition: WindowPartition, _ scratch: WindowScratch) throws {
        try frames.fill(partition, scratch)
        let (places, before, _) = try valuePlaces(partition, scratch)
        let numbers = call.function == .nthValue ? WideColumn(arguments[1]) : nil
        let isLast = call.function == .lastValue
        for place in 0..<partition.count {
            let row = partition.start + place
            let (low, high) = (before[scratch.starts[place]], before[scratch.ends[place]])
            var index = low
            if isLast { index = high - 1 }
            if let numbers {
                guard !numbers.isNull(row) else {
                    result.valid[row] = 0
                    continue
                }
                guard let number = Int(exactly: numbers[row]), number > 0 else {
                    throw SQLError("22016", "argument of nth_value must be greater than zero")
                }
                index = number > high - low ? -1 : low + number - 1
            }
            put(row, index >= low && index < high ? partition.start + places[index] : nil, arguments[0])
        }
    }
}
