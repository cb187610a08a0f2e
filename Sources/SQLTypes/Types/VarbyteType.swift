/// VARBYTE: up to 1,024,000 bytes, shown in hexadecimal. Values stand in vectors as strings whose bytes all count: no
/// blank is left out when they are compared, and nothing says that they are text.
extension TypeDescriptor {
    package static let varbyte = TypeDescriptor(
        .varbyte(64_000), .bytes, title: "binary varying", keyword: "VARBYTE", catalogName: "varbyte",
        names: ["varbyte", "varbinary", "binary varying"],
        modifiers: .length(standard: 64_000, maximum: SQLType.maximumVarbyteLength) { .varbyte($0) }, oid: 6551,
        wireSize: -1, binary: .bytes, storedTag: 16, loadName: "varbyte", encodings: [.lzo, .zstd])
}

/// Hexadecimal digits of bytes: the text form of VARBYTE.
package enum HexadecimalText {
    /// In lower case, two digits a byte.
    package static func append(_ bytes: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        let target = buffer.room(bytes.count &* 2)
        for index in 0..<bytes.count {
            target[2 &* index] = digit(bytes[index] &>> 4)
            target[2 &* index &+ 1] = digit(bytes[index] & 15)
        }
        buffer.advance(bytes.count &* 2)
    }

    @inline(__always) package static func digit(_ value: UInt8) -> UInt8 { value &+ (value < 10 ? 0x30 : 0x57) }

    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
    }

    /// The bytes that digits of either case mean; an odd one has a zero in front of the first. nil for anything else.
    package static func parse(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 2 + 1)
        var high: UInt8? = digits.count % 2 == 1 ? 0 : nil
        for byte in digits {
            let value: UInt8
            switch byte {
            case 0x30...0x39: value = byte - 0x30
            case 0x41...0x46: value = byte - 0x37
            case 0x61...0x66: value = byte - 0x57
            default: return nil
            }
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }

    /// As ``parse(_:)``; what is no hexadecimal number is an error that names it.
    package static func bytes(_ digits: [UInt8], type: SQLType) throws -> [UInt8] {
        if let result = digits.withUnsafeBufferPointer({ parse($0) }) { return result }
        let shown = String(decoding: digits.prefix(64), as: UTF8.self)
        throw SQLError(.invalidText, "invalid input syntax for type \(type.descriptor.title): \"\(shown)\"")
    }
}
