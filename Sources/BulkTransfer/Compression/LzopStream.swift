import CZlib
import Glibc
import SQLTypes

/// Files of lzop: blocks of LZO1X with checksums, also several files one after the other.
final class LzopStream: ByteStream {
    private let input: CompressedInput
    private var flags: UInt32 = 0
    private var insideFile = false
    private var files = 0
    private var packed: [UInt8] = []
    private var block: [UInt8] = []
    private var given = 0
    var consumedBytes: Int64 { input.consumedBytes }

    static let magic: [UInt8] = [0x89, 0x4C, 0x5A, 0x4F, 0x00, 0x0D, 0x0A, 0x1A, 0x0A]
    /// lzop itself refuses larger blocks.
    private static let largestBlock = 64 << 20
    /// Of the versions that file headers name: methods and levels are since this one.
    private static let modern = 0x0940

    private enum Flag {
        static let adlerOfData: UInt32 = 0x1
        static let adlerOfPacked: UInt32 = 0x2
        static let extraField: UInt32 = 0x40
        static let crcOfData: UInt32 = 0x100
        static let crcOfPacked: UInt32 = 0x200
        static let multipart: UInt32 = 0x400
        static let filter: UInt32 = 0x800
        static let crcOfHeader: UInt32 = 0x1000
    }

    init(_ input: any LoadInput, name: String) throws { self.input = CompressedInput(input, name: name) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var written = 0
        while written < buffer.count {
            if given == block.count, try !nextBlock() { break }
            let count = min(buffer.count - written, block.count - given)
            block.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: buffer[written...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<given + count]))
            }
            given += count
            written += count
        }
        return written
    }

    private func damaged(_ what: String) -> SQLError { input.error("lzop", what) }

    private func take(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try input.append(count, to: &bytes)
        guard bytes.count == count else { throw damaged("unexpected end of file") }
        return bytes
    }

    private func number(_ bytes: some Sequence<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
    private func word() throws -> UInt32 { number(try take(4)) }

    /// False at the end of the object. Blocks may be empty of news but are never of no bytes.
    private func nextBlock() throws -> Bool {
        while true {
            if !insideFile {
                guard try input.refill() else {
                    if files == 0 { throw damaged("unexpected end of file") }
                    return false
                }
                try readHeader()
            }
            let size = Int(try word())
            if size > 0 {
                try readBlock(size)
                return true
            }
            insideFile = false
            files += 1
        }
    }

    private func readHeader() throws {
        guard try take(LzopStream.magic.count) == LzopStream.magic else { throw damaged("no lzop file begins here") }
        var header = try take(4)
        let isModern = number(header.prefix(2)) >= LzopStream.modern
        if isModern {
            header += try take(2)
            if number(header.suffix(2)) > 0x1040 { throw damaged("a newer version of lzop is needed") }
        }
        header += try take(1)
        guard let method = header.last, (1...3).contains(method) else { throw damaged("unknown method") }
        if isModern { header += try take(1) }
        header += try take(4)
        flags = number(header.suffix(4))
        if flags & (Flag.filter | Flag.multipart) != 0 {
            throw damaged("filters and multi-part files are not supported")
        }
        header += try take(isModern ? 12 : 8)
        header += try take(1)
        header += try take(Int(header.last ?? 0))
        guard try word() == checksum(header, isCRC: flags & Flag.crcOfHeader != 0) else {
            throw damaged("the header's checksum is wrong")
        }
        if flags & Flag.extraField != 0 {
            let size = Int(try word())
            if size > 1 << 20 { throw damaged("the extra field is too large") }
            _ = try take(size + 4)
        }
        insideFile = true
    }

    private func readBlock(_ size: Int) throws {
        let packedSize = Int(try word())
        guard size <= LzopStream.largestBlock, packedSize > 0, packedSize <= size else {
            throw damaged("a block has an impossible size")
        }
        let adler = flags & Flag.adlerOfData != 0 ? try word() : nil
        let crc = flags & Flag.crcOfData != 0 ? try word() : nil
        let isStored = packedSize == size
        let packedAdler = flags & Flag.adlerOfPacked != 0 && !isStored ? try word() : nil
        let packedCRC = flags & Flag.crcOfPacked != 0 && !isStored ? try word() : nil
        packed.removeAll(keepingCapacity: true)
        try input.append(packedSize, to: &packed)
        guard packed.count == packedSize else { throw damaged("unexpected end of file") }
        try check(packed, packedAdler, packedCRC)
        given = 0
        if isStored {
            swap(&block, &packed)
        } else {
            if block.count < size { block += [UInt8](repeating: 0, count: size - block.count) }
            block.removeLast(block.count - size)
            let isGood = packed.withUnsafeBufferPointer { source in
                block.withUnsafeMutableBufferPointer { target in
                    guard let from = source.baseAddress, let to = target.baseAddress else { return false }
                    return LZODecoder.decode(from, source.count, to, target.count)
                }
            }
            if !isGood {
                block.removeAll()
                throw damaged("invalid data")
            }
        }
        try check(block, adler, crc)
    }

    private func check(_ bytes: [UInt8], _ adler: UInt32?, _ crc: UInt32?) throws {
        for (expected, isCRC) in [(adler, false), (crc, true)] {
            guard let expected, checksum(bytes, isCRC: isCRC) != expected else { continue }
            throw damaged("a block's checksum is wrong")
        }
    }

    private func checksum(_ bytes: [UInt8], isCRC: Bool) -> UInt32 {
        let count = UInt32(truncatingIfNeeded: bytes.count)
        let sum = bytes.withUnsafeBufferPointer {
            isCRC ? crc32(0, $0.baseAddress, count) : adler32(1, $0.baseAddress, count)
        }
        return UInt32(truncatingIfNeeded: sum)
    }
}
