import ColumnVectors
import Glibc
import SQLTypes

/// Form text: all bytes, then the lengths in 1, 2 or 4 bytes each.
enum TextEncoding {
    struct Measure {
        var bytes = 0
        var longest = 0
        var hasTrailingBlanks = false
    }

    /// - Parameter views: of NULL rows: empty.
    static func measure(_ views: UnsafePointer<StringView>, _ count: Int) -> Measure {
        var measure = Measure()
        for row in 0..<count {
            let view = views[row]
            measure.bytes &+= Int(view.count)
            measure.longest = max(measure.longest, Int(view.count))
            if view.endsWithBlank { measure.hasTrailingBlanks = true }
        }
        return measure
    }

    static func lengthWidth(_ longest: Int) -> Int { longest <= 0xFF ? 1 : longest <= 0xFFFF ? 2 : 4 }

    /// - Parameter raw: has room for the measured bytes, 4 bytes a row and the bitmap.
    static func encode(
        _ views: UnsafePointer<StringView>, _ measure: Measure, validity: UnsafePointer<UInt8>?, count: Int,
        nullCount: Int, into raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        var block = BlockDescriptor()
        block.form = .text
        block.rowCount = count
        block.nullCount = nullCount
        block.hasTrailingBlanks = measure.hasTrailingBlanks
        block.heapLength = measure.bytes
        block.width = lengthWidth(measure.longest)
        copy(views, count, raw.assumingMemoryBound(to: UInt8.self))
        let lengths = raw + measure.bytes
        switch block.width {
        case 1: store(views, count, lengths, UInt8.self)
        case 2: store(views, count, lengths, UInt16.self)
        default: store(views, count, lengths, UInt32.self)
        }
        if let validity, block.bitmapLength > 0 {
            packBits(validity, count, (lengths + count * block.width).assumingMemoryBound(to: UInt8.self))
        }
        return block
    }

    private static func copy(
        _ views: UnsafePointer<StringView>, _ count: Int, _ heap: UnsafeMutablePointer<UInt8>
    ) {
        var position = heap
        for row in 0..<count {
            let view = views[row]
            memcpy(position, view.pointer, Int(view.count))
            position += Int(view.count)
        }
    }

    @inline(__always)
    private static func store<Length: FixedWidthInteger>(
        _ views: UnsafePointer<StringView>, _ count: Int, _ target: UnsafeMutableRawPointer, _ type: Length.Type
    ) {
        for row in 0..<count {
            target.storeBytes(
                of: Length(truncatingIfNeeded: views[row].count), toByteOffset: row &* MemoryLayout<Length>.size,
                as: type)
        }
    }
}
