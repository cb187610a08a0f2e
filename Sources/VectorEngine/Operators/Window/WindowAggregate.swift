import ColumnVectors
import QueryPlan
import SQLTypes

/// An aggregate over frames whose ends only move forward. Integer sums and counts are differences of running sums,
/// extremes come from a monotonic queue, everything else is folded while frames only grow and taken from a segment tree
/// otherwise.
struct WindowAggregate {
    private let function: AggregateFunction
    private let call: WindowCall
    private let arguments: [RowSet.Column]
    private let result: WindowResult
    private let frames: WindowFrames
    private let takesNarrowSums: Bool

    init(
        _ function: AggregateFunction, _ call: WindowCall, _ arguments: [RowSet.Column], _ result: WindowResult,
        _ frames: WindowFrames, takesNarrowSums: Bool
    ) {
        self.takesNarrowSums = takesNarrowSums
        self.function = function
        self.call = call
        self.arguments = arguments
        self.result = result
        self.frames = frames
    }

    func evaluate(_ partition: WindowPartition, _ scratch: WindowScratch) throws {
        switch function {
        case .countRows, .count: counts(partition, scratch)
        case .sum, .average:
            if arguments[0].form.physical == .float64 {
                doubleSums(partition, scratch)
            } else {
                try integerSums(partition, scratch)
            }
        case .minimum, .maximum: extremes(partition, scratch)
        case .anyValue: anyValues(partition, scratch)
        case .standardDeviationSample, .standardDeviationPopulation, .varianceSample, .variancePopulation:
            moments(partition, scratch)
        case .boolAnd, .boolOr, .bitAnd, .bitOr: bits(partition, scratch)
        case .hllSketch, .hllCombine: throw SQLError(.internalError, "sketches have no windows")
        case .median, .percentileContinuous, .percentileDiscrete, .listAggregate, .approximateCountDistinct:
            try WindowCollectedAggregate(function, call, arguments, result).evaluate(partition, scratch, frames)
        }
    }

    /// `numbers[i]`: values among the rows before row i.
    private func countValues(_ partition: WindowPartition, _ scratch: WindowScratch) -> UnsafeMutablePointer<Int> {
        let before = scratch.numbers
        let validity = arguments.first?.validity
        var count = 0
        for place in 0..<partition.count {
            before[place] = count
            count += validity.map { Int($0[partition.start + place]) } ?? 1
        }
        before[partition.count] = count
        return before
    }

    private func counts(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let before = countValues(partition, scratch)
        let output = result.pointer(Int64.self)
        for place in 0..<partition.count {
            output[partition.start + place] = Int64(before[scratch.ends[place]] - before[scratch.starts[place]])
        }
    }

    // MARK: Sums

    /// `sums[i]`: of the values before row i, wrapped; `wraps[i]`: how often upwards, less those downwards. No wraps,
    /// which is usual, are an empty list.
    private func runningSums(_ partition: WindowPartition, _ sums: UnsafeMutablePointer<Int128>) throws -> [Int32] {
        let column = WideColumn(arguments[0])
        let isInterval = arguments[0].form.type == .interval
        var wraps: [Int32] = []
        var sum: Int128 = 0, wrapped: Int32 = 0
        for place in 0..<partition.count {
            sums[place] = sum
            if !wraps.isEmpty { wraps[place] = wrapped }
            if column.isNull(partition.start + place) { continue }
            var value = column[partition.start + place]
            if isInterval { value = try IntervalSummand.number(value) }
            let (next, overflow) = sum.addingReportingOverflow(value)
            sum = next
            if overflow {
                if wraps.isEmpty { wraps = Array(repeating: 0, count: partition.count + 1) }
                wrapped += value < 0 ? -1 : 1
            }
        }
        sums[partition.count] = sum
        if !wraps.isEmpty { wraps[partition.count] = wrapped }
        return wraps
    }

    /// Running sums may wrap; a frame's own sum must fit.
    private func integerSums(_ partition: WindowPartition, _ scratch: WindowScratch) throws {
        let before = countValues(partition, scratch)
        if takesNarrowSums && function == .sum,
            let narrow = NarrowFrameSums(arguments[0], call.type, result), narrow.fill(partition, scratch, before)
        {
            return
        }
        let sums = scratch.sums
        let wraps = try runningSums(partition, sums)
        let (low, high) = call.type.valueBounds
        let shift = call.type.scale - arguments[0].form.type.scale
        for place in 0..<partition.count {
            let row = partition.start + place
            let (start, end) = (scratch.starts[place], scratch.ends[place])
            let count = before[end] - before[start]
            if count == 0 {
                result.valid[row] = 0
                continue
            }
            var (value, overflow) = sums[end].subtractingReportingOverflow(sums[start])
            let borrowed: Int32 = overflow ? (sums[start] < 0 ? 1 : -1) : 0
            guard (wraps.isEmpty ? 0 : wraps[end] - wraps[start]) + borrowed == 0 else {
                throw DecimalArithmetic.overflow()
            }
            if call.type == .interval {
                let interval =
                    try function == .average
                    ? IntervalSummand.mean(value, Int64(count)) : IntervalSummand.interval(value)
                put(row, interval.packed)
                continue
            }
            if function == .average { value = try average(value, count, shift) }
            guard value >= low && value <= high else {
                throw call.type.isDecimal ? DecimalArithmetic.overflow() : ArithmeticFunctions.outOfRange(call.type)
            }
            put(row, value)
        }
    }

    /// Decimals are rounded half away from zero, integers cut.
    private func average(_ sum: Int128, _ count: Int, _ shift: Int) throws -> Int128 {
        guard let scaled = DecimalArithmetic.rescaled(sum, from: 0, to: max(shift, 0)) else {
            throw DecimalArithmetic.overflow()
        }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: Int128(count))
        guard call.type.isDecimal, rest.magnitude * 2 >= UInt128(count) else { return whole }
        return whole + (scaled < 0 ? -1 : 1)
    }

    private func put(_ row: Int, _ value: Int128) {
        switch call.type.physical {
        case .uint8: result.pointer(UInt8.self)[row] = UInt8(truncatingIfNeeded: value)
        case .uint16: result.pointer(UInt16.self)[row] = UInt16(truncatingIfNeeded: value)
        case .int32: result.pointer(Int32.self)[row] = Int32(truncatingIfNeeded: value)
        case .int64: result.pointer(Int64.self)[row] = Int64(truncatingIfNeeded: value)
        case .float64: result.pointer(Double.self)[row] = Double(value)
        default: result.pointer(Int128.self)[row] = value
        }
    }

    private func doubleSums(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let before = countValues(partition, scratch)
        let column = WideColumn(arguments[0])
        let output = result.pointer(Double.self)
        fold(
            partition, scratch, empty: 0.0,
            leaf: { column.isNull(partition.start + $0) ? 0 : column.double(partition.start + $0) }, combine: +
        ) { place, sum in
            let row = partition.start + place
            let count = before[scratch.ends[place]] - before[scratch.starts[place]]
            if count == 0 { result.valid[row] = 0 }
            output[row] = function == .average ? sum / Double(max(count, 1)) : sum
        }
    }

    /// Calls `emit` with every row's combined value.
    private func fold<Node>(
        _ partition: WindowPartition, _ scratch: WindowScratch, empty: Node, leaf: (Int) -> Node,
        combine: @escaping (Node, Node) -> Node, emit: (Int, Node) -> Void
    ) {
        if frames.startsAtFirst {
            var value = empty
            var done = 0
            for place in 0..<partition.count {
                while done < scratch.ends[place] {
                    value = combine(value, leaf(done))
                    done += 1
                }
                emit(place, value)
            }
            return
        }
        let tree = SegmentTree(partition.count, empty: empty, leaf: leaf, combine: combine)
        for place in 0..<partition.count {
            emit(place, tree.value(scratch.starts[place], scratch.ends[place], empty: empty))
        }
    }

    // MARK: Extremes

    /// The queue holds rows that may still become the extreme, best first.
    private func extremes(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let column = arguments[0]
        let wanted = function == .minimum ? 1 : -1
        let queue = scratch.numbers
        var head = 0
        var tail = 0
        var next = 0
        for place in 0..<partition.count {
            while next < scratch.ends[place] {
                let row = partition.start + next
                if column.validity.map({ $0[row] != 0 }) ?? true {
                    while tail > head
                        && compareColumnValues(column, partition.start + queue[tail - 1], row) * wanted > 0
                    {
                        tail -= 1
                    }
                    queue[tail] = next
                    tail += 1
                }
                next += 1
            }
            while head < tail && queue[head] < scratch.starts[place] { head += 1 }
            let inside = head < tail && queue[head] < scratch.ends[place]
            copy(partition.start + place, inside ? partition.start + queue[head] : nil)
        }
    }

    private func anyValues(_ partition: WindowPartition, _ scratch: WindowScratch) {
        var candidate = 0
        for place in 0..<partition.count {
            candidate = max(candidate, scratch.starts[place])
            while candidate < scratch.ends[place], let validity = arguments[0].validity,
                validity[partition.start + candidate] == 0
            {
                candidate += 1
            }
            copy(partition.start + place, candidate < scratch.ends[place] ? partition.start + candidate : nil)
        }
    }

    private func copy(_ row: Int, _ source: Int?) {
        guard let source else {
            result.valid[row] = 0
            return
        }
        let width = arguments[0].form.physical.byteWidth
        (result.column.values + row * width).copyMemory(from: arguments[0].values + source * width, byteCount: width)
    }

    // MARK: Variance

    private struct Moments {
        var count = 0.0
        var mean = 0.0
        var squares = 0.0
        static func combine(_ left: Moments, _ right: Moments) -> Moments {
            if left.count == 0 { return right }
            if right.count == 0 { return left }
            let count = left.count + right.count
            let distance = right.mean - left.mean
            return Moments(
                count: count, mean: left.mean + distance * right.count / count,
                squares: left.squares + right.squares + distance * distance * left.count * right.count / count)
        }
    }

    private func moments(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let column = WideColumn(arguments[0])
        let output = result.pointer(Double.self)
        let isSample = function == .standardDeviationSample || function == .varianceSample
        let isRoot = function == .standardDeviationSample || function == .standardDeviationPopulation
        fold(
            partition, scratch, empty: Moments(),
            leaf: {
                if column.isNull(partition.start + $0) { return Moments() }
                let value = column.double(partition.start + $0)
                // Around a value that is not finite nothing has a distance.
                return Moments(count: 1, mean: value, squares: value.isFinite ? 0 : .nan)
            }, combine: Moments.combine
        ) { place, value in
            let row = partition.start + place
            let divisor = isSample ? value.count - 1 : value.count
            if divisor <= 0 {
                result.valid[row] = 0
            } else {
                // Rounding may leave it a little below zero; NaN stays.
                let quotient = value.squares / divisor
                let variance = quotient < 0 ? 0 : quotient
                output[row] = isRoot ? variance.squareRoot() : variance
            }
        }
    }

    // MARK: Bits

    private func bits(_ partition: WindowPartition, _ scratch: WindowScratch) {
        let before = countValues(partition, scratch)
        let column = WideColumn(arguments[0])
        let isAnd = function == .boolAnd || function == .bitAnd
        let empty: Int128 = isAnd ? -1 : 0
        fold(
            partition, scratch, empty: empty,
            leaf: { column.isNull(partition.start + $0) ? empty : column[partition.start + $0] },
            combine: { isAnd ? $0 & $1 : $0 | $1 }
        ) { place, value in
            let row = partition.start + place
            if before[scratch.ends[place]] == before[scratch.starts[place]] {
                result.valid[row] = 0
            } else {
                put(row, value)
            }
        }
    }
}
