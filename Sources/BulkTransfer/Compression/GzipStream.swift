import Glibc
import SQLTypes

/// gzip (RFC 1952), also several members one after the other.
final class GzipStream: ByteStream {
    private let name: String
    private let decoder: InflateDecoder
    private var insideMember = false
    private var members = 0
    private var checksum: UInt32 = 0
    /// Bytes of the member, modulo 2^32.
    private var length: UInt32 = 0
    var consumedBytes: Int64 { decoder.input.consumedBytes }

    init(_ input: any LoadInput, name: String) {
        self.name = name
        decoder = InflateDecoder(CompressedInput(input, name: name))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < buffer.count {
            if !insideMember {
                guard try beginMember() else { break }
            }
            let bytes = try decoder.fetch(most: buffer.count - done)
            if bytes.isEmpty {
                try endMember()
                continue
            }
            checksum = GzipChecksum.update(checksum, bytes)
            length &+= UInt32(truncatingIfNeeded: bytes.count)
            if let target = buffer.baseAddress, let source = bytes.baseAddress {
                memcpy(target + done, source, bytes.count)
            }
            done += bytes.count
        }
        return done
    }

    /// False at the end of the file. Zero bytes after the last member are padding of tapes and block devices.
    private func beginMember() throws -> Bool {
        var first = 0
        repeat {
            if members > 0, try decoder.input.isAtEnd() { return false }
            first = try decoder.input.take(8)
        } while members > 0 && first == 0
        let second = try decoder.input.take(8)
        guard first == 0x1F, second == 0x8B else { throw decoder.input.error("incorrect header check") }
        guard try decoder.input.take(8) == 8 else { throw decoder.input.error("unknown compression method") }
        try skipHeader(flags: try decoder.input.take(8))
        decoder.begin()
        checksum = 0
        length = 0
        insideMember = true
        return true
    }

    /// Time, system, extra fields, names: nothing that a load needs.
    private func skipHeader(flags: Int) throws {
        if flags & 0xE0 != 0 { throw decoder.input.error("unknown header flags set") }
        for _ in 0..<6 { _ = try decoder.input.take(8) }
        if flags & 4 != 0 {
            for _ in 0..<(try decoder.input.take(16)) { _ = try decoder.input.take(8) }
        }
        for flag in [8, 16] where flags & flag != 0 {
            while try decoder.input.take(8) != 0 {}
        }
        if flags & 2 != 0 { _ = try decoder.input.take(16) }
    }

    private func endMember() throws {
        decoder.input.alignToByte()
        let expected = try decoder.input.take(32), size = try decoder.input.take(32)
        if expected != Int(checksum) { throw decoder.input.error("incorrect data check") }
        if size != Int(length) { throw decoder.input.error("incorrect length check") }
        members += 1
        insideMember = false
    }
}
