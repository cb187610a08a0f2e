import ColumnVectors
import SQLTypes

/// What one block adds to its column's summary. NULL rows of integer forms hold the block's minimum by now.
enum BlockStatistics {
    @inline(__always)
    static func runs<Value: FixedWidthInteger>(_ values: UnsafePointer<Value>, _ count: Int) -> Int {
        var changes = 1
        for row in 1..<max(count, 1) {
            changes &+= Int(truncatingIfNeeded: unsafeBitCast(values[row] != values[row &- 1], to: UInt8.self))
        }
        return changes
    }

    /// Small ranges are marked first, so that each distinct value is hashed once.
    @inline(__always)
    static func sketch<Value: FixedWidthInteger>(
        _ values: UnsafePointer<Value>, _ count: Int, _ block: BlockDescriptor, _ marks: UnsafeMutablePointer<UInt8>,
        _ sketch: inout DistinctSketch
    ) {
        let low = block.minimum
        let (range, overflow) = block.maximum.subtractingReportingOverflow(low)
        _ = sketch.withRegisters { registers in
            if !overflow && range < 65_536 {
                for row in 0..<count {
                    marks[Int(truncatingIfNeeded: Int64(truncatingIfNeeded: values[row]) &- low)] = 1
                }
                for offset in 0...Int(range) where marks[offset] != 0 {
                    marks[offset] = 0
                    DistinctSketch.insert(sketchHash(UInt64(bitPattern: low &+ Int64(offset))), into: registers)
                }
            } else {
                for row in 0..<count {
                    let value = Int64(truncatingIfNeeded: values[row])
                    DistinctSketch.insert(sketchHash(UInt64(bitPattern: value)), into: registers)
                }
            }
        }
    }

    static func sketch(
        codes: UnsafePointer<UInt16>, _ count: Int, _ views: UnsafePointer<StringView>,
        _ marks: UnsafeMutablePointer<UInt8>, _ sketch: inout DistinctSketch
    ) {
        _ = sketch.withRegisters { registers in
            var highest = 0
            for row in 0..<count {
                marks[Int(codes[row])] = 1
                highest = max(highest, Int(codes[row]))
            }
            for code in 0...highest where marks[code] != 0 {
                marks[code] = 0
                DistinctSketch.insert(sketchHash(views[code].hashTrimmed), into: registers)
            }
        }
    }

    static func stringBytes(
        _ codes: UnsafePointer<UInt16>, _ validity: UnsafePointer<UInt8>?, _ count: Int,
        _ views: UnsafePointer<StringView>
    ) -> Int {
        var total = 0
        for row in 0..<count where validity.map({ $0[row] != 0 }) ?? true {
            total &+= Int(views[Int(codes[row])].count)
        }
        return total
    }

    static func wide(
        _ values: UnsafePointer<Int128>, _ validity: UnsafePointer<UInt8>?, _ count: Int, isInterval: Bool
    ) -> ColumnSummary {
        var summary = ColumnSummary()
        var low: Int128?
        var high: Int128?
        _ = summary.sketch.withRegisters { registers in
            for row in 0..<count where validity.map({ $0[row] != 0 }) ?? true {
                let value = values[row]
                low = low.map { min($0, value) } ?? value
                high = high.map { max($0, value) } ?? value
                let upper = sketchHash(UInt64(truncatingIfNeeded: value &>> 64))
                DistinctSketch.insert(sketchHash(UInt64(truncatingIfNeeded: value) ^ upper), into: registers)
            }
        }
        summary.runCount = runs(values, count)
        // The packed form's order is not that of intervals.
        if !isInterval, let low, let high {
            summary.minimum = .integer(low)
            summary.maximum = .integer(high)
        }
        return summary
    }

    /// NaN counts as the greatest value, -0.0 as 0.0.
    static func floats(
        _ values: UnsafePointer<Double>, _ validity: UnsafePointer<UInt8>?, _ count: Int
    ) -> ColumnSummary {
        var summary = ColumnSummary()
        var low = Double.infinity
        var high = -Double.infinity
        var numbers = 0
        var hasNaN = false
        _ = summary.sketch.withRegisters { registers in
            for row in 0..<count where validity.map({ $0[row] != 0 }) ?? true {
                let value = values[row]
                DistinctSketch.insert(DistributionHash.double(value), into: registers)
                if value.isNaN {
                    hasNaN = true
                } else {
                    low = min(low, value)
                    high = max(high, value)
                    numbers &+= 1
                }
            }
        }
        values.withMemoryRebound(to: Int64.self, capacity: count) { summary.runCount = runs($0, count) }
        if numbers > 0 || hasNaN {
            summary.minimum = .double(numbers > 0 ? low : .nan)
            summary.maximum = .double(hasNaN ? .nan : high)
        }
        return summary
    }

    static func text(
        _ views: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ count: Int
    ) -> ColumnSummary {
        var summary = ColumnSummary()
        var low: StringView?
        var high: StringView?
        var changes = 1
        _ = summary.sketch.withRegisters { registers in
            for row in 0..<count {
                if row > 0 && !StringView.equal(views[row], views[row &- 1]) { changes &+= 1 }
                if let validity, validity[row] == 0 { continue }
                let view = views[row].trimmed
                DistinctSketch.insert(sketchHash(view.hash), into: registers)
                if low.map({ StringView.compare(view, $0) < 0 }) ?? true { low = view }
                if high.map({ StringView.compare(view, $0) > 0 }) ?? true { high = view }
            }
        }
        summary.runCount = changes
        if let low, let high {
            summary.minimum = ColumnSummary.lowerBound(low.bytes)
            summary.maximum = ColumnSummary.upperBound(high.bytes) ?? .null
        }
        return summary
    }
}
