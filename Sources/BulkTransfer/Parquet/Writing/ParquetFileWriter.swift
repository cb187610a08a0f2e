import ColumnVectors
import Glibc
import SQLTypes

/// Writes one Parquet file. Confined to one thread at a time.
final class ParquetFileWriter: RecordWriter {
    private struct Group {
        struct Column {
            var chunk: ParquetOutputChunk
            var start: Int
            var dictionaryBytes: Int
            var bytes: Int
        }
        var rows: Int
        var columns: [Column]
    }
    private let columns: [ParquetColumnWriter]
    private let gather: ParquetOutputGather
    private let rowGroupBytes: Int
    private let target: any ByteTarget
    private var groups: [Group] = []
    private var groupRows = 0
    private var totalRows = 0
    /// Bytes written.
    private var place = 0

    init(_ columns: [OutputColumn], rowGroupBytes: Int, to target: any ByteTarget) {
        let scratch = ParquetOutputScratch()
        self.columns = columns.map { ParquetColumnWriter($0, scratch) }
        self.rowGroupBytes = max(rowGroupBytes, 1)
        self.target = target
        gather = ParquetOutputGather()
    }

    var heldBytes: Int { columns.reduce(0) { $0 + $1.heldBytes } }

    func write(_ batch: ColumnBatch, rows: Range<Int>) throws {
        guard batch.columns.count == columns.count, rows.lowerBound >= 0, rows.upperBound <= batch.rowCount else {
            throw SQLError(.internalError, "a Parquet writer of \(columns.count) columns got another batch")
        }
        var first = rows.lowerBound
        while first < rows.upperBound {
            let some = min(ParquetOutputGather.rows, rows.upperBound - first)
            for (index, column) in columns.enumerated() {
                try append(column, batch, index, first..<first + some)
            }
            groupRows += some
            first += some
            if heldBytes >= rowGroupBytes { try endGroup() }
        }
    }

    private func append(_ column: ParquetColumnWriter, _ batch: ColumnBatch, _ index: Int, _ rows: Range<Int>) throws {
        var first = rows.lowerBound
        while first < rows.upperBound {
            let some = min(column.room, rows.upperBound - first)
            let validity = batch.columns[index].validity.map { UnsafePointer($0 + first) }
            let run = try gather.take(batch, index, column.type, first..<first + some)
            try column.append(run, rows: some, validity: validity)
            first += some
        }
    }

    func finish() throws {
        if groupRows > 0 { try endGroup() }
        if place == 0 { try put(Array("PAR1".utf8)) }
        let footer = footer()
        guard let length = UInt32(exactly: footer.count) else {
            throw SQLError(.limitExceeded, "the footer of a Parquet file is too long")
        }
        try put(footer)
        try put((0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(8 * $0)) } + Array("PAR1".utf8))
    }

    private func put(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try target.write($0) }
        place += bytes.count
    }

    private func endGroup() throws {
        if place == 0 { try put(Array("PAR1".utf8)) }
        var group = Group(rows: groupRows, columns: [])
        for column in columns {
            var chunk = try column.take()
            let start = place
            try put(chunk.dictionary)
            try chunk.pages.write(to: target)
            place += chunk.pages.byteCount
            let dictionaryBytes = chunk.dictionary.count
            chunk.dictionary = []
            chunk.pages.removeAll()
            group.columns.append(
                Group.Column(chunk: chunk, start: start, dictionaryBytes: dictionaryBytes, bytes: place - start))
        }
        groups.append(group)
        totalRows += groupRows
        groupRows = 0
    }

    // MARK: The footer

    private func footer() -> [UInt8] {
        ThriftWriter.structure { file in
            file.field(1, int32: 1)
            file.field(2, list: .structure, count: columns.count + 1)
            file.element {
                $0.field(4, binary: Array("schema".utf8))
                $0.field(5, int32: columns.count)
            }
            for column in columns { column.type.element(column.name, &file) }
            file.field(3, int64: totalRows)
            file.field(4, list: .structure, count: groups.count)
            for group in groups { file.element { self.describe(group, &$0) } }
            file.field(6, binary: Array("redbarn".utf8))
            // Bounds are in the order of the types.
            file.field(7, list: .structure, count: columns.count)
            for _ in columns { file.element { $0.field(1) { _ in } } }
        }
    }

    private func describe(_ group: Group, _ writer: inout ThriftWriter) {
        writer.field(1, list: .structure, count: group.columns.count)
        for (writerColumn, column) in zip(columns, group.columns) {
            writer.element { chunk in
                chunk.field(2, int64: column.start)
                chunk.field(3) { self.describe(column, writerColumn, &$0) }
            }
        }
        writer.field(2, int64: group.columns.reduce(0) { $0 + $1.chunk.uncompressedBytes })
        writer.field(3, int64: group.rows)
    }

    private func describe(_ column: Group.Column, _ writerColumn: ParquetColumnWriter, _ meta: inout ThriftWriter) {
        meta.field(1, int32: writerColumn.type.physical.rawValue)
        meta.field(2, list: .int32, count: column.chunk.encodings.count)
        for encoding in column.chunk.encodings { meta.element(int32: encoding.rawValue) }
        meta.field(3, list: .binary, count: 1)
        meta.element(binary: Array(writerColumn.name.utf8))
        meta.field(4, int32: ParquetCodec.snappy.rawValue)
        meta.field(5, int64: column.chunk.rows)
        meta.field(6, int64: column.chunk.uncompressedBytes)
        meta.field(7, int64: column.bytes)
        meta.field(9, int64: column.start + column.dictionaryBytes)
        if column.dictionaryBytes > 0 { meta.field(11, int64: column.start) }
        meta.field(12) { column.chunk.statistics.write(&$0) }
    }
}
