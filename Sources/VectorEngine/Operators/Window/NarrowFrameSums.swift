import ColumnVectors
import SQLTypes

/// Sums over frames as differences of running sums of 64 bits, for as long as those of a partition fit: without 128-bit
/// arithmetic and choices of types for each row. ``WindowAggregate`` does what is left, errors included.
struct NarrowFrameSums {
    private let argument: RowSet.Column
    private let type: SQLType
    private let result: WindowResult

    /// nil: values or sums are not integers of the widths that this knows.
    init?(_ argument: RowSet.Column, _ type: SQLType, _ result: WindowResult) {
        guard type != .interval, argument.form.type != .interval else { return nil }
        switch argument.form.physical {
        case .uint8, .uint16, .int32, .int64: break
        default: return nil
        }
        guard type.physical == .int64 || type.physical == .int128 else { return nil }
        self.argument = argument
        self.type = type
        self.result = result
    }

    /// - Parameter before: `before[i]`: values among the rows before row i.
    /// - Returns: false when a sum leaves 64 bits or the type: the partition's results are not settled.
    func fill(_ partition: WindowPartition, _ scratch: WindowScratch, _ before: UnsafeMutablePointer<Int>) -> Bool {
        let sums = UnsafeMutableRawPointer(scratch.sums).assumingMemoryBound(to: Int64.self)
        let runs =
            switch argument.form.physical {
            case .uint8: runningSums(UInt8.self, partition, sums)
            case .uint16: runningSums(UInt16.self, partition, sums)
            case .int32: runningSums(Int32.self, partition, sums)
            case .int64: runningSums(Int64.self, partition, sums)
            case .int128, .float64, .string: false
            }
        guard runs else { return false }
        return type.physical == .int64
            ? differences(Int64.self, partition, scratch, sums, before)
            : differences(Int128.self, partition, scratch, sums, before)
    }

    private func runningSums<Value: FixedWidthInteger>(
        _: Value.Type, _ partition: WindowPartition, _ sums: UnsafeMutablePointer<Int64>
    ) -> Bool {
        let values = argument.values.assumingMemoryBound(to: Value.self) + partition.start
        let validity = argument.validity.map { $0 + partition.start }
        var sum: Int64 = 0, overflows = false
        for place in 0..<partition.count {
            sums[place] = sum
            if let validity, validity[place] == 0 { continue }
            let (next, overflow) = sum.addingReportingOverflow(Int64(truncatingIfNeeded: values[place]))
            sum = next
            overflows = overflows || overflow
        }
        sums[partition.count] = sum
        return !overflows
    }

    private func differences<Sum: FixedWidthInteger>(
        _: Sum.Type, _ partition: WindowPartition, _ scratch: WindowScratch, _ sums: UnsafeMutablePointer<Int64>,
        _ before: UnsafeMutablePointer<Int>
    ) -> Bool {
        let (least, greatest) = type.valueBounds
        let low = Int64(clamping: least), high = Int64(clamping: greatest)
        let output = result.pointer(Sum.self) + partition.start, valid = result.valid + partition.start
        let starts = scratch.starts, ends = scratch.ends
        var fits = true
        for place in 0..<partition.count {
            let start = starts[place], end = ends[place]
            let (sum, overflow) = sums[end].subtractingReportingOverflow(sums[start])
            if before[end] == before[start] {
                valid[place] = 0
                continue
            }
            fits = fits && !overflow && sum >= low && sum <= high
            output[place] = Sum(truncatingIfNeeded: sum)
        }
        return fits
    }
}
