import BulkTransfer
import Catalog
import ColumnStore
import ColumnVectors
import SQLTypes

/// Which files a job has loaded: a table of its own, whose rows are committed together with those of the files. So each
/// file is loaded once, whatever happens in between.
struct CopyJobRecord {
    struct File: Hashable {
        var name: String
        var sizeBytes: Int64
        /// nil: it could not be loaded.
        var rows: Int64?
        var query: Int64
        var microseconds: Int64
        var message: String?
    }
    /// The latest of each file.
    private(set) var files: [LoadObject.Key: File] = [:]

    private static let columns: [(name: String, type: SQLType)] = [
        ("file_name", .varchar(8192)), ("file_size", .bigint), ("loaded_rows", .bigint), ("query", .bigint),
        ("moment", .timestamp), ("message", .varchar(1024)),
    ]

    static func makeTable(for job: CopyJobDefinition, in catalog: inout CatalogSnapshot) throws -> TableDefinition {
        let schema = CopyJobDefinition.recordSchema
        if catalog.schema(named: schema) == nil {
            catalog.put(
                SchemaDefinition(id: catalog.makeObjectID(), name: schema, owner: UserDefinition.bootstrapID))
        }
        let table = TableDefinition(
            id: catalog.makeObjectID(), schema: schema, name: "files_\(job.id.raw)",
            columns: columns.enumerated().map { index, column in
                ColumnDefinition(id: Int32(clamping: index), name: column.name, type: column.type)
            }, distribution: .even, owner: UserDefinition.bootstrapID)
        catalog.put(table.object)
        return table
    }

    // MARK: Reading

    /// Of a state in which no run of the job is under way.
    init(_ job: CopyJobDefinition, _ snapshot: StoreSnapshot) throws {
        guard let data = snapshot.table(job.record), data.definition.columns.count == CopyJobRecord.columns.count
        else { throw CopyJobRecord.missing(job) }
        for part in try data.parts {
            for group in 0..<part.rowGroupCount {
                let rows = ColumnBatch(types: CopyJobRecord.columns.map(\.type))
                try part.decodeLive(group: group, into: rows)
                for row in 0..<rows.rowCount { add(CopyJobRecord.file(rows.row(row))) }
            }
        }
    }

    /// A file that failed may have been loaded later.
    private mutating func add(_ file: File?) {
        guard let file else { return }
        if let known = files[LoadObject.Key(file.name)], known.rows != nil || known.microseconds > file.microseconds,
            file.rows == nil
        {
            return
        }
        files[LoadObject.Key(file.name)] = file
    }

    private static func file(_ row: [Datum]) -> File? {
        guard row.count == columns.count, let name = text(row[0]) else { return nil }
        return File(
            name: name, sizeBytes: number(row[1]) ?? 0, rows: number(row[2]), query: number(row[3]) ?? 0,
            microseconds: number(row[4]) ?? 0, message: text(row[5]))
    }
    private static func number(_ value: Datum) -> Int64? {
        if case .integer(let number) = value { Int64(truncatingIfNeeded: number) } else { nil }
    }
    private static func text(_ value: Datum) -> String? {
        if case .string(let bytes) = value { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    var loaded: Set<LoadObject.Key> { Set(files.filter { $0.value.rows != nil }.keys) }
    var failed: Set<LoadObject.Key> { Set(files.filter { $0.value.rows == nil }.keys) }

    static func missing(_ job: CopyJobDefinition) -> SQLError {
        SQLError(
            .undefinedTable, "the record of copy job \"\(job.name)\" is missing",
            hint: "Drop the job and make it again: it will load all files of its location.")
    }

    // MARK: Writing

    /// New rows, for the change that the files are committed with.
    static func parts(
        _ files: [File], _ job: CopyJobDefinition, _ execution: StatementExecution, _ snapshot: StoreSnapshot
    ) throws -> WrittenParts {
        guard case .table(let table)? = snapshot.catalog.relation(id: job.record) else { throw missing(job) }
        let batch = ColumnBatch(types: columns.map(\.type))
        for file in files {
            try batch.append([
                .text(file.name), .wide(file.sizeBytes), file.rows.map { .wide($0) } ?? .null, .wide(file.query),
                .wide(file.microseconds), .optional(file.message.map { String($0.prefix(250)) }),
            ])
        }
        let writer = try execution.store.writer(for: table, view: snapshot)
        do {
            if writer.canFinish(with: batch) { return try writer.finish(with: batch) }
            try writer.makeLane().append(batch)
            return try writer.finish(execution.workers)
        } catch {
            writer.abort()
            throw error
        }
    }
}
