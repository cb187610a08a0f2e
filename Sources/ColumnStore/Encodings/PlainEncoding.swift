import Glibc
import SQLTypes

/// Forms wide and float: the values as they are. NULL rows hold zero.
enum PlainEncoding {
    static func encodeWide(
        _ values: UnsafeMutablePointer<Int128>, validity: UnsafePointer<UInt8>?, count: Int, nullCount: Int,
        into raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        encode(values, .wide, zero: 0, validity, count, nullCount, raw)
    }

    static func encodeFloat(
        _ values: UnsafeMutablePointer<Double>, validity: UnsafePointer<UInt8>?, count: Int, nullCount: Int,
        into raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        encode(values, .float, zero: 0, validity, count, nullCount, raw)
    }

    @inline(__always)
    private static func encode<Value>(
        _ values: UnsafeMutablePointer<Value>, _ form: Block.Form, zero: Value, _ validity: UnsafePointer<UInt8>?,
        _ count: Int, _ nullCount: Int, _ raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        var block = BlockDescriptor()
        block.form = form
        block.rowCount = count
        block.nullCount = nullCount
        block.width = MemoryLayout<Value>.size
        if nullCount > 0, let validity {
            for row in 0..<count where validity[row] == 0 { values[row] = zero }
            if nullCount < count {
                packBits(validity, count, (raw + count * block.width).assumingMemoryBound(to: UInt8.self))
            }
        }
        memcpy(raw, values, count * block.width)
        return block
    }
}
