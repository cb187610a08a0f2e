import Glibc

/// Where the fields of some records are: what a splitter finds and the converters read. One per worker, reused.
///
/// Two forms. Regular: every record has the same number of separators, whose positions stand in one array; a field
/// starts after the separator before it. Otherwise the start and end of each field are listed.
final class FieldTable {
    /// Fields of a record.
    let fieldCount: Int
    private(set) var rowCount = 0
    private(set) var isRegular = false
    /// Separators per record in the regular form; one more than fields where lines end with a delimiter.
    private(set) var separatorsPerRow = 0
    /// Rows that the listed form can hold.
    let rowCapacity: Int

    /// Separator positions; the element before the first one stands for the separator before the first record.
    private(set) var positions: UnsafeMutablePointer<UInt32>
    private(set) var positionCapacity: Int
    /// start, end of each field, record by record.
    let bounds: UnsafeMutablePointer<UInt32>
    /// Start of each record and of the one after it, in the listed form.
    let recordStarts: UnsafeMutablePointer<UInt32>
    let recordEnds: UnsafeMutablePointer<UInt32>

    static let maximumRows = 32_768
    /// Written beyond the last position.
    private static let slack = 80

    init(fieldCount: Int) {
        self.fieldCount = fieldCount
        rowCapacity = min(max(131_072 / fieldCount, 16), FieldTable.maximumRows)
        positionCapacity = 64 << 10
        positions = .allocate(capacity: positionCapacity + FieldTable.slack)
        positions += 1
        bounds = .allocate(capacity: rowCapacity * fieldCount * 2)
        recordStarts = .allocate(capacity: rowCapacity)
        recordEnds = .allocate(capacity: rowCapacity)
    }
    deinit {
        (positions - 1).deallocate()
        bounds.deallocate()
        recordStarts.deallocate()
        recordEnds.deallocate()
    }

    /// Makes room for the separators of a window of so many bytes. Drops the positions.
    func reservePositions(_ bytes: Int) {
        if bytes <= positionCapacity { return }
        (positions - 1).deallocate()
        positionCapacity = bytes
        positions = .allocate(capacity: bytes + FieldTable.slack)
        positions += 1
    }

    func setRegular(rows: Int, separatorsPerRow: Int) {
        isRegular = true
        rowCount = rows
        self.separatorsPerRow = separatorsPerRow
    }

    func beginList() {
        isRegular = false
        rowCount = 0
    }

    /// The next row's bounds, to be filled before ``commitRow(_:_:)``.
    var nextRow: UnsafeMutablePointer<UInt32> { bounds + rowCount * fieldCount * 2 }
    var isFull: Bool { rowCount == rowCapacity }

    func commitRow(_ start: Int, _ end: Int) {
        recordStarts[rowCount] = UInt32(truncatingIfNeeded: start)
        recordEnds[rowCount] = UInt32(truncatingIfNeeded: end)
        rowCount += 1
    }

    func slots(_ field: Int) -> FieldSlots {
        if isRegular {
            return FieldSlots(
                starts: UnsafePointer(positions + field - 1), ends: UnsafePointer(positions + field),
                stride: separatorsPerRow, bias: 1)
        }
        return FieldSlots(
            starts: UnsafePointer(bounds + 2 * field), ends: UnsafePointer(bounds + 2 * field + 1),
            stride: 2 * fieldCount, bias: 0)
    }

    /// The bytes of a record with its line end.
    func record(_ row: Int) -> Range<Int> {
        if !isRegular { return Int(recordStarts[row])..<Int(recordEnds[row]) }
        let last = positions + (row + 1) * separatorsPerRow - 1
        let start = Int((positions + row * separatorsPerRow - 1).pointee &+ 1)
        return start..<Int(last.pointee) + 1
    }
}

/// One field of all records: element `row * stride` of the arrays, the start after adding the bias.
struct FieldSlots {
    let starts: UnsafePointer<UInt32>
    let ends: UnsafePointer<UInt32>
    let stride: Int
    let bias: UInt32

    @inline(__always)
    func range(_ row: Int) -> (start: Int, end: Int) {
        (Int(starts[row &* stride] &+ bias), Int(ends[row &* stride]))
    }
}
