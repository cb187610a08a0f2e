import Platform
import SQLTypes

/// Appends little-endian integers, counted strings and SQL values to a byte array: footers and the commit record.
package struct BinaryWriter {
    @usableFromInline package internal(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes to expect.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    // In other modules, too, where a generic call costs more than the bytes.
    @inlinable package mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        var little = value.littleEndian
        withUnsafeBytes(of: &little) { bytes.append(contentsOf: $0) }
    }
    package mutating func put(_ value: Bool) { bytes.append(value ? 1 : 0) }
    package mutating func put(_ value: Double) { put(value.bitPattern) }
    package mutating func put(raw more: [UInt8]) { bytes.append(contentsOf: more) }
    package mutating func put(raw more: UnsafeRawBufferPointer) { bytes.append(contentsOf: more) }
    package mutating func put(counted more: [UInt8]) {
        put(UInt32(truncatingIfNeeded: more.count))
        bytes.append(contentsOf: more)
    }
    package mutating func put(_ text: String) {
        put(UInt32(truncatingIfNeeded: text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    package mutating func put<Value>(_ value: Value?, _ body: (inout BinaryWriter, Value) -> Void) {
        put(value != nil)
        if let value { body(&self, value) }
    }
    package mutating func put<Element>(_ list: some Collection<Element>, _ body: (inout BinaryWriter, Element) -> Void)
    {
        put(UInt32(truncatingIfNeeded: list.count))
        for element in list { body(&self, element) }
    }

    package mutating func put(_ datum: Datum) {
        switch datum {
        case .null: put(UInt8(0))
        case .integer(let value):
            put(UInt8(1))
            put(value)
        case .double(let value):
            put(UInt8(2))
            put(value)
        case .string(let value):
            put(UInt8(3))
            put(counted: value)
        case .interval(let value):
            put(UInt8(4))
            put(value.months)
            put(value.microseconds)
        }
    }

    /// Ends a record: the checksum of all bytes so far.
    package mutating func putChecksum() { put(CRC32C.checksum(bytes)) }
}
