import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Parquet files. A piece is a row group.
struct ParquetRecords: RecordFormat {
    let options: CopyOptions
    let context: DatetimeContext
    /// Columns that are filled.
    let fields: Int

    /// About a window of the file and two pages for each column.
    var workerBytes: Int { (4 << 20) + min(fields, 64) * (ParquetLimits.windowBytes + (2 << 20)) }
    var headerLines: Int { 0 }

    func check(_ target: RecordTarget) throws {
        for field in target.fields {
            _ = try ColumnPlan(target.table.columns[field], tableIndex: field, options: options)
        }
    }

    func open(
        _ objects: [LoadObject], of source: any LoadSource, for target: RecordTarget, workers: Int
    ) throws -> any RecordSupply {
        let plans = try target.fields.map {
            try ColumnPlan(target.table.columns[$0], tableIndex: $0, options: options)
        }
        return ParquetSupply(self, plans, objects, source)
    }
}

/// Hands out the row groups of all files, in order. Files are opened one after the other, as workers run out of work;
/// whoever comes meanwhile waits. Safe from any thread.
final class ParquetSupply: RecordSupply {
    struct Piece {
        var file: ParquetFile
        var group: Int
    }
    private struct State {
        var nextObject = 0
        var file: ParquetFile?
        var nextGroup = 0
    }
    let format: ParquetRecords
    let plans: [ColumnPlan]
    private let objects: [LoadObject]
    private let source: any LoadSource
    private let state = Lock(State())

    init(_ format: ParquetRecords, _ plans: [ColumnPlan], _ objects: [LoadObject], _ source: any LoadSource) {
        self.format = format
        self.plans = plans
        self.objects = objects
        self.source = source
    }

    func makeReader() throws -> any RecordReader { try ParquetRecordReader(self) }

    func next() throws -> Piece? {
        try state.withLock { state in
            while true {
                if let file = state.file, state.nextGroup < file.footer.rowGroups.count {
                    defer { state.nextGroup += 1 }
                    return Piece(file: file, group: state.nextGroup)
                }
                state.file = nil
                guard state.nextObject < objects.count else { return nil }
                let index = state.nextObject
                state.nextObject += 1
                // Empty objects are the folder markers of object stores.
                if objects[index].sizeBytes == 0 { continue }
                state.nextGroup = 0
                state.file = try ParquetFile(
                    objects[index], index: index, try source.open(objects[index]), fields: plans.count, format.options)
            }
        }
    }
}

/// Reads row groups, some thousand rows of all columns at a time. Confined to its worker.
final class ParquetRecordReader: RecordReader {
    private let supply: ParquetSupply
    private let scratch: ParquetScratch
    private let memory = ParquetPageMemory()
    private var file: ParquetFile?
    /// By field; nil where the file has no column.
    private var columns: [(any ParquetFieldReader)?] = []
    private var rowsLeft = 0
    private(set) var pieceRecords = 0
    var pieceLines: Int { pieceRecords }

    init(_ supply: ParquetSupply) throws {
        self.supply = supply
        scratch = try ParquetScratch()
    }

    func nextPiece() throws -> RecordPiece? {
        columns = []
        memory.releaseRetired()
        guard let piece = try supply.next() else { return nil }
        let group = piece.file.footer.rowGroups[piece.group]
        file = piece.file
        rowsLeft = group.rows
        pieceRecords = 0
        var bytes = 0
        for (field, source) in piece.file.sources.enumerated() {
            let plan = supply.plans[field]
            switch source {
            case .missing: columns.append(nil)
            case .leaf(let leaf):
                bytes = min(bytes + group.chunks[leaf].length, Int.max / 2)
                columns.append(ParquetColumnReader(try chunk(piece.file, group, leaf, plan), scratch))
            case .nested(let column):
                let leaves = piece.file.footer.schema.columns[column].leaves
                for leaf in leaves { bytes = min(bytes + group.chunks[leaf].length, Int.max / 2) }
                columns.append(try nested(piece.file, group, column, plan))
            }
        }
        return RecordPiece(file: piece.file.index, ordinal: piece.group, sourceBytes: bytes)
    }

    private func chunk(
        _ file: ParquetFile, _ group: ParquetRowGroup, _ index: Int, _ plan: ColumnPlan
    ) throws -> ParquetChunkReader {
        let leaf = file.footer.schema.leaves[index]
        do {
            let conversion = try ParquetConversion(leaf, plan, supply.format.options, supply.format.context)
            return ParquetChunkReader(leaf, group.chunks[index], conversion, file.input, memory, scratch)
        } catch is ParquetConversion.IncompatibleColumn {
            throw ParquetFile.incompatible(file.name, leaf.text, plan)
        }
    }

    private func nested(
        _ file: ParquetFile, _ group: ParquetRowGroup, _ index: Int, _ plan: ColumnPlan
    ) throws -> ParquetNestedReader {
        let column = file.footer.schema.columns[index]
        guard case .varchar(let limit) = plan.kind else {
            throw ParquetFile.incompatible(file.name, "\(column.root.repetition) group \(column.name)", plan)
        }
        let leaves = try column.leaves.map { leaf in
            let definition = file.footer.schema.leaves[leaf]
            let type = try ParquetNestedReader.type(of: definition, file.name)
            let leafPlan = try ColumnPlan(
                ColumnDefinition(id: 0, name: plan.name, type: type), tableIndex: 0, options: supply.format.options)
            return ParquetLeafCursor(try chunk(file, group, leaf, leafPlan), type)
        }
        return ParquetNestedReader(
            column.root, leaves, firstLeaf: column.leaves.lowerBound, limit: limit, plan,
            zone: supply.format.context.zone)
    }

    func read(into batch: ColumnBatch, _ bad: inout BadRecords) throws -> Bool {
        guard rowsLeft > 0, let file else { return false }
        let first = batch.columns[supply.plans[0].tableIndex].count
        if first == 0 {
            memory.releaseRetired()
            for column in columns { column?.releaseStrings() }
        }
        let rows = min(rowsLeft, ParquetLimits.stepRows)
        var failed: [(row: Int, field: Int, value: ParquetBadValue)] = []
        for (field, plan) in supply.plans.enumerated() {
            var found: [ParquetBadValue] = []
            let target = batch.columns[plan.tableIndex]
            do {
                if let column = columns[field] {
                    try column.read(rows, into: target, &found)
                } else {
                    try fillNulls(rows, plan, target, &found)
                }
            } catch let damage as ParquetDamage {
                throw ParquetFile.invalid(file.name, damage.reason, column: plan.name)
            }
            failed += found.map { ($0.index, field, $0) }
        }
        if !failed.isEmpty { report(failed, first, file, &bad) }
        rowsLeft -= rows
        pieceRecords += rows
        return true
    }

    private func fillNulls(
        _ rows: Int, _ plan: ColumnPlan, _ target: ColumnBuffer, _ bad: inout [ParquetBadValue]
    ) throws {
        try target.append(.null, repeated: rows)
        if !plan.notNull { return }
        bad = (0..<rows).map { ParquetBadValue(index: $0, failure: .missingData, text: "") }
    }

    /// The first bad value of a row stands for it.
    private func report(
        _ failed: [(row: Int, field: Int, value: ParquetBadValue)], _ first: Int, _ file: ParquetFile,
        _ bad: inout BadRecords
    ) {
        var last = -1
        for (row, field, value) in failed.sorted(by: { ($0.row, $0.field) < ($1.row, $1.field) }) where row != last {
            last = row
            let plan = supply.plans[field]
            bad.rows.append(first + row)
            bad.errors.append(
                LoadError(
                    file: file.name, line: pieceRecords + row + 1, column: plan.name, type: plan.typeLabel,
                    length: plan.lengthLabel, position: value.failure.position, rawLine: "", rawField: value.text,
                    code: value.failure.code, reason: value.failure.reason))
        }
    }
}
