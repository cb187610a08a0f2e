import Catalog
import ColumnStore
import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// A warehouse in a directory of its own, removed at the end.
final class StoreFixture {
    let directory: String
    let budget: MemoryBudget
    let pool = WorkerPool(workers: 2)

    init(limit: Int = 1 << 30) throws {
        budget = MemoryBudget(limit: limit)
        var template = Array("/tmp/rb-store-XXXXXX".utf8CString)
        directory = template.withUnsafeMutableBufferPointer { String(cString: mkdtemp($0.baseAddress!)) }
    }
    deinit { try? LocalFileSystem().removeTree(directory) }

    func open(
        _ fileSystem: any FileSystem = LocalFileSystem(), slices: Int = 2, nodes: Int = 1,
        options: StoreOptions = StoreFixture.options
    ) throws -> Store {
        try Store.open(
            directory: directory + "/db", fileSystem: fileSystem,
            shape: ClusterShape(nodes: nodes, slicesPerNode: slices), budget: budget, options: options)
    }

    static var options: StoreOptions {
        var options = StoreOptions()
        options.synchronize = false
        // Most tests are about files.
        options.logRows = 0
        return options
    }

    static func table(
        _ id: Int64, _ name: String, _ columns: [(String, SQLType)], distribution: DistributionStyle = .even,
        sortKey: SortKey = .none, encoding: ColumnEncoding = .auto
    ) -> TableDefinition {
        TableDefinition(
            id: ObjectID(id), schema: "public", name: name,
            columns: columns.enumerated().map {
                ColumnDefinition(id: Int32($0.offset), name: $0.element.0, type: $0.element.1, encoding: encoding)
            },
            distribution: distribution, sortKey: sortKey)
    }

    static func batch(_ definition: TableDefinition, _ rows: [[Datum]]) throws -> ColumnBatch {
        let batch = ColumnBatch(types: definition.columns.map(\.type))
        for row in rows { try batch.append(row) }
        return batch
    }

    /// Creates the table if needed and adds the rows in one commit.
    func load(_ store: Store, _ definition: TableDefinition, _ rows: [[Datum]], lanes: Int = 1) throws {
        let writer = try store.writer(for: definition)
        let all = (0..<lanes).map { _ in writer.makeLane() }
        for (index, lane) in all.enumerated() {
            let from = rows.count * index / lanes
            let to = rows.count * (index + 1) / lanes
            try lane.append(try StoreFixture.batch(definition, Array(rows[from..<to])))
        }
        var change = StoreChange()
        var catalog = store.snapshot().catalog
        catalog.put(.table(definition))
        change.catalog = catalog
        change.added = [try writer.finish(StatementWorkers(pool))]
        try store.commit(change)
    }

    /// All rows in storage order.
    static func rows(_ table: TableSnapshot) throws -> [[Datum]] {
        var result: [[Datum]] = []
        for part in try table.parts {
            for group in 0..<part.rowGroupCount {
                let batch = ColumnBatch(types: table.definition.columns.map(\.type))
                for column in table.definition.columns.indices {
                    try part.decode(column: column, group: group, into: batch.columns[column])
                }
                for row in 0..<batch.rowCount { result.append(batch.row(row)) }
            }
        }
        return result
    }

    /// The rows that are left.
    static func live(_ table: TableSnapshot) throws -> [[Datum]] {
        var result: [[Datum]] = []
        for part in try table.parts {
            for group in 0..<part.rowGroupCount {
                let batch = ColumnBatch(types: table.definition.columns.map(\.type))
                try part.decodeLive(group: group, into: batch)
                for row in 0..<batch.rowCount { result.append(batch.row(row)) }
            }
        }
        return result
    }

    static func sorted(_ rows: [[Datum]]) -> [String] { rows.map { "\($0)" }.sorted() }
}
