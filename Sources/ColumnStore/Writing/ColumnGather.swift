import ColumnVectors
import Glibc
import SQLTypes

/// Collects a row group's values of one column from the chunks, by row id.
enum ColumnGather {
    @inline(__always)
    static func values<Value>(
        _ bases: UnsafePointer<UnsafeRawPointer>, _ ids: UnsafePointer<UInt32>, _ count: Int,
        _ target: UnsafeMutablePointer<Value>
    ) {
        for row in 0..<count {
            let id = Int(ids[row])
            target[row] = bases[id &>> 16].assumingMemoryBound(to: Value.self)[id & 0xFFFF]
        }
    }

    static func codes(
        _ bases: UnsafePointer<UnsafeRawPointer>, _ remaps: UnsafePointer<UnsafePointer<UInt16>>,
        _ ids: UnsafePointer<UInt32>, _ count: Int, _ target: UnsafeMutablePointer<UInt16>
    ) {
        for row in 0..<count {
            let id = Int(ids[row])
            let code = bases[id &>> 16].assumingMemoryBound(to: UInt16.self)[id & 0xFFFF]
            target[row] = remaps[id &>> 16][Int(code)]
        }
    }

    /// Validity bytes of the rows; says how many are NULL.
    static func validity(
        _ bases: UnsafePointer<UnsafePointer<UInt8>>, _ ids: UnsafePointer<UInt32>, _ count: Int,
        _ target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var valid = 0
        for row in 0..<count {
            let id = Int(ids[row])
            let byte = bases[id &>> 16][id & 0xFFFF]
            target[row] = byte
            valid &+= Int(byte)
        }
        return count &- valid
    }

    /// Views of strings, from text and from coded chunks. NULL rows are empty.
    static func views(
        _ rows: SliceRows, column: Int, _ ids: UnsafePointer<UInt32>, _ count: Int,
        _ target: UnsafeMutablePointer<StringView>
    ) {
        var last = -1
        var offsets: UnsafeMutablePointer<UInt32>?
        var heap = UnsafeMutablePointer<UInt8>(bitPattern: 128).unsafelyUnwrapped
        var codes = UnsafeMutablePointer<UInt16>(bitPattern: 128).unsafelyUnwrapped
        var views: UnsafeMutablePointer<StringView>?
        var validity: UnsafeMutablePointer<UInt8>?
        for row in 0..<count {
            let id = Int(ids[row])
            if id &>> 16 != last {
                last = id &>> 16
                let source = rows.chunks[last].columns[column]
                offsets = source.isText ? source.offsets : nil
                heap = source.heap
                codes = source.data.assumingMemoryBound(to: UInt16.self)
                views = source.dictionary?.views
                validity = source.validity
            }
            let place = id & 0xFFFF
            if let validity, validity[place] == 0 {
                target[row] = .empty
            } else if let offsets {
                let start = Int(offsets[place])
                let length = Int(offsets[place &+ 1]) &- start
                target[row] = length == 0 ? .empty : StringView(heap + start, count: length)
            } else if let views {
                target[row] = views[Int(codes[place])]
            }
        }
    }
}
