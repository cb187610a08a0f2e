import CZstd
import Glibc
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

@Suite struct SourceTests {
    private func zstd(_ bytes: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
        let capacity = output.count
        let count = ZSTD_compress(&output, capacity, bytes, bytes.count, 3)
        return Array(output.prefix(count))
    }

    private var text: [UInt8] {
        Array((0..<20_000).map { "\($0)|value \($0 &* 2_654_435_761)\n" }.joined().utf8)
    }

    @Test(arguments: ["GZIP", "ZSTD", "BZIP2"]) func compressed(kind: String) throws {
        let table = makeTable([.integer, .varchar(40)])
        let options = [RawCopyOption(kind)]
        func pack(_ bytes: [UInt8]) -> [UInt8] {
            kind == "GZIP" ? gzip(bytes) : kind == "ZSTD" ? zstd(bytes) : bzip2(bytes)
        }
        let packed = pack(text)
        let sink = MemorySink()
        let result = try load(packed, table, options, sink: sink, pieceBytes: 5000, workers: 2)
        #expect(result.rowsLoaded == 20_000)
        #expect(result.bytesRead == Int64(packed.count))
        // Two streams one after the other.
        let half = text.firstIndex(of: 10).map { $0 + 1 } ?? 0
        let double = MemorySink()
        try load(pack(Array(text[..<half])) + pack(Array(text[half...])), table, options, sink: double)
        #expect(double.sorted == sink.sorted)
        for cut in [packed.count - 1, packed.count / 2, 12, 5] {
            let broken = MemorySink()
            let error = #expect(throws: SQLError.self) {
                try load(Array(packed[..<cut]), table, options, sink: broken)
            }
            #expect(error?.message.contains("could not decompress file") == true, "cut at \(cut)")
            #expect(error?.message.contains("unexpected end of file") == true, "cut at \(cut)")
            #expect(broken.wasAborted)
        }
        var damaged = packed
        for index in damaged.count / 2..<damaged.count / 2 + 40 { damaged[index] ^= 0x5A }
        #expect(throws: SQLError.self) { try load(damaged, table, options, sink: MemorySink()) }
        let hint = #expect(throws: SQLError.self) { try load(packed, table, [], sink: MemorySink()) }
        #expect(hint?.hint == "Add \(kind) to the COPY options.")
        #expect(throws: SQLError.self) { try load(text, table, options, sink: MemorySink()) }
    }

    @Test func lzop() throws {
        let table = makeTable([.bigint, .varchar(20_000)])
        let options = [RawCopyOption("LZOP")]
        let expected = Array(text.prefix { _ in true })
        let first = expected.split(separator: 10).prefix(2000).map { String(decoding: $0, as: UTF8.self) }
        let rows = first + ["9|" + String(repeating: "ab", count: 10_000)]
        for name in ["fast", "best", "crc", "plain"] {
            let packed = try fixture("lines_\(name).lzo")
            let sink = MemorySink()
            try load(packed, table, options, sink: sink, pieceBytes: 5000)
            #expect(sink.inOrder == rows, "\(name)")
            let double = MemorySink()
            try load(packed + packed, table, options, sink: double)
            #expect(double.inOrder == rows + rows, "\(name)")
            for cut in [packed.count - 1, packed.count / 2, 30, 5] {
                #expect(throws: SQLError.self) {
                    try load(Array(packed[..<cut]), table, options, sink: MemorySink())
                }
            }
        }
        var damaged = try fixture("lines_fast.lzo")
        damaged[damaged.count / 2] ^= 1
        let error = #expect(throws: SQLError.self) { try load(damaged, table, options, sink: MemorySink()) }
        #expect(error?.message.hasSuffix("a block's checksum is wrong") == true)
        let hint = #expect(throws: SQLError.self) {
            try load(try fixture("lines_fast.lzo"), table, [], sink: MemorySink())
        }
        #expect(hint?.hint == "Add LZOP to the COPY options.")
    }

    @Test func encodings() throws {
        let table = makeTable([.integer, .varchar(40)])
        let line = "1|é😀\n2|x\n"
        let units = Array(line.utf16)
        let little = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        for (bytes, name) in [(little, "UTF16LE"), (big, "UTF16BE"), ([0xFF, 0xFE] + little, "UTF16")] {
            let sink = MemorySink()
            try load(bytes, table, [RawCopyOption("ENCODING", [.word(name)])], sink: sink)
            #expect(sink.inOrder == ["1|é😀", "2|x"], "\(name)")
        }
        let latin = MemorySink()
        try load([49, 124, 0xE9, 10], table, [RawCopyOption("ENCODING", [.word("ISO88591")])], sink: latin)
        #expect(latin.inOrder == ["1|é"])
    }

    @Test func locations() throws {
        let folder = TemporaryFolder()
        try folder.write("in/part.1", "1\n")
        try folder.write("in/part.2", "2")
        try folder.write("in/.hidden", "9\n")
        try folder.write("in/other", "3\n")
        let root = folder.path
        func names(_ location: String) throws -> [String] {
            try LocalLoadSource(location: location).list().map { FilePath.name($0.name) }
        }
        #expect(try names(root + "/in") == ["other", "part.1", "part.2"])
        #expect(try names(root + "/in/part") == ["part.1", "part.2"])
        #expect(try names(root + "/in/part.2") == ["part.2"])
        #expect(try names("file://" + root + "/in/other") == ["other"])
        let relative = LocalPathPolicy(baseDirectory: root)
        #expect(try LocalLoadSource(location: "in/other", policy: relative).list().count == 1)
        let missing = #expect(throws: SQLError.self) { try names(root + "/nothing") }
        #expect(missing?.message == "The specified path '\(root)/nothing' does not exist")
        let remote = #expect(throws: SQLError.self) { try names("s3://bucket/key") }
        #expect(remote?.state == .featureNotSupported)
        let policy = LocalPathPolicy(allowedRoots: [root + "/elsewhere"])
        let refused = #expect(throws: SQLError.self) {
            try LocalLoadSource(location: root + "/in", policy: policy).list()
        }
        #expect(refused?.state == .insufficientPrivilege)
    }

    @Test func manifests() throws {
        let folder = TemporaryFolder()
        let one = try folder.write("one", "1\n")
        func list(_ json: String) throws -> [String] {
            let manifest = try folder.write("manifest", json)
            return try LocalLoadSource(location: manifest, isManifest: true).list().map(\.name)
        }
        #expect(try list("{\"entries\":[{\"url\":\"\(one)\",\"mandatory\":true},{\"url\":\"/none\"}]}") == [one])
        #expect(try list("{\"entries\":[{\"url\":\"\(one)\",\"meta\":{\"content_length\":2}}]}") == [one])
        for bad in [
            "{\"entries\":[{\"url\":\"/none\",\"mandatory\":true}]}", "{\"entries\":[", "{}", "[]",
            "{\"entries\":[{\"url\":\"\(one)\",\"meta\":{\"content_length\":3}}]}",
            String(repeating: "[", count: 100_000),
        ] {
            #expect(throws: SQLError.self) { try list(bad) }
        }
    }

    @Test func severalFiles() throws {
        let folder = TemporaryFolder()
        for file in 0..<5 {
            let lines = (0..<10).map { "\(file * 10 + $0)\n" }.joined()
            try folder.write("f\(file)", "h\n" + lines + (file == 3 ? "x\n" : ""))
        }
        let options = try CopyOptions(parsing: [
            RawCopyOption("IGNOREHEADER", [.number("1")]), RawCopyOption("MAXERROR", [.number("5")]),
        ])
        let sink = MemorySink()
        let result = try CopyJob(
            table: makeTable([.integer]), columns: CopyColumns(fields: [0]),
            source: LocalLoadSource(location: folder.path + "/f"), options: options, sink: sink,
            workers: StatementWorkers(WorkerPool(workers: 2))
        ).run()
        #expect(result.rowsLoaded == 50)
        #expect(result.files.map(\.rowsScanned) == [10, 10, 10, 11, 10])
        #expect(result.errors.map(\.line) == [12])
        #expect(result.errors.first?.file == folder.path + "/f3")
    }
}
