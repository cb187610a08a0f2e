import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLSyntax
import SQLTypes
import Synchronization

/// ANALYZE COMPRESSION: encodes a sample of each column with the encodings that the store knows and reports the one
/// that takes least space. Changes nothing.
extension StatementExecution {
    private static let defaultRowsPerSlice = 100_000

    func analyzeCompression(
        _ tables: [TableDefinition], columns: [Int], rows: Int64?, _ snapshot: StoreSnapshot
    ) throws {
        if let rows, !(1_000...1_000_000_000).contains(rows) {
            throw SQLError(.invalidParameterValue, "COMPROWS must be between 1000 and 1000000000")
        }
        let perSlice = max(
            Int(rows ?? 0) / max(warehouse.shape.slices, 1), StatementExecution.defaultRowsPerSlice)
        let text = SQLType.varchar(SQLType.maximumVarcharLength)
        let names = ["Table", "Column", "Encoding"].map { ResultColumn(name: $0, type: text) }
        let result = names + [ResultColumn(name: "Est_reduction_pct", type: .decimal(precision: 5, scale: 2))]
        try handler.begin(columns: result)
        let batch = ColumnBatch(types: result.map(\.type))
        for definition in tables {
            guard let table = snapshot.table(definition.id) else { continue }
            let chosen = columns.isEmpty ? Array(definition.columns.indices) : columns
            for (column, trial) in zip(chosen, try trials(table, chosen, perSlice)) {
                try batch.append([
                    .text(definition.name), .text(definition.columns[column].name), .text(trial.encoding.rawValue),
                    .integer(Int128((trial.reduction * 10_000).rounded())),
                ])
                note(trial, table, column)
            }
        }
        rowCount = batch.rowCount
        if rowCount > 0 { try handler.rows(batch) }
        try handler.end(tag: "ANALYZE COMPRESSION")
    }

    private func trials(_ table: TableSnapshot, _ columns: [Int], _ perSlice: Int) throws -> [CompressionTrial] {
        let sample = try TableSample(runsOf: table, rowsPerSlice: perSlice)
        let found = Lock<[Int: CompressionTrial]>([:])
        let next = Atomic<Int>(0)
        try workers.run { _, turn in
            while true {
                let place = next.add(1, ordering: .relaxed).oldValue
                if place >= columns.count { return true }
                try cancellation.check()
                let column = columns[place]
                let trial = try CompressionTrial.best(
                    of: sample.values(column: column, of: table), column: table.definition.columns[column],
                    store: store)
                found.withLock { $0[column] = trial }
                if !turn.isNext() { return false }
            }
        }
        return found.withLock { found in columns.compactMap { found[$0] } }
    }

    private func note(_ trial: CompressionTrial, _ table: TableSnapshot, _ column: Int) {
        warehouse.compressionLog.add(
            CompressionLog.Entry(
                transaction: transaction.number, user: user.id, table: table.definition,
                column: column, old: table.definition.columns[column].encoding, new: trial.encoding,
                startMicroseconds: started))
    }
}

/// What STL_ANALYZE_COMPRESSION tells. In memory, bounded, newest kept.
final class CompressionLog: Sendable {
    struct Entry: Sendable {
        var transaction: Int64
        /// A user's id.
        var user: Int
        var table: TableDefinition
        var column: Int
        var old: ColumnEncoding
        var new: ColumnEncoding
        var startMicroseconds: Int64
    }
    private let state = Lock<[Entry]>([])
    private static let kept = 10_000

    func add(_ entry: Entry) {
        state.withLock {
            $0.append(entry)
            if $0.count > 2 * CompressionLog.kept { $0.removeFirst($0.count - CompressionLog.kept) }
        }
    }
    var entries: [Entry] { state.withLock { $0 } }
}
