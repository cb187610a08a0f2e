import SQLTypes
import Warehouse

/// Arrays in the protocol's binary form; what holds them here is their text.
enum ArrayBinary {
    /// Writes the array without the length in front.
    /// - Parameter array: `pg_type`'s oid.
    static func append(_ text: UnsafeBufferPointer<UInt8>, array: Int32, to buffer: TextBuffer) {
        let members = ArrayText.members(Array(text))
        let element = ArrayTypeID.element(of: array) ?? 25
        buffer.append(int32: members.isEmpty ? 0 : 1)
        buffer.append(int32: members.contains { $0 == nil } ? 1 : 0)
        buffer.append(int32: element)
        if members.isEmpty { return }
        buffer.append(int32: Int32(clamping: members.count))
        buffer.append(int32: ArrayTypeID.lowerBound(of: array))
        for member in members {
            guard let member else {
                buffer.append(int32: -1)
                continue
            }
            append(member, element: element, to: buffer)
        }
    }

    private static func append(_ member: [UInt8], element: Int32, to buffer: TextBuffer) {
        let text = String(decoding: member, as: UTF8.self)
        switch element {
        case 16:
            buffer.append(int32: 1)
            buffer.append(member.first == UInt8(ascii: "t") ? 1 : 0 as UInt8)
        case 21:
            buffer.append(int32: 2)
            buffer.append(int16: Int16(clamping: Int64(text) ?? 0))
        case 23:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(clamping: Int64(text) ?? 0))
        case 26:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(truncatingIfNeeded: Int64(text) ?? 0))
        case 20:
            buffer.append(int32: 8)
            buffer.append(int64: Int64(text) ?? 0)
        case 700:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(bitPattern: (Float(text) ?? 0).bitPattern))
        case 701:
            buffer.append(int32: 8)
            buffer.append(int64: Int64(bitPattern: (Double(text) ?? 0).bitPattern))
        default:
            buffer.append(int32: Int32(clamping: member.count))
            buffer.append(member)
        }
    }

    private static let mostMembers = 100_000

    /// A parameter's text. The array says the type of its elements, whatever it was declared as.
    static func text(_ bytes: [UInt8], context: DatetimeContext) throws -> [UInt8] {
        do {
            var reader = MessageReader(bytes)
            let dimensions = try reader.int32()
            _ = try reader.int32()
            let element = try reader.int32()
            if dimensions == 0 { return Array("{}".utf8) }
            guard dimensions == 1 else {
                throw SQLError(.featureNotSupported, "arrays of several dimensions are not supported")
            }
            let count = try reader.int32()
            _ = try reader.int32()
            guard count >= 0, count <= mostMembers else {
                throw SQLError(.limitExceeded, "arrays can have at most \(mostMembers) members as parameters")
            }
            let type = WireType.parameterType(oid: element)
            var members: [[UInt8]?] = []
            for _ in 0..<count {
                members.append(try reader.value().map { try text($0, of: type, context) })
            }
            try reader.expectEnd()
            return ArrayText.text(of: members)
        } catch let error as SQLError where error.state == "08P01" {
            throw SQLError("22P03", "incorrect binary data format for an array")
        }
    }

    private static func text(_ bytes: [UInt8], of type: SQLType, _ context: DatetimeContext) throws -> [UInt8] {
        if type == .unknown || type.isString { return bytes }
        let value = try ParameterDecoder(context: context).decode(bytes, type: type, isBinary: true)
        return Array((value.value.text(type: value.type) ?? "").utf8)
    }
}
