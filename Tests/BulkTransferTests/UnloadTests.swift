import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

/// What SQL cannot reach of UNLOAD: sizes of files below those that it takes, the order of rows in them, members of
/// compressed files.
@Suite struct UnloadTests {
    private let columns = [
        OutputColumn(name: "n", type: .integer), OutputColumn(name: "s", type: .varchar(1000)),
    ]

    /// Rows whose lengths go up and down.
    private func batch(_ rows: Range<Int>) throws -> ColumnBatch {
        let batch = ColumnBatch(types: columns.map(\.type))
        for row in rows {
            try batch.append([
                .integer(Int128(row)),
                .string([UInt8](repeating: UInt8(ascii: "a") + UInt8(row % 26), count: row % 97)),
            ])
        }
        return batch
    }

    private func line(_ row: Int) -> String {
        "\(row)|" + String(repeating: String(UnicodeScalar(UInt8(ascii: "a") + UInt8(row % 26))), count: row % 97)
    }

    /// Unloads so many rows in batches, and returns the files' texts by name.
    private func unload(
        _ rows: Int, _ folder: TemporaryFolder, slices: Int = 1, workers: Int = 1, isOrdered: Bool = true,
        _ change: (inout UnloadOptions) -> Void = { _ in }
    ) throws -> [String: [UInt8]] {
        var options = UnloadOptions()
        change(&options)
        var request = UnloadJob.Request(columns: columns, options: options)
        request.slices = slices
        request.isOrdered = isOrdered
        let place = try StoragePlaces().destination(folder.path + "/out/")
        let job = try UnloadJob(
            request, place: place, workers: StatementWorkers(WorkerPool(workers: workers)), time: SystemTime())
        for start in stride(from: 0, to: rows, by: 1500) {
            try job.consume(worker: 0, try batch(start..<min(start + 1500, rows)))
        }
        let result = try job.finish()
        #expect(result.rows == rows)
        #expect(result.leftovers == [])
        let system = LocalFileSystem()
        var texts: [String: [UInt8]] = [:]
        for name in try system.list(folder.path + "/out") {
            texts[name] = try system.readAll(folder.path + "/out/" + name)
        }
        for file in result.files {
            #expect(texts[FilePath.name(file.name)].map { Int64($0.count) } == file.bytes)
        }
        return texts
    }

    private func lines(_ texts: [String: [UInt8]]) -> [String] {
        texts.sorted { $0.key < $1.key }.flatMap { lines($0.value) }
    }
    private func lines(_ bytes: [UInt8]) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test(arguments: [(true, 1), (false, 1), (false, 3)])
    func sizesAreKeptToTheRow(isParallel: Bool, workers: Int) throws {
        let folder = TemporaryFolder()
        let texts = try withExtendedLifetime(folder) {
            try unload(9_000, folder, workers: workers) { options in
                options.parallel = isParallel
                options.maximumFileBytes = 7_000
                options.header = true
            }
        }
        #expect(texts.count > 10)
        let files = texts.sorted { $0.key < $1.key }.map(\.value)
        var all: [String] = []
        for (index, file) in files.enumerated() {
            #expect(file.count <= 7_000)
            let content = lines(file)
            #expect(content.first == "n|s")
            all += content.dropFirst()
            guard index > 0, content.count > 1 else { continue }
            // The row before was the last one that fitted.
            #expect(files[index - 1].count + content[1].utf8.count + 1 > 7_000)
        }
        #expect(all == (0..<9_000).map(line))
        #expect(texts.keys.min() == (isParallel ? "0000_part_00" : "000"))
        #expect(texts.keys.contains(isParallel ? "0000_part_07" : "007"))
    }

    @Test func aRowThatIsTooLargeHasItsOwnFile() throws {
        let folder = TemporaryFolder()
        let texts = try withExtendedLifetime(folder) {
            try unload(97, folder) { options in
                options.parallel = false
                options.maximumFileBytes = 50
            }
        }
        for file in texts.values { #expect(file.count <= 50 || lines(file).count == 1) }
        #expect(Set(lines(texts)) == Set((0..<97).map(line)))
    }

    @Test func orderedRangesAreDealtToSlices() throws {
        let folder = TemporaryFolder()
        let rows = 150_000
        let texts = try withExtendedLifetime(folder) { try unload(rows, folder, slices: 3, workers: 2) }
        #expect(texts.keys.sorted() == ["0000_part_00", "0001_part_00", "0002_part_00"])
        var seen: [Int] = []
        for file in texts.values {
            let numbers = lines(file).compactMap { $0.split(separator: "|").first.flatMap { Int($0) } }
            #expect(numbers == numbers.sorted())
            seen += numbers
        }
        #expect(seen.sorted() == Array(0..<rows))
        let other = TemporaryFolder()
        let again = try withExtendedLifetime(other) { try unload(rows, other, slices: 3, workers: 1) }
        #expect(again == texts)
    }

    @Test(arguments: [UnloadOptions.Compression.gzip, .zstd])
    func compressedFilesKeepToTheirSize(_ compression: UnloadOptions.Compression) throws {
        let folder = TemporaryFolder()
        let limit: Int64 = 700_000
        let texts = try withExtendedLifetime(folder) {
            try unload(60_000, folder) { options in
                options.parallel = false
                options.compression = compression
                options.maximumFileBytes = limit
            }
        }
        var all: [String] = []
        for (_, bytes) in texts.sorted(by: { $0.key < $1.key }) {
            #expect(bytes.count <= limit)
            all += lines(try unpacked(bytes, compression))
        }
        #expect(all == (0..<60_000).map(line))
    }

    /// A file that rests has several members.
    @Test(arguments: [UnloadOptions.Compression.gzip, .zstd])
    func restingFilesGoOn(_ compression: UnloadOptions.Compression) throws {
        let object = MemoryObject()
        let file = UnloadFile("x", object, compression)
        for text in ["one\n", "two\n", ""] {
            try Array(text.utf8).withUnsafeBytes { try file.write($0) }
            try file.keep(rows: 1)
            try file.rest()
        }
        try file.close()
        #expect(object.rests == 4)
        #expect(file.writtenBytes == Int64(object.bytes.count))
        #expect(try unpacked(object.bytes, compression) == Array("one\ntwo\n".utf8))
    }

    private final class MemoryObject: OutputObject {
        var bytes: [UInt8] = []
        var rests = 0
        func append(_ more: UnsafeRawBufferPointer) { bytes += more }
        func rest() { rests += 1 }
        func close() {}
    }

    private final class MemoryInput: LoadInput {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
            let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
            buffer.copyBytes(from: rest)
            return rest.count
        }
    }

    private func unpacked(_ bytes: [UInt8], _ compression: UnloadOptions.Compression) throws -> [UInt8] {
        let input = MemoryInput(bytes)
        let stream: any ByteStream =
            compression == .gzip ? try GzipStream(input, name: "x") : try ZstdStream(input, name: "x")
        var result: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 100_000)
        while true {
            let count = try piece.withUnsafeMutableBytes { try stream.read(into: $0) }
            if count == 0 { return result }
            result += piece.prefix(count)
        }
    }

    // MARK: Places

    @Test func linksDoNotLeadOut() throws {
        let folder = TemporaryFolder()
        let system = LocalFileSystem()
        try withExtendedLifetime(folder) {
            let root = folder.path
            for name in ["s3/b", "outside", "allowed"] { try system.makeDirectories(root + "/" + name) }
            try folder.write("outside/secret", "1\n")
            #expect(symlink(root + "/outside", root + "/s3/b/link") == 0)
            #expect(symlink(root + "/outside/secret", root + "/s3/b/file") == 0)
            #expect(symlink(root + "/outside", root + "/allowed/link") == 0)
            #expect(symlink(root + "/nowhere", root + "/allowed/dangling") == 0)
            let places = StoragePlaces(
                s3Root: root + "/s3", policy: LocalPathPolicy(allowedRoots: [root + "/allowed"]))
            for location in [
                "s3://b/link/", "s3://b/file", "s3://b/l", root + "/outside/secret", "\(root)/allowed/link/",
            ] {
                let error = #expect(throws: SQLError.self) { try places.source(location).list() }
                #expect(error?.state == .insufficientPrivilege, "\(location)")
            }
            for location in [
                "s3://b/link/x", root + "/outside/x", root + "/allowed/link/x", root + "/allowed/../outside/x",
                root + "/allowed/new/../../outside/x", root + "/allowed/dangling/x",
            ] {
                let error = #expect(throws: SQLError.self) {
                    let place = try places.destination(location)
                    try place.checkEmpty()
                    defer { place.abandon() }
                    _ = try place.create("000")
                }
                #expect(error?.state == .insufficientPrivilege, "\(location)")
            }
            #expect(try system.list(root + "/outside") == ["secret"])
            #expect(try system.list(root + "/allowed") == ["dangling", "link"])
            let fine = try places.destination(root + "/allowed/new/deeper/x_")
            _ = try fine.create("000")
            #expect(try fine.publish(last: nil, replacing: .none) == [])
            #expect(try system.list(root + "/allowed/new/deeper") == ["x_000"])
        }
    }

    @Test func withoutAFolderThereIsNoS3() throws {
        let error = #expect(throws: SQLError.self) { try StoragePlaces().destination("s3://bucket/key") }
        #expect(error?.state == .featureNotSupported)
        #expect(error?.hint?.contains("--s3-root DIR") == true)
    }
}
