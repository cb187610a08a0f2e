import Catalog
import ColumnVectors
import Glibc
import SQLTypes

/// Encodes rows of a delta as a part in memory: the same blocks, dictionaries and summaries as in a file.
struct DeltaRunEncoder {
    let delta: DeltaRows
    let rows: ColumnBatch
    let start: Int
    /// At most a row group.
    let count: Int
    /// Columns that get a dictionary whenever their strings fit into one.
    let dictionaries: Set<Int>
    let sortedBy: [Int32]

    private struct Encoded {
        var column: StoredColumn
        var block: Block
        var dictionary: TextDictionary?
    }

    func encode(id: PartID) throws -> PartFile {
        let memory = BlockMemory()
        var encoded: [Encoded] = []
        for index in rows.columns.indices { encoded.append(try encode(column: index, memory)) }
        let footer = PartFooter(
            id: id, table: delta.table, slice: delta.slice, placement: delta.placement, sortedBy: sortedBy,
            groupRows: [count], columns: encoded.map(\.column))
        return PartFile(
            path: "rows of table \(delta.table) in the log", footer: footer,
            dictionaries: encoded.map(\.dictionary), blocks: encoded.map(\.block), memory: memory)
    }

    private func encode(column index: Int, _ memory: BlockMemory) throws -> Encoded {
        let source = rows.columns[index], definition = delta.columns[index]
        let validity = source.validity.map { UnsafePointer($0 + start) }
        var nulls = 0
        if let validity { for row in 0..<count where validity[row] == 0 { nulls += 1 } }
        let valid = nulls > 0 ? validity : nil
        let scratch = ScratchMemory(bytes: count * 17 + StorageLimits.padding)
        let raw: ScratchMemory
        var descriptor: BlockDescriptor
        var summary = ColumnSummary()
        var dictionary: TextDictionary?
        switch source.physical {
        case .uint8: (raw, descriptor, summary) = integers(source, UInt8.self, scratch, valid, nulls)
        case .uint16: (raw, descriptor, summary) = integers(source, UInt16.self, scratch, valid, nulls)
        case .int32: (raw, descriptor, summary) = integers(source, Int32.self, scratch, valid, nulls)
        case .int64: (raw, descriptor, summary) = integers(source, Int64.self, scratch, valid, nulls)
        case .int128, .float64: (raw, descriptor, summary) = plain(source, definition.type, scratch, valid, nulls)
        case .string:
            let text = DeltaText(
                views: source.values(as: StringView.self) + start, validity: valid, count: count, nulls: nulls)
            (raw, descriptor, summary, dictionary) =
                try definition.type.isBinaryString
                ? text.text() : text.encode(forced: dictionaries.contains(index))
        }
        summary.nullCount = nulls
        descriptor.storedLength = descriptor.rawLength
        let block = try memory.materialize(descriptor, raw, dictionaryCount: dictionary?.count ?? 0)
        let column = StoredColumn(
            id: definition.id, family: ColumnFamily(definition.type),
            encoding: OuterChoice(definition.encoding).name(definition.type, dictionaryEntries: dictionary?.count),
            summary: summary, dictionary: nil, blocks: [descriptor])
        return Encoded(column: column, block: block, dictionary: dictionary)
    }

    private func integers<Value: FixedWidthInteger>(
        _ source: ColumnBuffer, _ type: Value.Type, _ scratch: ScratchMemory, _ validity: UnsafePointer<UInt8>?,
        _ nulls: Int
    ) -> (ScratchMemory, BlockDescriptor, ColumnSummary) {
        let values = scratch.address.assumingMemoryBound(to: type)
        memcpy(values, source.values(as: type) + start, count * MemoryLayout<Value>.size)
        let raw = ScratchMemory(bytes: count * 9 + StorageLimits.padding)
        let block = IntegerEncoding.encode(
            values, validity: validity, count: count, nullCount: nulls, into: raw.address)
        var summary = ColumnSummary()
        summary.runCount = 1
        if nulls < count {
            summary.minimum = .integer(Int128(block.minimum))
            summary.maximum = .integer(Int128(block.maximum))
            summary.runCount = BlockStatistics.runs(values, count)
            let marks = ScratchMemory(zeroed: StorageLimits.rowGroupRows)
            BlockStatistics.sketch(
                values, count, block, marks.address.assumingMemoryBound(to: UInt8.self), &summary.sketch)
        }
        return (raw, block, summary)
    }

    private func plain(
        _ source: ColumnBuffer, _ type: SQLType, _ scratch: ScratchMemory, _ validity: UnsafePointer<UInt8>?,
        _ nulls: Int
    ) -> (ScratchMemory, BlockDescriptor, ColumnSummary) {
        let raw = ScratchMemory(bytes: count * 17 + StorageLimits.padding)
        let width = source.physical.byteWidth
        memcpy(scratch.address, source.values + start * width, count * width)
        if source.physical == .float64 {
            let values = scratch.address.assumingMemoryBound(to: Double.self)
            let summary = BlockStatistics.floats(values, validity, count)
            let block = PlainEncoding.encodeFloat(
                values, validity: validity, count: count, nullCount: nulls, into: raw.address)
            return (raw, block, summary)
        }
        let values = scratch.address.assumingMemoryBound(to: Int128.self)
        let summary = BlockStatistics.wide(values, validity, count, isInterval: type == .interval)
        let block = PlainEncoding.encodeWide(
            values, validity: validity, count: count, nullCount: nulls, into: raw.address)
        return (raw, block, summary)
    }
}

/// Strings of a delta on their way into a block: codes of an ordered dictionary, or the text itself.
private struct DeltaText {
    let views: UnsafePointer<StringView>
    let validity: UnsafePointer<UInt8>?
    let count: Int
    let nulls: Int

    typealias Result = (ScratchMemory, BlockDescriptor, ColumnSummary, TextDictionary?)

    func encode(forced: Bool) throws -> Result {
        let lane = LaneDictionary()
        let codes = ScratchMemory(bytes: count * 2 + StorageLimits.padding)
        let values = codes.address.assumingMemoryBound(to: UInt16.self)
        let fits = try lane.encode(views, validity, count, trim: false, into: values)
        if fits || forced && lane.count < StorageLimits.dictionaryEntries {
            var bytes = 0
            for code in 0..<lane.count { bytes += Int(lane.views[code].count) }
            if forced || DictionaryEncoding.isWorthwhile(rows: count, distinct: lane.count, dictionaryBytes: bytes) {
                return coded(lane, values)
            }
        }
        return text()
    }

    private func coded(_ lane: LaneDictionary, _ values: UnsafeMutablePointer<UInt16>) -> Result {
        let order = (0..<lane.count).sorted { dictionaryOrder(lane.views[$0], lane.views[$1]) < 0 }
        let dictionary = TextDictionary(orderedDistinct: order.map { lane.views[$0] })
        var places = [UInt16](repeating: 0, count: lane.count + 1)
        for (place, code) in order.enumerated() { places[code] = UInt16(truncatingIfNeeded: place) }
        for row in 0..<count { values[row] = places[Int(values[row])] }
        let raw = ScratchMemory(bytes: count * 9 + StorageLimits.padding)
        let block = DictionaryEncoding.encode(
            values, validity: validity, count: count, nullCount: nulls,
            hasTrailingBlanks: dictionary.hasTrailingBlanks, into: raw.address)
        var summary = ColumnSummary()
        summary.hasTrailingBlanks = dictionary.hasTrailingBlanks
        summary.runCount = 1
        if nulls < count {
            let marks = ScratchMemory(zeroed: StorageLimits.dictionaryEntries)
            summary.minimum = ColumnSummary.lowerBound(dictionary.views[Int(block.minimum)].bytes)
            summary.maximum = ColumnSummary.upperBound(dictionary.views[Int(block.maximum)].bytes) ?? .null
            summary.runCount = BlockStatistics.runs(values, count)
            summary.stringBytes = BlockStatistics.stringBytes(values, validity, count, dictionary.views)
            BlockStatistics.sketch(
                codes: values, count, dictionary.views, marks.address.assumingMemoryBound(to: UInt8.self),
                &summary.sketch)
        }
        return (raw, block, summary, dictionary)
    }

    func text() -> Result {
        // NULL rows hold nothing.
        let copies = ScratchMemory(bytes: count * MemoryLayout<StringView>.size + StorageLimits.padding)
        let strings = copies.address.assumingMemoryBound(to: StringView.self)
        for row in 0..<count { strings[row] = validity.map { $0[row] == 0 } ?? false ? .empty : views[row] }
        let measure = TextEncoding.measure(strings, count)
        let raw = ScratchMemory(bytes: measure.bytes + count * 5 + StorageLimits.padding)
        let block = TextEncoding.encode(
            strings, measure, validity: validity, count: count, nullCount: nulls, into: raw.address)
        var summary = BlockStatistics.text(strings, validity, count)
        summary.stringBytes = measure.bytes
        summary.hasTrailingBlanks = measure.hasTrailingBlanks
        return (raw, block, summary, nil)
    }
}

/// Bytes for the time of an encoding.
private final class ScratchMemory {
    let address: UnsafeMutableRawPointer
    init(bytes: Int) { address = .allocate(byteCount: max(bytes, 1), alignment: 64) }
    init(zeroed bytes: Int) {
        address = .allocate(byteCount: max(bytes, 1), alignment: 64)
        memset(address, 0, bytes)
    }
    deinit { address.deallocate() }
}

/// The memory of blocks that never leave it. Filled once, by one thread.
final class BlockMemory: @unchecked Sendable {  // immutable after the part was made
    private var pieces: [UnsafeMutableRawPointer] = []
    private(set) var bytes = 0

    deinit { for piece in pieces { piece.deallocate() } }

    fileprivate func materialize(
        _ descriptor: BlockDescriptor, _ raw: ScratchMemory, dictionaryCount: Int
    ) throws -> Block {
        let layout = BlockLayout(descriptor)
        let size = max(layout.totalBytes, StorageLimits.padding) + StorageLimits.padding
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
        pieces.append(memory)
        bytes += size
        memcpy(memory, raw.address, descriptor.rawLength)
        guard let block = layout.materialize(descriptor, at: memory, dictionaryCount: dictionaryCount) else {
            throw SQLError(.internalError, "a block of new rows contradicts its description")
        }
        return block
    }
}
