import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

@testable import BulkTransfer

/// The files that Fixtures/make_parquet.py makes, with their expected values.
enum ParquetFixtures {
    static var folder: String {
        let parts = #filePath.split(separator: "/").dropLast()
        return "/" + parts.joined(separator: "/") + "/Fixtures/parquet"
    }
    static func path(_ name: String) -> String { "\(folder)/\(name).parquet" }
    static func bytes(_ name: String) throws -> [UInt8] { try LocalFileSystem().readAll(path(name)) }

    /// Column types and rows of the text beside a file.
    static func expected(_ name: String) throws -> (types: [SQLType], rows: [String]) {
        let text = String(decoding: try LocalFileSystem().readAll("\(folder)/\(name).tsv"), as: UTF8.self)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let types = lines.removeFirst().split(separator: "\t").map { type(String($0)) }
        return (types, lines.map(String.init))
    }

    static func type(_ name: String) -> SQLType {
        let parts = name.split { "(,)".contains($0) }
        let numbers = parts.dropFirst().compactMap { Int($0) }
        switch parts[0] {
        case "boolean": return .boolean
        case "smallint": return .smallint
        case "integer": return .integer
        case "bigint": return .bigint
        case "real": return .real
        case "double": return .double
        case "date": return .date
        case "time": return .time
        case "timestamp": return .timestamp
        case "timestamptz": return .timestamptz
        case "char": return .char(numbers[0])
        case "varchar": return .varchar(numbers[0])
        default: return .decimal(precision: numbers[0], scale: numbers[1])
        }
    }

    /// As the texts beside the files show values.
    static func show(_ row: [Datum]) -> String {
        row.map { datum in
            switch datum {
            case .null: return "\\N"
            case .integer(let value): return "\(value)"
            case .double(let value):
                if value.isNaN { return "nan" }
                let digits = String(value.bitPattern, radix: 16)
                return String(repeating: "0", count: 16 - digits.count) + digits
            case .string(let bytes):
                var text = ""
                for character in String(decoding: bytes, as: UTF8.self).unicodeScalars {
                    switch character {
                    case "\\": text += "\\\\"
                    case "\t": text += "\\t"
                    case "\n": text += "\\n"
                    default: text.unicodeScalars.append(character)
                    }
                }
                return text
            case .interval(let value): return "\(value)"
            }
        }.joined(separator: "\t")
    }

    /// Loads a file, or a folder of them.
    @discardableResult
    static func load(
        _ location: String, _ table: TableDefinition, _ options: [RawCopyOption] = [], fields: [Int]? = nil,
        sink: any RowSink, workers: Int = 1, zone: ZoneRules = .utc
    ) throws -> CopyResult {
        let parsed = try CopyOptions(parsing: [RawCopyOption("FORMAT AS", [.word("parquet")])] + options)
        let places = fields ?? Array(table.columns.indices)
        var fills: [Int: CopyColumns.Fill] = [:]
        for index in table.columns.indices where !places.contains(index) { fills[index] = .constant(.integer(42)) }
        let job = try CopyJob(
            table: table, columns: CopyColumns(fields: places, fills: fills),
            source: LocalLoadSource(location: location), options: parsed, sink: sink,
            workers: StatementWorkers(WorkerPool(workers: workers)), cancellation: CancellationToken(),
            context: DatetimeContext(zone: zone), progress: nil, tuning: CopyJob.Tuning())
        return try job.run()
    }

    static func rows(_ name: String, _ types: [SQLType], _ options: [RawCopyOption] = []) throws -> [String] {
        let sink = MemorySink()
        try load(path(name), makeTable(types), options, sink: sink)
        return sink.rows.withLock { $0.map(show) }
    }

    /// The error of a load that must fail: the message, or code and reason of the first bad row.
    static func failure(
        _ name: String, _ types: [SQLType], _ options: [RawCopyOption] = [], notNull: Set<Int> = []
    ) -> String {
        do {
            try load(path(name), makeTable(types, notNull: notNull), options, sink: MemorySink())
        } catch let failure as LoadFailure {
            return failure.loadErrors.first.map { "\($0.line) \($0.column) \($0.code) \($0.reason)" } ?? "no row"
        } catch let error as SQLError {
            return "\(error.state) \(error.message)"
        } catch { return "\(error)" }
        return "none"
    }
}
