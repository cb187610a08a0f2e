extension Datum {
    /// From and to VARBYTE: texts are their UTF-8 bytes, CHAR with its blanks; integers the bytes of their width, the
    /// highest first.
    func castBytes(_ from: SQLType, _ to: SQLType, explicit: Bool) throws -> Datum {
        switch self {
        case .string(let bytes): return try Datum.cast(bytes: bytes, from, to, explicit: explicit)
        case .integer(let value):
            return .string(try StringLength.fitted(ByteCasts.bytes(of: value, from), to, explicit: explicit))
        case .null, .double, .interval: return .null
        }
    }

    private static func cast(bytes: [UInt8], _ from: SQLType, _ to: SQLType, explicit: Bool) throws -> Datum {
        switch (from.family, to.family) {
        case (.bytes, .integer):
            return .integer(try bytes.withUnsafeBufferPointer { try ByteCasts.integer($0, to) })
        case (.bytes, .char), (.bytes, .varchar):
            try bytes.withUnsafeBufferPointer { buffer in
                if let base = buffer.baseAddress { try UTF8Text.validate(base, buffer.count) }
            }
            return .string(try StringLength.fitted(bytes, to, explicit: explicit))
        case (.char, .bytes):
            let blanks = [UInt8](repeating: 0x20, count: max((from.length ?? 0) - bytes.count, 0))
            return .string(try StringLength.fitted(bytes + blanks, to, explicit: explicit))
        default: return .string(try StringLength.fitted(bytes, to, explicit: explicit))
        }
    }
}

/// Integers as bytes of VARBYTE.
package enum ByteCasts {
    /// The highest byte first: 2, 4 or 8 as the type has.
    package static func bytes(of value: Int128, _ type: SQLType) -> [UInt8] {
        let width = Int(type.descriptor.wireSize)
        return (0..<max(width, 0)).map { UInt8(truncatingIfNeeded: value >> Int128(8 * (width - 1 - $0))) }
    }

    /// The integer of these bytes in two's complement of the type's width; fewer bytes than that are its low ones.
    package static func integer(_ bytes: UnsafeBufferPointer<UInt8>, _ type: SQLType) throws -> Int128 {
        let width = Int(type.descriptor.wireSize)
        guard bytes.count <= width else {
            throw SQLError(.numericOutOfRange, "binary value out of range for type \(type)")
        }
        var value: Int128 = 0
        for byte in bytes { value = value << 8 | Int128(byte) }
        return bytes.count == width && value > type.valueBounds.upper ? value - (1 << Int128(8 * width)) : value
    }
}
