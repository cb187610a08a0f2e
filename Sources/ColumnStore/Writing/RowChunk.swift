import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// One column of a chunk.
struct ChunkColumn {
    /// Values; 2-byte codes of the lane's dictionary; or, form text, capacity + 1 offsets into the heap.
    var data: UnsafeMutableRawPointer
    /// Form of the values: integers are held in 16 or 32 bits while they fit.
    var form: PhysicalType
    /// nil while no row is NULL.
    var validity: UnsafeMutablePointer<UInt8>?
    var heap: UnsafeMutablePointer<UInt8>
    var heapCount = 0
    var isText = false
    /// What the codes of a coded column mean.
    var dictionary: LaneDictionary?
    /// Where `data` went when its values no longer fitted the chunk's own region.
    fileprivate var dataRegion: Region?
    fileprivate var validityRegion: Region?
    fileprivate var heapRegion: Region?

    var offsets: UnsafeMutablePointer<UInt32> { data.assumingMemoryBound(to: UInt32.self) }
}

/// Rows of one slice that one lane collected: at most 65,536. Filled by its lane, read by all workers afterwards.
final class RowChunk: @unchecked Sendable {
    let capacity: Int
    private(set) var count = 0
    let columns: UnsafeMutablePointer<ChunkColumn>
    private let columnCount: Int
    private let region: Region
    private let budget: MemoryBudget
    private(set) var bytes: Int

    /// Bytes of a row outside of heaps, at most.
    static func rowBytes(_ physicals: [PhysicalType]) -> Int {
        physicals.reduce(0) { $0 + ($1 == .string ? 4 : $1.byteWidth) }
    }

    /// Integers of tables may be held in fewer bits.
    static func isNarrowed(_ physical: PhysicalType) -> Bool { physical == .int32 || physical == .int64 }

    private static func columnBytes(_ capacity: Int, _ form: PhysicalType, _ dictionary: LaneDictionary?) -> Int {
        let width = form == .string ? (dictionary == nil ? 4 : 2) : form.byteWidth
        return ((capacity + 1) * width + StorageLimits.padding + 127) & ~127
    }

    private static let worthFitting = 4 << 20

    /// So many rows, or somewhat fewer when these would leave much of their memory empty: the system clears it all.
    static func fittingCapacity(_ rows: Int, _ forms: [PhysicalType], _ dictionaries: [LaneDictionary?]) -> Int {
        func bytes(_ rows: Int) -> Int {
            zip(forms, dictionaries).reduce(0) { $0 + columnBytes(rows, $1.0, $1.1) }
        }
        let wanted = bytes(rows)
        let taken = MemoryRegions.capacity(for: wanted)
        let smaller = MemoryRegions.capacity(for: wanted / 2 + 1)
        guard taken >= worthFitting, wanted * 5 < taken * 4, smaller < taken else { return rows }
        var fewer = rows
        while fewer > rows / 2 && bytes(fewer) > smaller { fewer -= 1_024 }
        return max(fewer, rows / 2)
    }

    /// - Parameters:
    ///   - dictionaries: of coded string columns.
    ///   - isNeeded: the load could not go on without; it may have a little more than there is.
    init(
        capacity: Int, _ forms: [PhysicalType], dictionaries: [LaneDictionary?], budget: MemoryBudget,
        isNeeded: Bool = false
    ) throws {
        self.capacity = capacity
        self.budget = budget
        columnCount = forms.count
        var total = 0
        var starts: [Int] = []
        for (form, dictionary) in zip(forms, dictionaries) {
            starts.append(total)
            total += RowChunk.columnBytes(capacity, form, dictionary)
        }
        total = MemoryRegions.capacity(for: total)
        if isNeeded { try budget.reserveNeeded(total) } else { try budget.reserve(total) }
        do { region = try MemoryRegions.shared.take(bytes: total) } catch {
            budget.release(total)
            throw error
        }
        bytes = total
        columns = .allocate(capacity: max(columnCount, 1))
        let nothing = UnsafeMutablePointer<UInt8>(bitPattern: 128).unsafelyUnwrapped
        for (index, form) in forms.enumerated() {
            var column = ChunkColumn(data: region.address + starts[index], form: form, heap: nothing)
            column.isText = form == .string && dictionaries[index] == nil
            column.dictionary = dictionaries[index]
            if column.isText { column.offsets[0] = 0 }
            (columns + index).initialize(to: column)
        }
    }

    deinit {
        for index in 0..<columnCount {
            if let data = columns[index].dataRegion { MemoryRegions.shared.give(back: data) }
            if let validity = columns[index].validityRegion { MemoryRegions.shared.give(back: validity) }
            if let heap = columns[index].heapRegion { MemoryRegions.shared.give(back: heap) }
        }
        columns.deinitialize(count: columnCount)
        columns.deallocate()
        MemoryRegions.shared.give(back: region)
        budget.release(bytes)
    }

    var space: Int { capacity - count }
    func advance(_ rows: Int) { count += rows }

    /// - Parameter least: in place of what is wanted, when there is no room for that.
    private func take(_ wanted: Int, orAtLeast least: Int) throws -> Region {
        var size = MemoryRegions.capacity(for: wanted)
        do {
            try budget.reserve(size)
        } catch is MemoryExhausted {
            // Half of a batch may be in the chunk by now.
            size = MemoryRegions.capacity(for: least)
            try budget.reserveNeeded(size)
        }
        do {
            let region = try MemoryRegions.shared.take(bytes: size)
            bytes += size
            return region
        } catch {
            budget.release(size)
            throw error
        }
    }

    /// Validity bytes for the column, all valid so far.
    func validity(_ index: Int) throws -> UnsafeMutablePointer<UInt8> {
        if let present = columns[index].validity { return present }
        let region = try take(capacity, orAtLeast: capacity)
        let validity = region.address.assumingMemoryBound(to: UInt8.self)
        memset(validity, 1, capacity)
        columns[index].validityRegion = region
        columns[index].validity = validity
        return validity
    }

    /// Room for more string bytes. A first heap is sized by the average so far.
    func reserveHeap(_ index: Int, _ more: Int, expected: Int) throws {
        let needed = columns[index].heapCount + more
        let present = columns[index].heapRegion
        let capacity = present?.capacity ?? 0
        if needed <= capacity { return }
        let region = try take(max(needed, min(capacity * 2, capacity + (64 << 20)), expected), orAtLeast: needed)
        memcpy(region.address, columns[index].heap, columns[index].heapCount)
        columns[index].heapRegion = region
        columns[index].heap = region.address.assumingMemoryBound(to: UInt8.self)
        if let present {
            MemoryRegions.shared.give(back: present)
            budget.release(present.capacity)
            bytes -= present.capacity
        }
    }

    /// Turns a coded column into text, when its dictionary has become too large.
    func decodeToText(_ index: Int) throws {
        guard let dictionary = columns[index].dictionary else { return }
        let codes = columns[index].data.assumingMemoryBound(to: UInt16.self)
        let validity = columns[index].validity
        var total = 0
        for row in 0..<count where validity.map({ $0[row] != 0 }) ?? true {
            total += Int(dictionary.views[Int(codes[row])].count)
        }
        let perRow = count > 0 ? total / count + 1 : 16
        try reserveHeap(index, total, expected: min(perRow * capacity, 64 << 20))
        let region = try take((capacity + 1) * 4, orAtLeast: (capacity + 1) * 4)
        columns[index].dataRegion = region
        columns[index].data = region.address
        let offsets = columns[index].offsets
        let heap = columns[index].heap
        var position = 0
        for row in 0..<count {
            offsets[row] = UInt32(truncatingIfNeeded: position)
            if let validity, validity[row] == 0 { continue }
            let view = dictionary.views[Int(codes[row])]
            memcpy(heap + position, view.pointer, Int(view.count))
            position += Int(view.count)
        }
        offsets[count] = UInt32(truncatingIfNeeded: position)
        columns[index].heapCount = position
        columns[index].isText = true
        columns[index].dictionary = nil
    }

    /// Gives a column that was held in fewer bits more of them: a value came that needs them.
    func widen(_ index: Int, to form: PhysicalType) throws {
        let old = columns[index]
        guard old.form.byteWidth < form.byteWidth else { return }
        guard old.form == .uint16 && (form == .int32 || form == .int64) || old.form == .int32 && form == .int64 else {
            throw SQLError(.internalError, "no way from \(old.form) to \(form) in a chunk of rows")
        }
        let region = try take(capacity * form.byteWidth, orAtLeast: capacity * form.byteWidth)
        switch (old.form, form) {
        case (.uint16, .int32): copy(old.data, UInt16.self, region.address, Int32.self)
        case (.uint16, .int64): copy(old.data, UInt16.self, region.address, Int64.self)
        case (.int32, .int64): copy(old.data, Int32.self, region.address, Int64.self)
        default: break  // refused above
        }
        columns[index].dataRegion = region
        columns[index].data = region.address
        columns[index].form = form
        if let before = old.dataRegion {
            MemoryRegions.shared.give(back: before)
            budget.release(before.capacity)
            bytes -= before.capacity
        }
    }

    private func copy<From: FixedWidthInteger, To: FixedWidthInteger>(
        _ source: UnsafeMutableRawPointer, _ from: From.Type, _ target: UnsafeMutableRawPointer, _ to: To.Type
    ) {
        let values = source.assumingMemoryBound(to: from)
        let out = target.assumingMemoryBound(to: to)
        for row in 0..<count { out[row] = To(truncatingIfNeeded: values[row]) }
    }
}
