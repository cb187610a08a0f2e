import ColumnVectors
import Glibc
import SQLTypes

/// A column's rows in a log record: a byte for form and NULLs, a validity bitmap where there are NULLs, then values, or
/// lengths and bytes of strings.
enum LogRows {
    private static func code(_ physical: PhysicalType) -> UInt8 {
        switch physical {
        case .uint8: 0
        case .uint16: 1
        case .int32: 2
        case .int64: 3
        case .int128: 4
        case .float64: 5
        case .string: 6
        }
    }
    private static let nullsFlag: UInt8 = 0x80

    static func write(_ column: ColumnBuffer, _ writer: inout BinaryWriter) {
        let count = column.count
        writer.put(code(column.physical) | (column.validity != nil ? nullsFlag : 0))
        if let validity = column.validity {
            var bits = [UInt8](repeating: 0, count: (count + 7) / 8)
            for row in 0..<count { bits[row >> 3] |= (validity[row] & 1) << UInt8(row & 7) }
            writer.put(raw: bits)
        }
        guard column.physical == .string else {
            writer.put(raw: UnsafeRawBufferPointer(start: column.values, count: count * column.physical.byteWidth))
            return
        }
        let views = column.values(as: StringView.self)
        func view(_ row: Int) -> StringView { column.isNull(row) ? .empty : views[row] }
        for row in 0..<count { writer.put(view(row).count) }
        for row in 0..<count { writer.put(raw: UnsafeRawBufferPointer(view(row).bytes)) }
    }

    /// Appends the rows to a buffer of the same form.
    static func read(_ reader: inout LogReader, _ count: Int, into column: ColumnBuffer) throws {
        let kind = try reader.get(UInt8.self)
        guard kind & ~nullsFlag == code(column.physical) else { throw reader.damaged("form of a column") }
        var bits: UnsafeRawPointer?
        if kind & nullsFlag != 0 {
            bits = try reader.take((count + 7) / 8)
            try column.useValidity()
        }
        try column.reserve(additional: count)
        let start = column.count
        if column.physical == .string {
            try readStrings(&reader, count, column)
        } else {
            let width = column.physical.byteWidth
            let source = try reader.take(count * width)
            if count > 0 { memcpy(column.values + start * width, source, count * width) }
        }
        column.advance(count)
        if let bits, let validity = column.validity {
            for row in 0..<count {
                let byte = bits.load(fromByteOffset: row >> 3, as: UInt8.self)
                validity[start + row] = byte >> UInt8(row & 7) & 1
            }
        }
    }

    private static func readStrings(_ reader: inout LogReader, _ count: Int, _ column: ColumnBuffer) throws {
        let lengths = try reader.take(count * 4)
        var total = 0
        for row in 0..<count { total += Int(lengths.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self)) }
        let bytes = try reader.take(total)
        var target = try column.arena.allocate(total)
        if total > 0 { memcpy(target, bytes, total) }
        let views = column.values(as: StringView.self) + column.count
        for row in 0..<count {
            let length = Int(lengths.loadUnaligned(fromByteOffset: row * 4, as: UInt32.self))
            views[row] = length == 0 ? .empty : StringView(target, count: length)
            target += length
        }
    }
}

/// Reads a log record in place. Nothing is trusted; what does not fit is damage.
struct LogReader {
    private var position: UnsafeRawPointer
    private let end: UnsafeRawPointer
    let file: String

    /// The bytes must stay in place for as long as the reader is used.
    init(_ bytes: UnsafeRawBufferPointer, file: String) {
        let nothing = UnsafeRawPointer(bitPattern: 64).unsafelyUnwrapped
        position = bytes.baseAddress ?? nothing
        end = position + bytes.count
        self.file = file
    }

    var isAtEnd: Bool { position == end }
    var remaining: Int { end - position }

    func damaged(_ what: String) -> SQLError {
        SQLError(.dataCorrupted, "log file \"\(file)\" is damaged: \(what)")
    }

    mutating func take(_ count: Int) throws -> UnsafeRawPointer {
        guard count >= 0, count <= end - position else { throw damaged("unexpected end of a record") }
        defer { position += count }
        return position
    }

    mutating func get<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) throws -> Value {
        Value(littleEndian: try take(MemoryLayout<Value>.size).loadUnaligned(as: Value.self))
    }

    mutating func getDatum() throws -> Datum {
        switch try get(UInt8.self) {
        case 0: return .null
        case 1: return .integer(try get(Int128.self))
        case 2: return .double(Double(bitPattern: try get()))
        case 3: return .string(try getCounted())
        case 4: return .interval(Interval(months: try get(), microseconds: try get()))
        default: throw damaged("unknown kind of value")
        }
    }

    mutating func getCounted() throws -> [UInt8] {
        let count = Int(try get(UInt32.self))
        return Array(UnsafeRawBufferPointer(start: try take(count), count: count))
    }
}
