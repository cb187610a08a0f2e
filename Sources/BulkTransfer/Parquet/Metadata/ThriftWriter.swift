/// Writes Thrift's compact protocol: as much of it as a Parquet writer needs. Fields of a structure are written in
/// ascending order of their numbers.
struct ThriftWriter {
    private(set) var bytes: [UInt8] = []
    /// Numbers of the last fields written, of the structures that are open.
    private var lastFields: [Int] = [0]

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func zigzag(_ value: Int64) { varint(UInt64(bitPattern: (value << 1) ^ (value >> 63))) }

    private mutating func head(_ field: Int, _ kind: ThriftReader.Kind) {
        let step = field - lastFields[lastFields.count - 1]
        lastFields[lastFields.count - 1] = field
        if (1...15).contains(step) {
            bytes.append(UInt8(truncatingIfNeeded: step << 4) | kind.rawValue)
        } else {
            bytes.append(kind.rawValue)
            zigzag(Int64(field))
        }
    }

    mutating func field(_ number: Int, int32 value: Int) {
        head(number, .int32)
        zigzag(Int64(value))
    }
    mutating func field(_ number: Int, int64 value: Int) {
        head(number, .int64)
        zigzag(Int64(value))
    }
    mutating func field(_ number: Int, byte value: UInt8) {
        head(number, .byte)
        bytes.append(value)
    }
    mutating func field(_ number: Int, truth value: Bool) { head(number, value ? .true1 : .false2) }
    mutating func field(_ number: Int, binary value: [UInt8]) {
        head(number, .binary)
        element(binary: value)
    }
    mutating func field(_ number: Int, structure body: (inout ThriftWriter) -> Void) {
        head(number, .structure)
        element(structure: body)
    }
    mutating func field(_ number: Int, list kind: ThriftReader.Kind, count: Int) {
        head(number, .list)
        if count < 15 {
            bytes.append(UInt8(truncatingIfNeeded: count << 4) | kind.rawValue)
        } else {
            bytes.append(0xF0 | kind.rawValue)
            varint(UInt64(count))
        }
    }

    // MARK: Elements of lists

    mutating func element(int32 value: Int) { zigzag(Int64(value)) }
    mutating func element(binary value: [UInt8]) {
        varint(UInt64(value.count))
        bytes += value
    }
    mutating func element(structure body: (inout ThriftWriter) -> Void) {
        lastFields.append(0)
        body(&self)
        lastFields.removeLast()
        bytes.append(0)
    }

    /// The whole of one structure.
    static func structure(_ body: (inout ThriftWriter) -> Void) -> [UInt8] {
        var writer = ThriftWriter()
        body(&writer)
        writer.bytes.append(0)
        return writer.bytes
    }
}
