import ColumnVectors
import Glibc
import SQLTypes

/// What makes bytes of pages: plain values and levels.
enum ParquetOutputPage {
    static func appendPlain(
        _ words: UnsafePointer<UInt64>, _ count: Int, _ form: ParquetOutputType.Form, to buffer: TextBuffer
    ) {
        switch form {
        case .truth:
            let out = buffer.room(count)
            for index in 0..<count { out[index] = UInt8(truncatingIfNeeded: words[index]) }
            buffer.advance(count)
        case .narrow, .float:
            let out = UnsafeMutableRawPointer(buffer.room(4 * count))
            for index in 0..<count {
                let word = UInt32(truncatingIfNeeded: words[index]).littleEndian
                out.storeBytes(of: word, toByteOffset: 4 &* index, as: UInt32.self)
            }
            buffer.advance(4 * count)
        case .wide, .double:
            memcpy(buffer.room(8 * count), words, 8 * count)
            buffer.advance(8 * count)
        case .string, .text, .decimalBytes: break
        }
    }

    static func appendPlain(_ views: UnsafePointer<StringView>, _ count: Int, hasLength: Bool, to buffer: TextBuffer) {
        for index in 0..<count {
            let view = views[index]
            let length = Int(view.count)
            var out = buffer.room(length + 4)
            if hasLength {
                UnsafeMutableRawPointer(out).storeBytes(of: view.count.littleEndian, as: UInt32.self)
                out += 4
                buffer.advance(4)
            }
            memcpy(out, view.pointer, length)
            buffer.advance(length)
        }
    }

    /// Truth values have been collected as bytes, from some place of the buffer on.
    static func packTruth(_ buffer: TextBuffer, from start: Int) {
        let values = buffer.bytes[start...].map { UInt32($0) }
        buffer.truncate(to: start)
        values.withUnsafeBufferPointer {
            guard let base = $0.baseAddress else { return }
            RunEncoder.packBits(base, $0.count, 1, padTo: ($0.count + 7) / 8, buffer)
        }
    }

    /// Definition levels with their length in front; no bytes where there is no NULL.
    static func appendLevels(_ validity: [UInt8], rows: Int, to body: TextBuffer) {
        let start = body.count
        body.append(repeating: 0, 4)
        if validity.isEmpty {
            RunEncoder.appendRun(1, rows, 1, body)
        } else {
            let levels = validity.map { UInt32($0) }
            levels.withUnsafeBufferPointer { RunEncoder.append($0, width: 1, to: body) }
        }
        let length = UInt32(clamping: body.count - start - 4).littleEndian
        UnsafeMutableRawPointer(body.base + start).storeBytes(of: length, as: UInt32.self)
    }
}
