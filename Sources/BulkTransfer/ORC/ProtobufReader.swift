/// Damage in an ORC file.
struct ORCDamage: Error {
    var reason: String
    static let ended = ORCDamage(reason: "unexpected end of a stream")
    static let number = ORCDamage(reason: "a number has too many bytes")
    static let message = ORCDamage(reason: "a footer cannot be read")
}

/// Goes over the fields of a protobuf message; fields that nobody asks for are passed over.
struct ProtobufReader {
    enum Value {
        case number(UInt64)
        case bytes(ArraySlice<UInt8>)
    }
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    mutating func next() throws -> (field: Int, value: Value)? {
        while !rest.isEmpty {
            let key = try varint()
            guard let field = Int(exactly: key >> 3) else { throw ORCDamage.message }
            switch key & 7 {
            case 0: return (field, .number(try varint()))
            case 1: _ = try take(8)
            case 2:
                guard let count = Int(exactly: try varint()) else { throw ORCDamage.message }
                return (field, .bytes(try take(count)))
            case 5: _ = try take(4)
            default: throw ORCDamage.message
            }
        }
        return nil
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw ORCDamage.message }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func varint() throws -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while let byte = rest.popFirst() {
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 { return value }
            shift += 7
            if shift > 63 { throw ORCDamage.number }
        }
        throw ORCDamage.message
    }

    /// The numbers of a repeated field: packed, or one.
    static func numbers(_ value: Value) throws -> [UInt64] {
        switch value {
        case .number(let number): return [number]
        case .bytes(let bytes):
            var reader = ProtobufReader(bytes)
            var numbers: [UInt64] = []
            while !reader.rest.isEmpty { numbers.append(try reader.varint()) }
            return numbers
        }
    }
}

extension ProtobufReader.Value {
    func number() throws -> Int {
        guard case .number(let number) = self, let value = Int(exactly: number) else { throw ORCDamage.message }
        return value
    }
    func bytes() throws -> ArraySlice<UInt8> {
        guard case .bytes(let bytes) = self else { throw ORCDamage.message }
        return bytes
    }
}
