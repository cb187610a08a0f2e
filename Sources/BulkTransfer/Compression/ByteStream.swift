import Glibc
import Platform
import SQLTypes

/// Bytes in order, once. One thread at a time.
protocol ByteStream: AnyObject {
    /// Fills the buffer as far as it can; 0 only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// How many bytes of the underlying object have been used, for progress.
    var consumedBytes: Int64 { get }
}

extension ByteStream {
    /// Reads until the buffer is full or the stream ends.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < buffer.count {
            let count = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
            if count == 0 { break }
            done += count
        }
        return done
    }
}

/// The bytes of an object as they are.
final class PlainStream: ByteStream {
    private let input: any LoadInput
    private let object: LoadObject
    private(set) var consumedBytes: Int64 = 0
    init(_ input: any LoadInput, _ object: LoadObject) {
        self.input = input
        self.object = object
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try input.read(into: buffer, at: consumedBytes)
        consumedBytes += Int64(count)
        if count == 0 && !buffer.isEmpty && object.isSizeKnown && consumedBytes < object.sizeBytes {
            throw SQLError(.ioError, "file \"\(object.name)\" became shorter while it was loaded")
        }
        return count
    }
}

/// A piece of compressed input on its way into a decoder.
final class CompressedInput {
    let name: String
    private let input: any LoadInput
    private let buffer: UnsafeMutableRawBufferPointer
    private var offset: Int64 = 0
    /// Bytes in the buffer, and how many of them the decoder took.
    private(set) var filled = 0
    var taken = 0
    private static let capacity = 256 << 10

    init(_ input: any LoadInput, name: String) {
        self.input = input
        self.name = name
        buffer = .allocate(byteCount: CompressedInput.capacity, alignment: 64)
    }
    deinit { buffer.deallocate() }

    var rest: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: buffer[taken..<filled]) }
    var consumedBytes: Int64 { offset - Int64(filled - taken) }

    /// Reads more when all was taken; false at the end of the object.
    func refill() throws -> Bool {
        if taken < filled { return true }
        taken = 0
        filled = try input.read(into: buffer, at: offset)
        offset += Int64(filled)
        return filled > 0
    }

    /// Appends the next bytes, fewer only at the end of the object: the array grows with what is there, not with what
    /// a header claims.
    func append(_ count: Int, to bytes: inout [UInt8]) throws {
        var left = count
        while left > 0, try refill() {
            let part = min(left, filled - taken)
            bytes.append(contentsOf: buffer[taken..<taken + part])
            taken += part
            left -= part
        }
    }

    func error(_ kind: String, _ reason: String) -> SQLError {
        SQLError(.dataException, "could not decompress file \"\(name)\": \(reason)", detail: "Compression: \(kind)")
    }
}
