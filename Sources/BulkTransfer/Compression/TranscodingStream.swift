import SQLTypes

/// Turns UTF-16 or ISO 8859-1 into UTF-8. Unpaired surrogates become a byte that no UTF-8 text has, so that the check
/// of fields finds them.
final class TranscodingStream: ByteStream {
    private let source: any ByteStream
    private var encoding: CopyOptions.Encoding
    private var raw = [UInt8](repeating: 0, count: 64 << 10)
    private var rawCount = 0
    private var pending: [UInt8] = []
    private var pendingIndex = 0
    private var highSurrogate: UInt32?
    private var atStart = true
    private var ended = false
    var consumedBytes: Int64 { source.consumedBytes }

    init(_ source: any ByteStream, _ encoding: CopyOptions.Encoding) {
        self.source = source
        self.encoding = encoding
        pending.reserveCapacity(256 << 10)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        while pendingIndex == pending.count {
            if ended { return 0 }
            try advance()
        }
        let count = min(buffer.count, pending.count - pendingIndex)
        pending.withUnsafeBytes {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[pendingIndex..<pendingIndex + count]))
        }
        pendingIndex += count
        return count
    }

    private func advance() throws {
        pending.removeAll(keepingCapacity: true)
        pendingIndex = 0
        let held = rawCount
        let added = try raw.withUnsafeMutableBytes {
            try source.fill(UnsafeMutableRawBufferPointer(rebasing: $0[held...]))
        }
        rawCount += added
        ended = added == 0
        if encoding == .iso88591 { return decodeLatin() }
        var index = atStart ? byteOrderMark() : 0
        atStart = false
        while index + 1 < rawCount {
            let first = UInt32(raw[index])
            let second = UInt32(raw[index + 1])
            decode(unit: encoding == .utf16BigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        if index < rawCount && !ended { raw[0] = raw[index] }
        if index < rawCount && ended { pending.append(0xFF) }
        rawCount -= index
        if ended {
            rawCount = 0
            if highSurrogate != nil { pending.append(0xFF) }
        }
    }

    private func decodeLatin() {
        for byte in raw[..<rawCount] { append(UInt32(byte)) }
        rawCount = 0
    }

    /// UTF16 without a mark is big-endian, as the standard says.
    private func byteOrderMark() -> Int {
        guard rawCount >= 2 else { return 0 }
        let little = raw[0] == 0xFF && raw[1] == 0xFE
        let big = raw[0] == 0xFE && raw[1] == 0xFF
        if encoding == .utf16 { encoding = little ? .utf16LittleEndian : .utf16BigEndian }
        return (little && encoding == .utf16LittleEndian) || (big && encoding == .utf16BigEndian) ? 2 : 0
    }

    private func decode(unit: UInt32) {
        if let high = highSurrogate {
            highSurrogate = nil
            if (0xDC00..<0xE000).contains(unit) {
                return append(0x10000 + (high - 0xD800) << 10 + (unit - 0xDC00))
            }
            pending.append(0xFF)
        }
        if (0xD800..<0xDC00).contains(unit) {
            highSurrogate = unit
        } else if (0xDC00..<0xE000).contains(unit) {
            pending.append(0xFF)
        } else {
            append(unit)
        }
    }

    private func append(_ code: UInt32) {
        if code < 0x80 {
            pending.append(UInt8(truncatingIfNeeded: code))
            return
        }
        if code < 0x800 {
            pending.append(UInt8(truncatingIfNeeded: 0xC0 | code >> 6))
        } else {
            if code < 0x10000 {
                pending.append(UInt8(truncatingIfNeeded: 0xE0 | code >> 12))
            } else {
                pending.append(UInt8(truncatingIfNeeded: 0xF0 | code >> 18))
                pending.append(UInt8(truncatingIfNeeded: 0x80 | code >> 12 & 0x3F))
            }
            pending.append(UInt8(truncatingIfNeeded: 0x80 | code >> 6 & 0x3F))
        }
        pending.append(UInt8(truncatingIfNeeded: 0x80 | code & 0x3F))
    }
}
