import ColumnVectors
import QueryPlan
import SQLTypes

/// Functions and operators of VARBYTE, whose values are string views of any bytes.
enum ByteFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .fromHex: fromHex
        case .toVarbyte: decoding
        case .fromVarbyte: encoding
        case .bytesToHex: hexadecimal
        case .getBit: bit
        case .getByte: byte
        case .setBit: changed { try changeBit(of: $0, $1, to: $2) }
        case .setByte: changed { try changeByte(of: $0, $1, to: $2) }
        case .bytesConcatenate: concatenated
        case .bytesSubstring: part
        case .bytesNot:
            .bytes { frame, row, buffer in
                for byte in frame.string(0, row).bytes { buffer.append(~byte) }
            }
        case .bytesAnd: combined("AND") { $0 & $1 }
        case .bytesOr: combined("OR") { $0 | $1 }
        case .bytesXor: combined("XOR") { $0 ^ $1 }
        default: nil
        }
    }

    private static let fromHex = FunctionKernel.bytes { frame, row, buffer in
        buffer.append(try bytes(frame.string(0, row), .hexadecimal))
    }
    private static let decoding = FunctionKernel.bytes { frame, row, buffer in
        buffer.append(try bytes(frame.string(0, row), try BinaryFormat(frame.string(1, row))))
    }
    private static let encoding = FunctionKernel.text { frame, row, buffer in
        try append(frame.string(0, row), try BinaryFormat(frame.string(1, row)), to: buffer)
    }
    private static let hexadecimal = FunctionKernel.text { frame, row, buffer in
        let view = frame.string(0, row)
        try TextLimit.check(2 * Int(view.count))
        HexadecimalText.append(view.bytes, to: buffer)
    }
    /// Bit 0 is the lowest one of the last byte.
    private static let bit = FunctionKernel.binary(StringView.self, Int32.self, Int32.self) { view, index in
        guard index >= 0, Int(index) / 8 < Int(view.count) else {
            throw SQLError(
                "2202E", "bit index \(index) out of valid range, 0..\(8 * Int(view.count) - 1)")
        }
        let byte = view.pointer[Int(view.count) - 1 - Int(index) / 8]
        return Int32(byte >> UInt8(index % 8) & 1)
    }
    /// Byte 0 is the first one.
    private static let byte = FunctionKernel.binary(StringView.self, Int32.self, Int32.self) { view, index in
        Int32(view.pointer[try place(Int(index), of: Int(view.count), "byte")])
    }

    private static func place(_ index: Int, of count: Int, _ what: String) throws -> Int {
        if index >= 0, index < count { return index }
        throw SQLError("2202E", "\(what) index \(index) out of valid range, 0..\(count - 1)")
    }

    private static func changed(
        _ change: @escaping (UnsafeMutableBufferPointer<UInt8>, Int, Int) throws -> Void
    ) -> FunctionKernel {
        .bytes { frame, row, buffer in
            let view = frame.string(0, row)
            buffer.append(view.bytes)
            try change(
                UnsafeMutableBufferPointer(start: buffer.base, count: buffer.count), frame.int32(1, row),
                frame.int32(2, row))
        }
    }
    private static func changeBit(of bytes: UnsafeMutableBufferPointer<UInt8>, _ index: Int, to value: Int) throws {
        let place = try place(index, of: 8 * bytes.count, "bit")
        guard value == 0 || value == 1 else { throw SQLError(.invalidParameterValue, "new bit must be 0 or 1") }
        let mask = UInt8(1) << UInt8(place % 8), byte = bytes.count - 1 - place / 8
        bytes[byte] = value == 1 ? bytes[byte] | mask : bytes[byte] & ~mask
    }
    private static func changeByte(of bytes: UnsafeMutableBufferPointer<UInt8>, _ index: Int, to value: Int) throws {
        // As in PostgreSQL, of larger numbers the lowest byte counts.
        bytes[try place(index, of: bytes.count, "byte")] = UInt8(truncatingIfNeeded: value)
    }

    private static let concatenated = FunctionKernel.bytes { frame, row, buffer in
        buffer.append(frame.string(0, row).bytes)
        buffer.append(frame.string(1, row).bytes)
    }
    /// [bytes, start, count?], counted as those of texts are.
    private static let part = FunctionKernel.part { frame, row, view in
        let start = frame.int32(1, row)
        let hasCount = frame.arguments.count > 2
        let count = hasCount ? frame.int32(2, row) : Int(view.count)
        if count < 0 { throw SQLError("22011", "negative substring length not allowed") }
        let end = hasCount ? min(start + count - 1, Int(view.count)) : Int(view.count)
        let from = max(start, 1) - 1
        return from < end ? StringView(view.pointer + from, count: end - from) : .empty
    }

    private static func combined(_ name: String, _ body: @escaping (UInt8, UInt8) -> UInt8) -> FunctionKernel {
        .bytes { frame, row, buffer in
            let (left, right) = (frame.string(0, row), frame.string(1, row))
            guard left.count == right.count else {
                throw SQLError("22026", "cannot \(name) binary values of different sizes")
            }
            for index in 0..<Int(left.count) { buffer.append(body(left.pointer[index], right.pointer[index])) }
        }
    }

    // MARK: Formats

    /// What TO_VARBYTE and FROM_VARBYTE call the text forms of bytes.
    private enum BinaryFormat {
        case hexadecimal, binary, base64, utf8

        init(_ name: StringView) throws {
            switch String(decoding: name.trimmed.bytes, as: UTF8.self).lowercased() {
            case "hex": self = .hexadecimal
            case "binary": self = .binary
            case "base64": self = .base64
            case "utf8", "utf-8", "utf_8": self = .utf8
            default:
                throw SQLError(
                    .invalidParameterValue,
                    "invalid format \(TextInput.quoted(name.pointer, Int(name.count))) for binary values",
                    hint: "Formats are hex, binary, base64 and utf8.")
            }
        }
    }

    private static func bytes(_ text: StringView, _ format: BinaryFormat) throws -> [UInt8] {
        let result: [UInt8]? =
            switch format {
            case .hexadecimal: HexadecimalText.parse(text.bytes)
            case .base64: Base64.decode(String(decoding: text.trimmed.bytes, as: UTF8.self))
            case .binary: bits(text.bytes)
            case .utf8: Array(text.bytes)
            }
        if let result { return result }
        throw SQLError(
            .invalidText, "invalid input for a binary value: \(TextInput.quoted(text.pointer, Int(text.count)))")
    }

    /// Digits 0 and 1; zeros stand in front of what fills no byte.
    private static func bits(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: (digits.count + 7) / 8)
        var place = 8 * result.count - digits.count
        for digit in digits {
            guard digit == 0x30 || digit == 0x31 else { return nil }
            if digit == 0x31 { result[place / 8] |= 0x80 >> UInt8(place % 8) }
            place += 1
        }
        return result
    }

    private static func append(_ view: StringView, _ format: BinaryFormat, to buffer: TextBuffer) throws {
        switch format {
        case .hexadecimal:
            try TextLimit.check(2 * Int(view.count))
            HexadecimalText.append(view.bytes, to: buffer)
        case .base64:
            try TextLimit.check(Int(view.count) / 3 * 4)
            buffer.append(text: Base64.encode(Array(view.bytes)))
        case .binary:
            try TextLimit.check(8 * Int(view.count))
            for byte in view.bytes {
                for bit in 0..<8 { buffer.append(0x30 | (byte >> UInt8(7 - bit)) & 1) }
            }
        case .utf8:
            try UTF8Text.validate(view.pointer, Int(view.count))
            buffer.append(view.bytes)
        }
    }
}

extension FunctionKernel {
    /// A function that writes its result, a VARBYTE, into a buffer.
    static func bytes(_ body: @escaping (FunctionFrame, Int, TextBuffer) throws -> Void) -> FunctionKernel {
        FunctionKernel { _ in
            { frame in
                let buffer = TextBuffer()
                let output = frame.output(StringView.self)
                try frame.forEachRow { row in
                    buffer.removeAll()
                    try body(frame, row, buffer)
                    guard buffer.count <= SQLType.maximumVarbyteLength else {
                        throw StringLength.tooLong(.varbyte(SQLType.maximumVarbyteLength))
                    }
                    output[row] = try frame.arena.copy(buffer.bytes)
                }
            }
        }
    }
}
