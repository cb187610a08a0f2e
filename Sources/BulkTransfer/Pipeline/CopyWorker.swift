import Catalog
import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// One thread of a load: takes pieces of records from its reader, of whatever format, leaves bad rows out, completes
/// the others and hands them to its lane.
final class CopyWorker {
    private let job: CopyJob
    private let reader: any RecordReader
    private let lane: (any RowLane)?
    private let progress: LoadProgress
    /// All columns of the table; the ones of fields are filled first, the others when the batch is handed on.
    private let batch: ColumnBatch
    private let fields: [Int]
    private var bad = BadRecords()
    private var loaded = 0
    private(set) var totalLoaded = 0
    private static let batchRows = 32_768

    init(_ job: CopyJob, _ reader: any RecordReader, _ progress: LoadProgress) throws {
        self.job = job
        self.reader = reader
        self.progress = progress
        lane = job.options.noLoad ? nil : try job.sink?.makeLane()
        batch = ColumnBatch(types: job.table.columns.map(\.type))
        fields = job.columns.fields
    }

    /// - Returns: false when it has left for something more urgent, and there may be more pieces.
    func run(_ turn: WorkerTurn) throws -> Bool {
        while !progress.shouldStop, let piece = try reader.nextPiece() {
            try job.cancellation.check()
            try load(piece)
            if !turn.isNext() { return false }
        }
        return true
    }

    /// Loads a piece. Once the load is to be stopped, only errors are looked for: those before the one that stopped it
    /// have to be reported.
    private func load(_ piece: RecordPiece) throws {
        loaded = 0
        bad = BadRecords()
        batch.removeAll()
        while try reader.read(into: batch, &bad) {
            if readRows >= CopyWorker.batchRows { try flush() }
        }
        try flush()
        progress.add(
            bad.errors.map { LoadProgress.PendingError(file: piece.file, ordinal: piece.ordinal, error: $0) })
        totalLoaded += loaded
        let facts = LoadProgress.Piece(
            file: piece.file, ordinal: piece.ordinal, lines: reader.pieceLines, records: reader.pieceRecords,
            errors: bad.errors.count)
        progress.finish(facts, loaded: loaded, sourceBytes: piece.sourceBytes)
    }

    private var readRows: Int { batch.columns[fields[0]].count }

    private func flush() throws {
        let rows = readRows
        defer {
            batch.removeAll()
            bad.rows.removeAll(keepingCapacity: true)
        }
        let good = rows - bad.rows.count
        loaded += good
        guard let lane, good > 0, !progress.shouldStop else { return }
        let complete = bad.rows.isEmpty ? batch : try withoutBadRows(rows)
        try fillColumns(complete, good)
        try lane.append(complete)
    }

    /// A copy of the good rows.
    private func withoutBadRows(_ rows: Int) throws -> ColumnBatch {
        var selection: [UInt16] = []
        selection.reserveCapacity(rows)
        var next = 0
        for row in 0..<rows {
            if next < bad.rows.count && bad.rows[next] == row {
                next += 1
            } else {
                selection.append(UInt16(truncatingIfNeeded: row))
            }
        }
        let copy = ColumnBatch(types: batch.types)
        for field in fields {
            let source = batch.columns[field]
            try selection.withUnsafeBufferPointer {
                try copy.columns[field].append(
                    values: source.values, validity: source.validity.map { UnsafePointer($0) },
                    selection: $0.baseAddress, count: $0.count)
            }
        }
        return copy
    }

    /// Gives the columns without a field their values.
    private func fillColumns(_ target: ColumnBatch, _ rows: Int) throws {
        for (index, fill) in job.columns.fills {
            guard target.columns.indices.contains(index), !fields.contains(index) else { continue }
            let column = target.columns[index]
            switch fill {
            case .constant(let value): try column.append(value, repeated: rows)
            case .identity(let generator):
                let (first, step) = try generator.reserve(rows)
                var value = Int128(first)
                for _ in 0..<rows {
                    try column.append(integer: value)
                    value += Int128(step)
                }
            }
        }
    }
}
