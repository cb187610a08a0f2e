import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization
import Testing

@testable import BulkTransfer

/// COPY's pipeline takes records of any format: here each object is a row of 8-byte integers, and negative ones are bad.
struct RecordFormatTests {
    private struct Numbers: RecordFormat {
        var workerBytes: Int { 1 << 16 }
        var headerLines: Int { 0 }
        func check(_ target: RecordTarget) throws {
            if target.fields.count != 1 { throw SQLError(.invalidParameterValue, "one column is filled") }
        }
        func open(
            _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
        ) throws -> any RecordSupply { Supply(objects: objects, source: source, column: target.fields[0]) }
    }

    private final class Supply: RecordSupply {
        let objects: [LoadObject]
        let source: any LoadSource
        let column: Int
        let next = Atomic<Int>(0)
        init(objects: [LoadObject], source: any LoadSource, column: Int) {
            self.objects = objects
            self.source = source
            self.column = column
        }
        func makeReader() throws -> any RecordReader { Reader(self) }
    }

    private final class Reader: RecordReader {
        private let supply: Supply
        private var values: [Int64] = []
        private var file = 0
        private(set) var pieceRecords = 0
        var pieceLines: Int { pieceRecords }
        init(_ supply: Supply) { self.supply = supply }

        func nextPiece() throws -> RecordPiece? {
            file = supply.next.add(1, ordering: .relaxed).oldValue
            guard file < supply.objects.count else { return nil }
            let object = supply.objects[file]
            values = Array(repeating: 0, count: Int(object.sizeBytes) / 8)
            _ = try values.withUnsafeMutableBytes { try supply.source.open(object).read(into: $0, at: 0) }
            pieceRecords = 0
            return RecordPiece(file: file, ordinal: 0, sourceBytes: Int(object.sizeBytes))
        }

        func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool {
            guard pieceRecords < values.count else { return false }
            let column = batch.columns[supply.column]
            // Two at a time: a piece takes several calls.
            for value in values[pieceRecords..<min(pieceRecords + 2, values.count)] {
                pieceRecords += 1
                if value < 0 {
                    bad.rows.append(column.count)
                    bad.errors.append(
                        LoadError(
                            file: supply.objects[file].name, line: pieceRecords, column: "b", type: "int8", length: "",
                            position: 0, rawLine: "\(value)", rawField: "\(value)", code: 1, reason: "negative"))
                }
                try column.append(integer: Int128(value))
            }
            return true
        }
    }

    private func load(_ objects: [[Int64]], tolerated: Int, _ sink: MemorySink) throws -> CopyResult {
        let folder = TemporaryFolder()
        for (index, values) in objects.enumerated() {
            try folder.write(
                "in/part\(index)",
                values.flatMap { value in
                    (0..<8).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
                })
        }
        var table = TableDefinition(id: ObjectID(1), schema: "public", name: "t", columns: [])
        table.columns = [
            ColumnDefinition(id: 0, name: "a", type: .integer), ColumnDefinition(id: 1, name: "b", type: .bigint),
        ]
        var options = CopyOptions()
        options.maxError = tolerated
        let job = try CopyJob(
            table: table, columns: CopyColumns(fields: [1], fills: [0: .constant(.integer(7))]),
            source: LocalLoadSource(location: folder.path + "/in"), options: options, sink: sink,
            workers: StatementWorkers(WorkerPool(workers: 2)), cancellation: CancellationToken(),
            context: DatetimeContext(),
            progress: nil, tuning: CopyJob.Tuning(), format: Numbers())
        return try job.run()
    }

    @Test func recordsOfAnyFormatAreLoaded() throws {
        let sink = MemorySink()
        let result = try load([[1, 2, 3], [], [-4, 5], [6]], tolerated: 1, sink)
        #expect(sink.sorted == ["7|1", "7|2", "7|3", "7|5", "7|6"])
        #expect(result.rowsLoaded == 5 && result.rowsScanned == 6 && result.errorCount == 1)
        #expect(result.errors.map(\.line) == [1] && result.errors.map(\.reason) == ["negative"])
        #expect(result.files.filter { $0.sizeBytes > 0 }.map(\.rowsScanned) == [3, 2, 1])
    }

    @Test func tooManyBadRecordsEndTheLoad() throws {
        let sink = MemorySink()
        #expect(throws: LoadFailure.self) { try load([[1, -2, -3]], tolerated: 1, sink) }
        #expect(sink.wasAborted)
    }
}
