import ColumnVectors
import SQLTypes

/// Characters (code points) in UTF-8 bytes that are known to be valid.
enum CharacterWalk {
    /// Bytes of the character that a lead byte begins.
    @inline(__always) static func length(_ lead: UInt8) -> Int {
        lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
    }

    /// The byte offset of the character number `index`, or the count when the text is shorter.
    static func offset(_ bytes: UnsafePointer<UInt8>, _ count: Int, character index: Int) -> Int {
        var offset = 0
        var left = index
        while left > 0 && offset < count {
            offset &+= length(bytes[offset])
            left &-= 1
        }
        return min(offset, count)
    }

    /// The byte offset where the last `number` characters begin.
    static func offset(_ bytes: UnsafePointer<UInt8>, _ count: Int, fromEnd number: Int) -> Int {
        var offset = count
        var left = number
        while left > 0 && offset > 0 {
            offset &-= 1
            while offset > 0 && bytes[offset] & 0xC0 == 0x80 { offset &-= 1 }
            left &-= 1
        }
        return offset
    }

    static func count(_ view: StringView) -> Int { UTF8Text.characterCount(view.pointer, Int(view.count)) }

    /// The code point at an offset and its length in bytes.
    @inline(__always)
    static func scalar(_ bytes: UnsafePointer<UInt8>, _ left: Int) -> (value: UInt32, length: Int) {
        let lead = bytes[0]
        let size = length(lead)
        if size == 1 || size > left { return (UInt32(lead), 1) }
        if size == 2 { return (UInt32(lead & 0x1F) &<< 6 | UInt32(bytes[1] & 0x3F), 2) }
        let middle = UInt32(bytes[1] & 0x3F) &<< 6 | UInt32(bytes[2] & 0x3F)
        if size == 3 { return (UInt32(lead & 0x0F) &<< 12 | middle, 3) }
        return (UInt32(lead & 0x07) &<< 18 | middle &<< 6 | UInt32(bytes[3] & 0x3F), 4)
    }

    static func append(_ scalar: UInt32, to buffer: TextBuffer) {
        if scalar < 0x80 { return buffer.append(UInt8(truncatingIfNeeded: scalar)) }
        if scalar < 0x800 {
            buffer.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
        } else {
            if scalar < 0x10000 {
                buffer.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            } else {
                buffer.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
                buffer.append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 12) & 0x3F))
            }
            buffer.append(UInt8(truncatingIfNeeded: 0x80 | (scalar >> 6) & 0x3F))
        }
        buffer.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    }

    /// All code points of a text.
    static func scalars(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt32] {
        guard let base = bytes.baseAddress else { return [] }
        var result: [UInt32] = []
        var offset = 0
        while offset < bytes.count {
            let (value, length) = scalar(base + offset, bytes.count - offset)
            result.append(value)
            offset += length
        }
        return result
    }

    /// The part between two byte offsets.
    @inline(__always)
    static func part(_ view: StringView, _ start: Int, _ end: Int) -> StringView {
        start >= end ? .empty : StringView(view.pointer + start, count: end &- start)
    }

    static func upper(_ scalar: UInt32) -> UInt32 { mapped(scalar) { $0.uppercaseMapping } }
    static func lower(_ scalar: UInt32) -> UInt32 { mapped(scalar) { $0.lowercaseMapping } }

    /// One character for one: mappings to several are not used.
    private static func mapped(_ scalar: UInt32, _ body: (Unicode.Scalar.Properties) -> String) -> UInt32 {
        guard let character = Unicode.Scalar(scalar) else { return scalar }
        let result = body(character.properties).unicodeScalars
        guard let first = result.first, result.count == 1 else { return scalar }
        return first.value
    }
}
