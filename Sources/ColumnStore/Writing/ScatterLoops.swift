import ColumnVectors
import Glibc
import SQLTypes

/// Some rows of a batch: `positions`, or the run from `start`.
struct RowSelection {
    var positions: UnsafePointer<UInt32>?
    var start: Int
    var count: Int

    func part(from offset: Int, count: Int) -> RowSelection {
        RowSelection(positions: positions.map { $0 + offset }, start: start + offset, count: count)
    }
    @inline(__always)
    func row(_ index: Int) -> Int { positions.map { Int($0[index]) } ?? start &+ index }
}

/// The copying loops of lanes: one call per batch, column and slice.
enum ScatterLoops {
    /// Copies values of equal or wider integer form, or of the same form.
    static func copyValues(
        _ source: ColumnBuffer, _ rows: RowSelection, to target: UnsafeMutableRawPointer, as form: PhysicalType
    ) {
        if source.physical == form {
            copy(source.values, rows, target, form.byteWidth)
            return
        }
        switch form {
        case .uint8: convert(source, rows, target.assumingMemoryBound(to: UInt8.self))
        case .uint16: convert(source, rows, target.assumingMemoryBound(to: UInt16.self))
        case .int32: convert(source, rows, target.assumingMemoryBound(to: Int32.self))
        case .int64: convert(source, rows, target.assumingMemoryBound(to: Int64.self))
        default: convert(source, rows, target.assumingMemoryBound(to: Int128.self))
        }
    }

    /// The narrowest of the forms in which chunks hold integers that has room for all values, also the undefined ones
    /// of NULL rows: 16 bits without a sign, 32, 64.
    static func narrowestForm(_ source: ColumnBuffer) -> PhysicalType {
        var used: Int64 = 0
        var outside: Int64 = 0
        switch source.physical {
        case .uint8, .uint16: return .uint16
        case .int32:
            let values = UnsafePointer(source.values(as: Int32.self))
            var bits: Int32 = 0
            for row in 0..<source.count { bits |= values[row] }
            used = Int64(bits)
        case .int64:
            let values = UnsafePointer(source.values(as: Int64.self))
            for row in 0..<source.count {
                used |= values[row]
                outside |= values[row] ^ Int64(Int32(truncatingIfNeeded: values[row]))
            }
        case .int128, .float64, .string: return source.physical
        }
        return used >> 16 == 0 ? .uint16 : outside == 0 ? .int32 : .int64
    }

    /// Copies values of `width` bytes.
    static func copy(
        _ source: UnsafeRawPointer, _ rows: RowSelection, _ target: UnsafeMutableRawPointer, _ width: Int
    ) {
        guard let positions = rows.positions else {
            memcpy(target, source + rows.start * width, rows.count * width)
            return
        }
        switch width {
        case 1: gather(source, positions, rows.count, target, UInt8.self)
        case 2: gather(source, positions, rows.count, target, UInt16.self)
        case 4: gather(source, positions, rows.count, target, UInt32.self)
        case 8: gather(source, positions, rows.count, target, UInt64.self)
        default: gather(source, positions, rows.count, target, Int128.self)
        }
    }

    @inline(__always)
    private static func gather<Value: FixedWidthInteger>(
        _ source: UnsafeRawPointer, _ positions: UnsafePointer<UInt32>, _ count: Int, _ target: UnsafeMutableRawPointer,
        _ type: Value.Type
    ) {
        let input = source.assumingMemoryBound(to: type)
        let output = target.assumingMemoryBound(to: type)
        for index in 0..<count { output[index] = input[Int(positions[index])] }
    }

    @inline(__always)
    private static func convert<To: FixedWidthInteger>(
        _ source: ColumnBuffer, _ rows: RowSelection, _ target: UnsafeMutablePointer<To>
    ) {
        switch source.physical {
        case .uint8: convert(source.values(as: UInt8.self), rows, target)
        case .uint16: convert(source.values(as: UInt16.self), rows, target)
        case .int32: convert(source.values(as: Int32.self), rows, target)
        case .int64: convert(source.values(as: Int64.self), rows, target)
        default: convert(source.values(as: Int128.self), rows, target)
        }
    }

    @inline(__always)
    private static func convert<From: FixedWidthInteger, To: FixedWidthInteger>(
        _ source: UnsafeMutablePointer<From>, _ rows: RowSelection, _ target: UnsafeMutablePointer<To>
    ) {
        if let positions = rows.positions {
            for index in 0..<rows.count { target[index] = To(truncatingIfNeeded: source[Int(positions[index])]) }
        } else {
            let run = source + rows.start
            for index in 0..<rows.count { target[index] = To(truncatingIfNeeded: run[index]) }
        }
    }

    /// Bytes of the selected strings; views of NULL rows count as empty.
    static func stringBytes(
        _ views: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ rows: RowSelection
    ) -> Int {
        var total = 0
        if let positions = rows.positions {
            for index in 0..<rows.count {
                let row = Int(positions[index])
                total &+= Int(views[row].count) &* Int(validity.map { $0[row] } ?? 1)
            }
        } else {
            for row in rows.start..<rows.start &+ rows.count {
                total &+= Int(views[row].count) &* Int(validity.map { $0[row] } ?? 1)
            }
        }
        return total
    }

    /// Appends string bytes at `heap[position...]`; returns the position after them.
    static func copyStrings(
        _ views: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ rows: RowSelection, trim: Bool,
        heap: UnsafeMutablePointer<UInt8>, position start: Int, offsets: UnsafeMutablePointer<UInt32>
    ) -> Int {
        var position = start
        for index in 0..<rows.count {
            let row = rows.row(index)
            if validity.map({ $0[row] != 0 }) ?? true {
                let view = views[row]
                let length = trim ? view.trimmedCount : Int(view.count)
                memcpy(heap + position, view.pointer, length)
                position &+= length
            }
            offsets[index &+ 1] = UInt32(truncatingIfNeeded: position)
        }
        return position
    }
}
