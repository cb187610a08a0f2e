import ColumnVectors
import Glibc
import SQLTypes

/// Consecutive rows of a temporary file: for each column its values, its validity bytes and its strings' bytes. String
/// views hold an offset into the chunk in place of the pointer.
struct SpillChunk {
    struct Column {
        var values: Int
        /// nil: no NULLs.
        var validity: Int?
    }
    var offset = 0
    var bytes = 0
    var rows: Int
    var columns: [Column] = []

    /// Bytes that a chunk of the buffers' first rows needs, at most.
    static func room(for buffers: [ColumnBuffer], rows: Int) -> Int {
        var size = 64
        for buffer in buffers {
            let text = buffer.physical == .string ? textBytes(buffer, from: 0) : 0
            size += rows * buffer.physical.byteWidth + (buffer.hasNulls ? rows : 0) + text + 3 * alignment
        }
        return size
    }

    /// Lays out rows of buffers at a place with room for them.
    init(_ buffers: [ColumnBuffer], rows: Int, at target: UnsafeMutableRawPointer) {
        self.rows = rows
        for buffer in buffers { add(buffer, target) }
    }

    /// Writes what was laid out.
    mutating func write(_ source: UnsafeMutableRawPointer, to file: SpillFile) throws {
        if bytes > 0 { offset = try file.append(UnsafeRawBufferPointer(start: source, count: bytes)) }
    }

    /// Reads the chunk to a place with room for it; views of strings are pointers again.
    func read(from file: SpillFile, to base: UnsafeMutableRawPointer, forms: [PhysicalType]) throws {
        if bytes > 0 { try file.read(into: UnsafeMutableRawBufferPointer(start: base, count: bytes), at: offset) }
        for (column, form) in zip(columns, forms) where form == .string {
            let words = (base + column.values).assumingMemoryBound(to: UInt64.self)
            let start = UInt64(UInt(bitPattern: base))
            for row in 0..<rows { words[2 &* row &+ 1] &+= start }
        }
    }

    private mutating func take(_ count: Int) -> Int {
        defer { bytes = (bytes + count + SpillChunk.alignment - 1) & ~(SpillChunk.alignment - 1) }
        return bytes
    }

    private static let alignment = 64

    /// Puts one column behind the others.
    private mutating func add(_ buffer: ColumnBuffer, _ target: UnsafeMutableRawPointer) {
        let values = take(rows * buffer.physical.byteWidth)
        memcpy(target + values, buffer.values, rows * buffer.physical.byteWidth)
        var column = Column(values: values, validity: nil)
        if let validity = buffer.validity {
            let place = take(rows)
            memcpy(target + place, validity, rows)
            column.validity = place
        }
        if buffer.physical == .string {
            let views = buffer.values(as: StringView.self)
            let words = (target + values).assumingMemoryBound(to: UInt64.self)
            var place = bytes
            for row in 0..<rows {
                let length = Int(views[row].count)
                words[2 * row + 1] = UInt64(truncatingIfNeeded: place)
                if length > 0 && !buffer.isNull(row) { memcpy(target + place, views[row].pointer, length) }
                if buffer.isNull(row) { words[2 * row] = 0 } else { place += length }
            }
            _ = take(place - bytes)
        }
        columns.append(column)
    }

    static func textBytes(_ buffer: ColumnBuffer, from first: Int) -> Int {
        let views = buffer.values(as: StringView.self)
        let validity = buffer.validity
        var bytes = 0
        for row in first..<buffer.count where validity.map({ $0[row] != 0 }) ?? true { bytes &+= Int(views[row].count) }
        return bytes
    }
}
