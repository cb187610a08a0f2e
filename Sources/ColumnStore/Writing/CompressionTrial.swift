import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// What a column's rows would take on disk under different encodings, found out by encoding them.
package struct CompressionTrial: Sendable {
    package var encoding: ColumnEncoding
    /// Bytes as stored with that encoding, dictionary included.
    package var storedBytes: Int
    /// Bytes with RAW.
    package var rawBytes: Int

    /// Share of the RAW bytes that the encoding saves, 0 to 1.
    package var reduction: Double { rawBytes > 0 ? max(0, 1 - Double(storedBytes) / Double(rawBytes)) : 0 }

    /// What saves less is not worth the work of unpacking.
    private static let leastReduction = 0.05

    /// The encoding that takes least space, RAW unless another one saves a twentieth.
    ///
    /// - Parameter values: the column's values in the order in which they are stored.
    package static func best(of values: ColumnBuffer, column: ColumnDefinition, store: Store) throws -> CompressionTrial
    {
        let rows = try TrialRows(values, column: column, store: store)
        let rawBytes = try rows.storedBytes(.raw)
        var best = CompressionTrial(encoding: .raw, storedBytes: rawBytes, rawBytes: rawBytes)
        for candidate in [ColumnEncoding.lzo, .zstd] where candidate.isAllowed(column.type) {
            let bytes = try rows.storedBytes(candidate)
            guard Double(bytes) < Double(best.storedBytes) * (1 - leastReduction) else { continue }
            best = CompressionTrial(encoding: candidate, storedBytes: bytes, rawBytes: rawBytes)
        }
        if best.encoding == .zstd { best.encoding = rows.shownName }
        return best
    }
}

/// Sampled rows of one column, laid out as a load would lay them out.
private struct TrialRows {
    private let rows: SliceRows
    private let plan: WritePlan
    private let type: SQLType
    private let scratch: EncodeScratch

    init(_ values: ColumnBuffer, column: ColumnDefinition, store: Store) throws {
        type = column.type
        let definition = TableDefinition(
            id: ObjectID(0), schema: "", name: "", columns: [column], distribution: .all)
        plan = WritePlan(definition, slices: 1, presentRows: 0, presentIsAll: true, store)
        let load = LoadState(store: store, plan: plan, sliceRows: [0])
        let lane = WriterLane(load, index: 0)
        try lane.append(ColumnBatch(types: [column.type], columns: [values], rowCount: values.count))
        rows = try SliceRows(slice: 0, chunks: Array(lane.takeChunks().joined()), plan.physicals)
        if plan.physicals[0] == .string { rows.coded[0] = CodedColumn(rows, column: 0) }
        scratch = try EncodeScratch(store.cache.budget)
    }

    /// The name under which AUTO would store them packed with zstd.
    var shownName: ColumnEncoding {
        switch ColumnFamily(type) {
        case .integer: type == .boolean ? .zstd : .az64
        case .wide: type.isDecimal ? .az64 : .zstd
        case .float: .zstd
        case .string: (rows.coded[0]?.dictionary.count).map { $0 <= 256 ? .bytedict : .zstd } ?? .zstd
        }
    }

    func storedBytes(_ encoding: ColumnEncoding) throws -> Int {
        let choice = OuterChoice(encoding)
        let encoder = BlockEncoder(rows: rows, plan: plan, column: 0, scratch: scratch)
        var total = rows.coded[0].map(dictionaryBytes) ?? 0
        for start in stride(from: 0, to: rows.rowCount, by: StorageLimits.rowGroupRows) {
            let count = min(StorageLimits.rowGroupRows, rows.rowCount - start)
            let encoded = try encoder.encode(from: start, count: count)
            let raw = UnsafeRawBufferPointer(start: encoded.raw, count: encoded.descriptor.rawLength)
            total += try choice.pack(raw, scratch).0.count
        }
        return total
    }

    private func dictionaryBytes(_ coded: CodedColumn) -> Int {
        (0..<coded.dictionary.count).reduce(0) { $0 + Int(coded.dictionary.views[$1].count) + 4 }
    }
}
