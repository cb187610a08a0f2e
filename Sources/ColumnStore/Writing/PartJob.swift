import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// One part on its way to disk: a run of a slice's rows.
final class PartJob: @unchecked Sendable {  // `finish` runs after all `encode` calls; these share only the mutex
    let groupCount: Int
    private(set) var file: PartFile?
    private let store: Store
    private let plan: WritePlan
    let rows: SliceRows
    let start: Int
    let count: Int
    private let groupRows: Int
    private let choices: [OuterChoice]
    private let writer: PartWriter
    private let results: Lock<Results>

    private struct Results: @unchecked Sendable {  // slots are written by one worker each
        /// By group, then by column.
        var blocks: [BlockDescriptor]
        var summaries: [ColumnSummary]
        var cached: [(slot: Int, memory: UnsafeMutableRawPointer, length: Int)] = []
    }

    init(
        store: Store, plan: WritePlan, rows: SliceRows, start: Int, count: Int, groupRows: Int,
        choices: [OuterChoice]
    ) throws {
        self.store = store
        self.plan = plan
        self.rows = rows
        self.start = start
        self.count = count
        self.groupRows = groupRows
        self.choices = choices
        groupCount = (count + groupRows - 1) / groupRows
        var toAll = false
        if case .all = plan.placement { toAll = store.shape.nodes > 1 }
        writer = try PartWriter(
            store: store, table: plan.definition.id, slice: rows.slice, copyToAllNodes: toAll)
        let columns = plan.physicals.count
        results = Lock(
            Results(
                blocks: [BlockDescriptor](repeating: BlockDescriptor(), count: columns * groupCount),
                summaries: [ColumnSummary](repeating: ColumnSummary(), count: columns)))
    }

    func rows(inGroup group: Int) -> Int { min(groupRows, count - group * groupRows) }

    func encode(group: Int, column: Int, _ scratch: EncodeScratch) throws {
        let encoder = BlockEncoder(rows: rows, plan: plan, column: column, scratch: scratch)
        let encoded = try encoder.encode(from: start + group * groupRows, count: rows(inGroup: group))
        var block = encoded.descriptor
        let raw = UnsafeRawBufferPointer(start: encoded.raw, count: block.rawLength)
        let (stored, outer) = try choices[column].pack(raw, scratch)
        block.outer = outer
        block.storedLength = stored.count
        block.checksum = CRC32C.checksum(stored)
        block.offset = try writer.write(stored)
        results.withLock { results in
            results.blocks[group * plan.physicals.count + column] = block
            results.summaries[column].add(encoded.summary)
        }
    }

    /// Writes dictionaries and the footer.
    func finish(_ scratch: EncodeScratch) throws {
        let columns = plan.physicals.count
        let (blocks, summaries) = results.withLock { results in
            for column in results.summaries.indices { results.summaries[column].sketch.compact() }
            return (results.blocks, results.summaries)
        }
        var stored: [StoredColumn] = []
        var dictionaries: [TextDictionary?] = []
        for (index, column) in plan.definition.columns.enumerated() {
            let dictionary = rows.coded[index]?.dictionary
            dictionaries.append(dictionary)
            stored.append(
                StoredColumn(
                    id: column.id, family: ColumnFamily(column.type),
                    encoding: choices[index].name(column.type, dictionaryEntries: dictionary?.count),
                    summary: summaries[index],
                    dictionary: try dictionary.map { try write($0, choices[index], scratch) },
                    blocks: (0..<groupCount).map { blocks[$0 * columns + index] }))
        }
        let footer = PartFooter(
            id: writer.id, table: plan.definition.id, slice: rows.slice, placement: plan.storedPlacement,
            sortedBy: rows.isSorted ? plan.definition.sortKey.columns.map { plan.definition.columns[$0].id } : [],
            groupRows: (0..<groupCount).map { rows(inGroup: $0) }, columns: stored)
        let length = try writer.finish(footer)
        file = writer.open(footer, dictionaries: dictionaries, byteCount: length)
    }

    private func write(
        _ dictionary: TextDictionary, _ choice: OuterChoice, _ scratch: EncodeScratch
    ) throws -> DictionaryDescriptor {
        var descriptor = DictionaryDescriptor()
        descriptor.count = dictionary.count
        for code in 0..<dictionary.count { descriptor.heapLength += Int(dictionary.views[code].count) }
        let raw = try scratch.rawBytes(descriptor.rawLength)
        var position = dictionary.count * 4
        for code in 0..<dictionary.count {
            let view = dictionary.views[code]
            raw.storeBytes(of: view.count, toByteOffset: code * 4, as: UInt32.self)
            (raw + position).copyMemory(from: view.pointer, byteCount: Int(view.count))
            position += Int(view.count)
        }
        let bytes = UnsafeRawBufferPointer(start: raw, count: descriptor.rawLength)
        let (stored, outer) = try choice.pack(bytes, scratch)
        descriptor.outer = outer
        descriptor.storedLength = stored.count
        descriptor.checksum = CRC32C.checksum(stored)
        descriptor.offset = try writer.write(stored)
        return descriptor
    }
}
