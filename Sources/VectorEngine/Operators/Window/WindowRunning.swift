import ColumnVectors
import QueryPlan
import SQLTypes

/// Ranks, counts and integer sums over a partition or from its first row: one pass over the rows of any number of
/// partitions, in the narrowest form that the bounds prove. Everything else goes partition by partition through frames.
struct WindowRunning {
    private enum Function { case rowNumber, rank, denseRank, count, sum }
    private enum Shape {
        /// Up to the row, up to its last peer, all of the partition.
        case rows, peers, whole
    }
    private let function: Function
    private let shape: Shape
    private let argument: RowSet.Column?
    let physical: PhysicalType
    let bounds: (lower: Int128, upper: Int128)

    init?(_ call: WindowCall, _ arguments: [RowSet.Column], _ frames: WindowFrames, rows: Int) {
        argument = arguments.first
        switch call.function {
        case .rowNumber: (function, shape) = (.rowNumber, .rows)
        case .rank: (function, shape) = (.rank, .rows)
        case .denseRank: (function, shape) = (.denseRank, .rows)
        case .aggregate(let aggregate):
            if frames.isWhole {
                shape = .whole
            } else if frames.endsAtRow {
                shape = .rows
            } else if frames.endsAtPeers {
                shape = .peers
            } else {
                return nil
            }
            switch aggregate {
            case .countRows, .count: function = .count
            case .sum where arguments[0].form.isInteger && arguments[0].form.type.scale == call.type.scale:
                guard call.type != .interval else { return nil }
                function = .sum
            default: return nil
            }
        default: return nil
        }
        if function == .sum, let form = arguments.first?.form {
            let most = Int128(max(rows, 1))
            let (low, tooLow) = min(form.lower, 0).multipliedReportingOverflow(by: most)
            let (high, tooHigh) = max(form.upper, 0).multipliedReportingOverflow(by: most)
            let limits = call.type.valueBounds
            guard !tooLow, !tooHigh, low >= max(limits.lower, Int128(Int64.min)),
                high <= min(limits.upper, Int128(Int64.max))
            else { return nil }
            bounds = (low, high)
        } else {
            bounds = (0, Int128(rows))
        }
        let narrowest = PhysicalType.narrowest(bounds.lower, bounds.upper)
        physical = narrowest == .int64 ? .int64 : .int32
    }

    func evaluate(_ borders: WindowBorders, _ range: Range<Int>, _ result: WindowResult) {
        borders.partitions.withUnsafeBufferPointer { starts in
            guard let first = starts.baseAddress else { return }
            if physical == .int32 {
                evaluate(first, range, borders.peers, result, result.pointer(Int32.self))
            } else {
                evaluate(first, range, borders.peers, result, result.pointer(Int64.self))
            }
        }
    }

    private func evaluate<Output: FixedWidthInteger>(
        _ starts: UnsafePointer<Int>, _ range: Range<Int>, _ peers: UnsafePointer<UInt8>, _ result: WindowResult,
        _ output: UnsafeMutablePointer<Output>
    ) {
        switch function {
        case .rowNumber:
            for index in range {
                var number: Output = 0
                for row in starts[index]..<starts[index + 1] {
                    number &+= 1
                    output[row] = number
                }
            }
        case .rank, .denseRank: ranks(starts, range, peers, output)
        case .count, .sum:
            let run = WindowRun(
                starts: starts, range: range, peers: shape == .peers ? peers : nil, isWhole: shape == .whole)
            totals(run, result, output)
        }
    }

    private func ranks<Output: FixedWidthInteger>(
        _ starts: UnsafePointer<Int>, _ range: Range<Int>, _ peers: UnsafePointer<UInt8>,
        _ output: UnsafeMutablePointer<Output>
    ) {
        let dense = function == .denseRank
        for index in range {
            var place: Output = 0, value: Output = 0
            for row in starts[index]..<starts[index + 1] {
                place &+= 1
                if peers[row] != 0 { value = dense ? value &+ 1 : place }
                output[row] = value
            }
        }
    }

    private func totals<Output: FixedWidthInteger>(
        _ run: WindowRun, _ result: WindowResult, _ output: UnsafeMutablePointer<Output>
    ) {
        guard let argument else {
            return run.totals(output, valid: nil) { _ in (1, 1) }
        }
        let validity = argument.validity
        if function == .count {
            return run.totals(output, valid: nil) { row in (validity.map { Output($0[row]) } ?? 1, 1) }
        }
        switch argument.form.physical {
        case .uint8: sums(argument, UInt8.self, run, result, output)
        case .uint16: sums(argument, UInt16.self, run, result, output)
        case .int32: sums(argument, Int32.self, run, result, output)
        case .int64: sums(argument, Int64.self, run, result, output)
        default: sums(argument, Int128.self, run, result, output)
        }
    }

    @inline(__always)
    private func sums<Value: FixedWidthInteger, Output: FixedWidthInteger>(
        _ argument: RowSet.Column, _: Value.Type, _ run: WindowRun, _ result: WindowResult,
        _ output: UnsafeMutablePointer<Output>
    ) {
        let values = argument.values.assumingMemoryBound(to: Value.self)
        guard let validity = argument.validity else {
            return run.totals(output, valid: nil) { (Output(truncatingIfNeeded: values[$0]), 1) }
        }
        run.totals(output, valid: result.valid) {
            (Output(truncatingIfNeeded: values[$0]) & (0 &- Output(validity[$0])), validity[$0])
        }
    }
}

/// Some partitions of the sorted rows, and how far the frames of their rows reach.
private struct WindowRun {
    let starts: UnsafePointer<Int>
    let range: Range<Int>
    /// Set when a frame ends with the row's last peer: 1 where a group of peers begins.
    let peers: UnsafePointer<UInt8>?
    let isWhole: Bool

    /// Adds `value` row by row; `valid` becomes 0 where a frame has no row with a value.
    @inline(__always)
    func totals<Output: FixedWidthInteger>(
        _ output: UnsafeMutablePointer<Output>, valid: UnsafeMutablePointer<UInt8>?,
        _ value: (_ row: Int) -> (value: Output, present: UInt8)
    ) {
        for index in range {
            let start = starts[index], end = starts[index &+ 1]
            var total: Output = 0, seen: UInt8 = 0
            if isWhole || peers != nil {
                var row = start
                while row < end {
                    let first = row
                    repeat {
                        let (more, present) = value(row)
                        total &+= more
                        seen |= present
                        row &+= 1
                    } while row < end && (isWhole || peers?[row] == 0)
                    for place in first..<row { output[place] = total }
                    if let valid { for place in first..<row { valid[place] = seen } }
                }
            } else {
                for row in start..<end {
                    let (more, present) = value(row)
                    total &+= more
                    seen |= present
                    output[row] = total
                    if let valid { valid[row] = seen }
                }
            }
        }
    }
}
