import Catalog
import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Synchronization
import Testing

@testable import BulkTransfer

/// Whatever the bytes are: an error, or rows of the right shape.
struct ParquetDamageTests {
    /// One object in memory.
    private final class MemorySource: LoadSource, LoadInput {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func list() throws -> [LoadObject] { [LoadObject(name: "memory", sizeBytes: Int64(bytes.count))] }
        func open(_ object: LoadObject) throws -> any LoadInput { self }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            guard let start = Int(exactly: offset), start >= 0, start <= bytes.count else { return 0 }
            let count = min(buffer.count, bytes.count - start)
            bytes.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
            }
            return count
        }
    }

    private struct Generator {
        var state: UInt64
        mutating func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(max(bound, 1)))
        }
    }

    /// Variants of each file: some here, many where the environment asks for them.
    private static var variants: Int { getenv("REDBARN_PARQUET_VARIANTS").flatMap { Int(String(cString: $0)) } ?? 40 }

    private func damaged(_ bytes: [UInt8], _ random: inout Generator) -> [UInt8] {
        var copy = bytes
        // Half of the changes hit the metadata at the end.
        func place(_ random: inout Generator) -> Int {
            let count = copy.count
            return random.next(2) == 0 ? random.next(count) : count - 1 - random.next(min(count, 1500))
        }
        switch random.next(5) {
        case 0: copy.removeLast(random.next(copy.count))
        case 1:
            // The end stays: the middle is missing.
            let from = random.next(copy.count)
            copy.removeSubrange(from..<min(from + 1 + random.next(64), copy.count))
        case 2:
            let from = place(&random)
            for index in from..<min(from + 4, copy.count) { copy[index] = 0xFF }
        default:
            for _ in 0...random.next(4) { copy[place(&random)] ^= 1 << UInt8(random.next(8)) }
        }
        return copy
    }

    @Test(arguments: [
        "codec_none", "codec_snappy", "codec_gzip", "codec_zstd", "codec_lz4", "groups_v1", "plain_v2", "deltas",
        "deltas_v2", "decimals_bytes", "integers", "strings", "datetimes", "int96", "dictionary_overflow", "long",
        "nested_v1", "nested_v2",
    ])
    func errorsOrRows(_ name: String) throws {
        let whole = try ParquetFixtures.bytes(name)
        let types: [SQLType] =
            switch name {
            case "long": [.bigint, .varchar(1), .integer, .integer]
            case "nested_v1", "nested_v2": [.integer] + Array(repeating: .varchar(1000), count: 5)
            default: try ParquetFixtures.expected(name).types
            }
        let options = try CopyOptions(parsing: [RawCopyOption("PARQUET", [.word("SERIALIZETOJSON")])])
        var random = Generator(state: UInt64(name.utf8.count) &* 77)
        let count = name == "long" ? Self.variants / 10 : Self.variants
        for variant in 0..<count {
            let bytes = damaged(whole, &random)
            let sink = MemorySink()
            let job = try CopyJob(
                table: makeTable(types), columns: CopyColumns(fields: Array(types.indices)),
                source: MemorySource(bytes), options: options, sink: sink,
                workers: StatementWorkers(WorkerPool(workers: 1)),
                cancellation: CancellationToken(), context: DatetimeContext(), progress: nil,
                tuning: CopyJob.Tuning())
            do {
                let result = try job.run()
                #expect(result.rowsLoaded == sink.rows.withLock { $0.count }, "variant \(variant)")
            } catch is SQLError {
            } catch is LoadFailure {}
        }
    }

    /// Sizes that no file could have are refused before memory is taken for them.
    @Test func claimedSizes() throws {
        #expect(throws: ParquetDamage.self) { try ParquetCodec.snappy.checkSize(1 << 28, from: 1000) }
        #expect(throws: ParquetDamage.self) { try ParquetCodec.zstd.checkSize(Int(Int32.max), from: 1 << 20) }
        try ParquetCodec.gzip.checkSize(1_000_000, from: 1000)
        // A list of 2^60 structures.
        let list: [UInt8] = [0x29, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0]
        list.withUnsafeBytes { bytes in
            #expect(throws: ParquetDamage.self) { try ParquetFooter(bytes, dataEnd: 100) }
        }
        // Structures in structures.
        let deep = Array(repeating: UInt8(0x1C), count: 100_000)
        deep.withUnsafeBytes { bytes in
            #expect(throws: ParquetDamage.self) { try ParquetFooter(bytes, dataEnd: 100) }
        }
    }

    /// The largest day of an INT96 is far beyond 64 bits of microseconds.
    @Test func momentsOutOfRange() throws {
        let leaf = ParquetLeaf(
            name: "t", physical: .int96, length: 0, logical: .none, definition: 0, repetition: 0)
        let plan = try ColumnPlan(
            ColumnDefinition(id: 0, name: "t", type: .timestamp), tableIndex: 0, options: CopyOptions())
        let converter = ParquetColumnConverter(
            try ParquetConversion(leaf, plan, CopyOptions(), DatetimeContext()), try ParquetScratch())
        let arena = StringArena()
        let bytes = [UInt8](repeating: 0xFF, count: 12)
        let views = [try bytes.withUnsafeBufferPointer { try arena.copy($0) }]
        var moment: Int64 = 1
        try views.withUnsafeBytes { source in
            guard let base = source.baseAddress else { return }
            try withUnsafeMutableBytes(of: &moment) { target in
                guard let out = target.baseAddress else { return }
                try converter.convert(base, 1, StringFacts(), out, arena)
            }
        }
        #expect(moment == 0 && converter.failures.map(\.failure.code) == [1206])
    }

    @Test func lz4Blocks() {
        func unpack(_ bytes: [UInt8], _ count: Int) -> [UInt8]? {
            var out = [UInt8](repeating: 0, count: count)
            let isWhole = bytes.withUnsafeBytes { source in
                out.withUnsafeMutableBytes { LZ4Block.decompress(source, into: $0) }
            }
            return isWhole ? out : nil
        }
        #expect(unpack([0x30, 97, 98, 99], 3) == Array("abc".utf8))
        // "ab", then 6 bytes from 2 back, then "c".
        #expect(unpack([0x22, 97, 98, 2, 0, 0x10, 99], 9) == Array("ababababc".utf8))
        #expect(unpack([0x22, 97, 98, 3, 0, 0x10, 99], 9) == nil)
        #expect(unpack([0x22, 97, 98, 0, 0, 0x10, 99], 9) == nil)
        #expect(unpack([0x22, 97, 98, 2, 0, 0x10, 99], 8) == nil)
        #expect(unpack([0xF0, 255, 255], 9) == nil)
        #expect(unpack([], 1) == nil)
    }
}
