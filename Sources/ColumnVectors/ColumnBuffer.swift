import Glibc
import Platform
import SQLTypes

/// A growing column of values of one physical type: rows to write, results, sorted runs. Strings are copied into the
/// buffer's own arena, so a buffer outlives what it was filled from.
///
/// One thread fills it; when it is complete, any number may read it.
public final class ColumnBuffer: @unchecked Sendable {
    public let physical: PhysicalType
    public private(set) var count = 0
    public let arena = StringArena()
    private let memory = GrowableMemory()
    private let validityMemory = GrowableMemory()
    public private(set) var hasNulls = false

    public init(_ physical: PhysicalType) { self.physical = physical }
    public convenience init(_ type: SQLType) { self.init(type.physical) }

    /// The values; undefined bytes beyond `count`. Moves when the buffer grows.
    public var values: UnsafeMutableRawPointer { memory.address }
    /// One byte a row, 1 for a value and 0 for NULL; nil while there is no NULL.
    public var validity: UnsafeMutablePointer<UInt8>? {
        hasNulls ? validityMemory.address.assumingMemoryBound(to: UInt8.self) : nil
    }
    @inlinable public func values<Value>(as type: Value.Type) -> UnsafeMutablePointer<Value> {
        values.assumingMemoryBound(to: type)
    }
    public var isEmpty: Bool { count == 0 }

    /// Bytes held, for memory accounting.
    public var reservedBytes: Int { memory.capacity + validityMemory.capacity + arena.reservedBytes }

    /// Makes room for so many rows after the present ones; fill them through ``values`` and call ``advance(_:)``.
    public func reserve(additional rows: Int) throws {
        let total = count + rows
        try memory.grow(to: total * physical.byteWidth, keeping: count * physical.byteWidth)
        if hasNulls { try validityMemory.grow(to: total, keeping: count) }
    }

    /// Counts rows that were written in place after ``reserve(additional:)``. All are taken as valid.
    public func advance(_ rows: Int) {
        assert(rows >= 0 && (count + rows) * physical.byteWidth <= memory.capacity, "rows without room")
        if hasNulls { memset(validityMemory.address + count, 1, rows) }
        count += rows
    }

    /// Switches the validity bytes on, all valid so far, with room for the rows reserved.
    public func useValidity() throws {
        if hasNulls { return }
        try validityMemory.grow(to: max(memory.capacity / physical.byteWidth, count), keeping: 0)
        memset(validityMemory.address, 1, count)
        hasNulls = true
    }

    public func removeAll() {
        count = 0
        hasNulls = false
        arena.removeAll()
    }

    // MARK: One value

    public func appendNull() throws {
        try useValidity()
        try reserve(additional: 1)
        memset(values + count * physical.byteWidth, 0, physical.byteWidth)
        if physical == .string { values(as: StringView.self)[count] = .empty }
        validityMemory.address.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// For every integer form; the value must fit.
    public func append(integer value: Int128) throws {
        try reserve(additional: 1)
        switch physical {
        case .uint8: values(as: UInt8.self)[count] = UInt8(truncatingIfNeeded: value)
        case .uint16: values(as: UInt16.self)[count] = UInt16(truncatingIfNeeded: value)
        case .int32: values(as: Int32.self)[count] = Int32(truncatingIfNeeded: value)
        case .int64: values(as: Int64.self)[count] = Int64(truncatingIfNeeded: value)
        case .int128: values(as: Int128.self)[count] = value
        case .float64: values(as: Double.self)[count] = Double(value)
        case .string: throw wrongForm("integer")
        }
        advance(1)
    }

    public func append(double value: Double) throws {
        guard physical == .float64 else { throw wrongForm("float") }
        try reserve(additional: 1)
        values(as: Double.self)[count] = value
        advance(1)
    }

    public func append(string bytes: UnsafeBufferPointer<UInt8>) throws {
        guard physical == .string else { throw wrongForm("string") }
        try reserve(additional: 1)
        values(as: StringView.self)[count] = try arena.copy(bytes)
        advance(1)
    }

    public func append(_ datum: Datum) throws {
        switch datum {
        case .null: try appendNull()
        case .integer(let value): try append(integer: value)
        case .double(let value): try append(double: value)
        case .string(let bytes): try bytes.withUnsafeBufferPointer { try append(string: $0) }
        case .interval(let value): try append(integer: value.packed)
        }
    }

    private func wrongForm(_ what: String) -> SQLError {
        SQLError(.internalError, "\(what) value for a column buffer of \(physical)")
    }

    // MARK: Access by row

    public func isNull(_ row: Int) -> Bool {
        hasNulls && validityMemory.address.load(fromByteOffset: row, as: UInt8.self) == 0
    }

    /// The value of a row as the SQL type says. For results and tests, not for row loops.
    public func datum(row: Int, type: SQLType) -> Datum {
        if isNull(row) { return .null }
        switch physical {
        case .uint8: return .integer(Int128(values(as: UInt8.self)[row]))
        case .uint16: return .integer(Int128(values(as: UInt16.self)[row]))
        case .int32: return .integer(Int128(values(as: Int32.self)[row]))
        case .int64: return .integer(Int128(values(as: Int64.self)[row]))
        case .int128:
            let value = values(as: Int128.self)[row]
            return type == .interval ? .interval(Interval(packed: value)) : .integer(value)
        case .float64: return .double(values(as: Double.self)[row])
        case .string: return .string(Array(values(as: StringView.self)[row].bytes))
        }
    }
}
