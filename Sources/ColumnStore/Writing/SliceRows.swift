import ColumnVectors
import Platform
import SQLTypes

/// All collected rows of one slice, in the order of their chunks, with pointers laid out for gathering by row id: chunk
/// number in the upper 16 bits, row of the chunk in the lower 16.
final class SliceRows: @unchecked Sendable {  // the phases of a build write disjoint parts
    let slice: Int
    let chunks: [RowChunk]
    let rowCount: Int
    /// First row of each chunk, and the end.
    let starts: [Int]
    let columnCount: Int
    /// By column, then by chunk.
    private let data: UnsafeMutablePointer<UnsafeRawPointer>
    private let validity: UnsafeMutablePointer<UnsafePointer<UInt8>>
    let hasNulls: [Bool]
    /// The form in which all chunks hold a column.
    let forms: [PhysicalType]
    /// Set in the first phase: columns that get a dictionary.
    var coded: [CodedColumn?]
    /// Set in the second phase: row ids in sort order; nil = as they come.
    var order: Region?
    var isSorted = false

    private struct Ones: @unchecked Sendable {  // never written again
        let address: UnsafePointer<UInt8>
    }
    private static let ones = {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: StorageLimits.rowGroupRows + StorageLimits.padding)
        bytes.initialize(repeating: 1, count: StorageLimits.rowGroupRows + StorageLimits.padding)
        return Ones(address: UnsafePointer(bytes))
    }()

    init(slice: Int, chunks all: [RowChunk], _ physicals: [PhysicalType]) throws {
        let columnCount = physicals.count
        let chunks = all.filter { $0.count > 0 }
        guard chunks.count <= 1 << 16 else {
            throw SQLError(.limitExceeded, "too many rows in one load")
        }
        self.slice = slice
        self.chunks = chunks
        self.columnCount = columnCount
        var starts = [0]
        for chunk in chunks { starts.append(starts[starts.count - 1] + chunk.count) }
        self.starts = starts
        rowCount = starts[chunks.count]
        forms = try SliceRows.commonForms(chunks, physicals)
        let places = max(columnCount * chunks.count, 1)
        data = .allocate(capacity: places)
        validity = .allocate(capacity: places)
        var hasNulls = [Bool](repeating: false, count: columnCount)
        for column in 0..<columnCount {
            for (index, chunk) in chunks.enumerated() {
                let source = chunk.columns[column]
                (data + column * chunks.count + index).initialize(to: UnsafeRawPointer(source.data))
                let bytes = source.validity.map { UnsafePointer($0) }
                (validity + column * chunks.count + index).initialize(to: bytes ?? SliceRows.ones.address)
                if bytes != nil { hasNulls[column] = true }
            }
        }
        self.hasNulls = hasNulls
        coded = [CodedColumn?](repeating: nil, count: columnCount)
    }

    /// Chunks from before the first wide value are widened, unless there was none.
    private static func commonForms(_ chunks: [RowChunk], _ physicals: [PhysicalType]) throws -> [PhysicalType] {
        try physicals.indices.map { column in
            guard RowChunk.isNarrowed(physicals[column]) else { return physicals[column] }
            let forms = chunks.map { $0.columns[column].form }
            let widest = forms.max { $0.byteWidth < $1.byteWidth } ?? physicals[column]
            for chunk in chunks { try chunk.widen(column, to: widest) }
            return widest
        }
    }

    deinit {
        data.deallocate()
        validity.deallocate()
        if let order { MemoryRegions.shared.give(back: order) }
    }

    func data(_ column: Int) -> UnsafePointer<UnsafeRawPointer> { UnsafePointer(data + column * chunks.count) }
    func validity(_ column: Int) -> UnsafePointer<UnsafePointer<UInt8>>? {
        hasNulls[column] ? UnsafePointer(validity + column * chunks.count) : nil
    }

    /// At which place a row of the final order came.
    func arrival(of position: Int) -> Int {
        guard let order else { return position }
        let id = Int(order.address.assumingMemoryBound(to: UInt32.self)[position])
        return starts[id >> 16] + id & 0xffff
    }

    /// Ids of the rows `start ..< start + count` of the final order, made in `scratch` unless they exist.
    func ids(from start: Int, count: Int, _ scratch: UnsafeMutablePointer<UInt32>) -> UnsafePointer<UInt32> {
        if let order { return UnsafePointer(order.address.assumingMemoryBound(to: UInt32.self) + start) }
        fillIDs(from: start, count: count, scratch)
        return UnsafePointer(scratch)
    }

    func fillIDs(from start: Int, count: Int, _ target: UnsafeMutablePointer<UInt32>) {
        var low = 0
        var high = chunks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= start { low = middle } else { high = middle }
        }
        var done = 0
        while done < count {
            let first = start + done - starts[low]
            let rows = min(count - done, chunks[low].count - first)
            let id = UInt32(truncatingIfNeeded: low << 16 | first)
            for row in 0..<rows { target[done &+ row] = id &+ UInt32(truncatingIfNeeded: row) }
            done += rows
            low += 1
        }
    }
}

/// A string column's dictionary for all rows of a slice, and how to get there from each chunk's codes.
final class CodedColumn: @unchecked Sendable {  // immutable after init
    let dictionary: TextDictionary
    /// By chunk: lane code -> code.
    let remaps: UnsafeMutablePointer<UnsafePointer<UInt16>>
    private let tables: [ObjectIdentifier: UnsafeMutablePointer<UInt16>]

    /// nil when some chunk holds text, or codes are not worth it.
    init?(_ rows: SliceRows, column: Int) {
        var used: [(LaneDictionary, UnsafeMutablePointer<UInt8>)] = []
        defer { for (_, marks) in used { marks.deallocate() } }
        for chunk in rows.chunks {
            guard let dictionary = chunk.columns[column].dictionary else { return nil }
            let known = used.first { $0.0 === dictionary }?.1
            let marks = known ?? CodedColumn.makeMarks()
            if known == nil { used.append((dictionary, marks)) }
            CodedColumn.mark(chunk, column, marks)
        }
        var views: [StringView] = []
        for (dictionary, marks) in used {
            for code in 0..<dictionary.count where marks[code] != 0 { views.append(dictionary.views[code]) }
        }
        views.sort { dictionaryOrder($0, $1) < 0 }
        var distinct: [StringView] = []
        distinct.reserveCapacity(views.count)
        for view in views where distinct.last.map({ !StringView.equal($0, view) }) ?? true { distinct.append(view) }
        let bytes = distinct.reduce(0) { $0 + Int($1.count) }
        guard DictionaryEncoding.isWorthwhile(rows: rows.rowCount, distinct: distinct.count, dictionaryBytes: bytes)
        else { return nil }
        dictionary = TextDictionary(orderedDistinct: distinct)
        var tables: [ObjectIdentifier: UnsafeMutablePointer<UInt16>] = [:]
        for (lane, marks) in used { tables[ObjectIdentifier(lane)] = CodedColumn.table(lane, marks, dictionary) }
        self.tables = tables
        remaps = .allocate(capacity: max(rows.chunks.count, 1))
        for (index, chunk) in rows.chunks.enumerated() {
            if let lane = chunk.columns[column].dictionary, let table = tables[ObjectIdentifier(lane)] {
                (remaps + index).initialize(to: UnsafePointer(table))
            }
        }
    }

    deinit {
        remaps.deallocate()
        for table in tables.values { table.deallocate() }
    }

    private static func makeMarks() -> UnsafeMutablePointer<UInt8> {
        let marks = UnsafeMutablePointer<UInt8>.allocate(capacity: StorageLimits.dictionaryEntries)
        marks.initialize(repeating: 0, count: StorageLimits.dictionaryEntries)
        return marks
    }

    private static func mark(_ chunk: RowChunk, _ column: Int, _ marks: UnsafeMutablePointer<UInt8>) {
        let codes = chunk.columns[column].data.assumingMemoryBound(to: UInt16.self)
        if let validity = chunk.columns[column].validity {
            for row in 0..<chunk.count { marks[Int(codes[row])] |= validity[row] }
        } else {
            for row in 0..<chunk.count { marks[Int(codes[row])] = 1 }
        }
    }

    /// Both dictionaries' order is the same, so one pass over the sorted lane codes finds all places.
    private static func table(
        _ lane: LaneDictionary, _ marks: UnsafeMutablePointer<UInt8>, _ dictionary: TextDictionary
    ) -> UnsafeMutablePointer<UInt16> {
        let table = UnsafeMutablePointer<UInt16>.allocate(capacity: StorageLimits.dictionaryEntries)
        table.initialize(repeating: 0, count: max(lane.count, 1))
        let codes = (0..<lane.count).filter { marks[$0] != 0 }
            .sorted { dictionaryOrder(lane.views[$0], lane.views[$1]) < 0 }
        var place = 0
        for code in codes {
            while place + 1 < dictionary.count && dictionaryOrder(dictionary.views[place], lane.views[code]) < 0 {
                place += 1
            }
            table[code] = UInt16(truncatingIfNeeded: place)
        }
        return table
    }
}
