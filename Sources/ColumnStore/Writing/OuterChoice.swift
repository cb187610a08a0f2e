import Catalog
import Platform
import SQLTypes
import Synchronization

/// Redshift's encoding names as pairs of inner form and outer layer. The inner form follows from the values alone; the
/// name decides about the outer layer. AUTO and the integer encodings use zstd while it pays on the column's blocks so
/// far.
final class OuterChoice: Sendable {
    private let outer: OuterEncoding
    private let isAdaptive: Bool
    private let requested: ColumnEncoding
    private let triedBytes = Atomic<Int>(0)
    private let savedBytes = Atomic<Int>(0)
    private let skippedBlocks = Atomic<Int>(0)
    private let packedBlocks = Atomic<Int>(0)

    init(_ encoding: ColumnEncoding) {
        requested = encoding
        switch encoding {
        case .raw: (outer, isAdaptive) = (.none, false)
        case .lzo: (outer, isAdaptive) = (.snappy, false)
        case .zstd: (outer, isAdaptive) = (.zstd, false)
        case .auto, .az64, .bytedict, .delta, .delta32k, .mostly8, .mostly16, .mostly32, .runlength, .text255,
            .text32k:
            (outer, isAdaptive) = (.zstd, true)
        }
    }

    /// Compresses when the choice says so. The result points into `scratch` or is `raw` itself.
    func pack(
        _ raw: UnsafeRawBufferPointer, _ scratch: EncodeScratch
    ) throws -> (UnsafeRawBufferPointer, OuterEncoding) {
        if outer == .none || raw.count < 64 || !isWorthTrying { return (raw, .none) }
        let target = try scratch.packedBytes(outer.bound(raw.count))
        let length = outer.compress(raw, into: target, scratch.outer)
        let saved = raw.count - (length ?? raw.count)
        triedBytes.add(raw.count, ordering: .relaxed)
        savedBytes.add(saved, ordering: .relaxed)
        guard let length, !isAdaptive || saved * 20 >= raw.count else { return (raw, .none) }
        packedBlocks.add(1, ordering: .relaxed)
        return (UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(target)[..<length]), outer)
    }

    /// After half a megabyte with less than a tenth saved, only one block in 16 is tried.
    private var isWorthTrying: Bool {
        if !isAdaptive { return true }
        let tried = triedBytes.load(ordering: .relaxed)
        if tried < 512 << 10 { return true }
        if savedBytes.load(ordering: .relaxed) * 10 >= tried { return true }
        return skippedBlocks.add(1, ordering: .relaxed).newValue & 15 == 0
    }

    /// The name that is shown for the column.
    func name(_ type: SQLType, dictionaryEntries: Int?) -> String {
        guard requested == .auto else { return requested.rawValue }
        let isPacked = packedBlocks.load(ordering: .relaxed) > 0
        switch ColumnFamily(type) {
        case .integer: return type == .boolean ? (isPacked ? "zstd" : "raw") : "az64"
        case .wide: return type.isDecimal ? "az64" : isPacked ? "zstd" : "raw"
        case .float: return isPacked ? "zstd" : "raw"
        case .string:
            if let dictionaryEntries, dictionaryEntries <= 256 { return "bytedict" }
            return isPacked ? "zstd" : "raw"
        }
    }
}
