import ColumnVectors
import Glibc
import SQLTypes

/// Writes rows as text: the texts of some hundred rows column by column, then row by row into one run of bytes. Each
/// call of the target gets whole rows, and nothing is held back.
final class TextRecordWriter: RecordWriter {
    private let columns: [ColumnText]
    private let target: any ByteTarget
    private let output = TextBuffer(capacity: 64 << 10)
    /// What stands before each column's value, and at a row's end.
    private let frames: TextBuffer
    private let prefixes: [FieldText]
    private let rowEnd: FieldText
    private let frameBytes: Int
    /// Rows that are made at once: fewer where they are long.
    private var pieceRows = TextRecordWriter.mostRows
    private static let mostRows = 1024
    private static let largePiece = 1 << 20

    init(_ format: TextOutput, _ columns: [OutputColumn], _ target: any ByteTarget) throws {
        self.target = target
        self.columns = columns.enumerated().map {
            ColumnText(format, $1, at: $0, rows: TextRecordWriter.mostRows)
        }
        let frames = TextBuffer()
        var ends: [Int] = []
        for (index, column) in columns.enumerated() {
            TextRecordWriter.appendFrame(format, column, isFirst: index == 0, to: frames)
            ends.append(frames.count)
        }
        if format.layout == .json { frames.append(columns.isEmpty ? "{}" : "}") }
        frames.append(10)
        var start = 0
        var prefixes: [FieldText] = []
        for end in ends {
            prefixes.append(FieldText(start: UnsafePointer(frames.base + start), count: end - start))
            start = end
        }
        self.frames = frames
        self.prefixes = prefixes
        rowEnd = FieldText(start: UnsafePointer(frames.base + start), count: frames.count - start)
        frameBytes = frames.count
        if format.header {
            try TextRecordWriter.writeHeader(format, columns.map(\.name), to: target)
        }
    }

    private static func appendFrame(
        _ format: TextOutput, _ column: OutputColumn, isFirst: Bool, to frames: TextBuffer
    ) {
        switch format.layout {
        case .fixedWidth: break
        case .delimited, .csv: if !isFirst { frames.append(format.delimiter) }
        case .json:
            frames.append(isFirst ? "{" : ",")
            Array(column.name.utf8).withUnsafeBufferPointer { appendJSON($0, to: frames) }
            frames.append(UInt8(ascii: ":"))
        }
    }

    /// The names are dressed as values are.
    private static func writeHeader(_ format: TextOutput, _ names: [String], to target: any ByteTarget) throws {
        let line = TextBuffer()
        for (index, name) in names.enumerated() {
            if index > 0 { line.append(format.delimiter) }
            let column = OutputColumn(name: name, type: .varchar(SQLType.maximumVarcharLength))
            let text = ColumnText(format, column, at: index, rows: 1)
            let buffer = ColumnBuffer(.string)
            try Array(name.utf8).withUnsafeBufferPointer { try buffer.append(string: $0) }
            _ = try text.fill(buffer, 0..<1)
            line.append(text.texts[0].start, text.texts[0].count)
        }
        line.append(10)
        try target.write(UnsafeRawBufferPointer(line.bytes))
    }

    var heldBytes: Int { 0 }

    func write(_ batch: ColumnBatch, rows: Range<Int>) throws {
        var start = rows.lowerBound
        while start < rows.upperBound {
            let end = min(rows.upperBound, start + pieceRows)
            try writePiece(batch, start..<end)
            start = end
        }
    }

    private func writePiece(_ batch: ColumnBatch, _ rows: Range<Int>) throws {
        var total = rows.count * frameBytes
        for (column, buffer) in zip(columns, batch.columns) { total += try column.fill(buffer, rows) }
        output.removeAll()
        let texts = columns.map { UnsafePointer($0.texts) }
        let target = output.room(total)
        texts.withUnsafeBufferPointer { texts in
            prefixes.withUnsafeBufferPointer { prefixes in
                joinRows(texts, prefixes, rowEnd, rows.count, target)
            }
        }
        output.advance(total)
        try self.target.write(UnsafeRawBufferPointer(output.bytes))
        if total > TextRecordWriter.largePiece {
            pieceRows = max(pieceRows / 2, 1)
        } else if total < TextRecordWriter.largePiece / 4 {
            pieceRows = min(pieceRows * 2, TextRecordWriter.mostRows)
        }
    }

    func finish() throws {}
}

/// Puts the texts of all columns together, row by row. The target has room for all of them.
private func joinRows(
    _ columns: UnsafeBufferPointer<UnsafePointer<FieldText>>, _ prefixes: UnsafeBufferPointer<FieldText>,
    _ rowEnd: FieldText, _ rows: Int, _ target: UnsafeMutablePointer<UInt8>
) {
    var target = target
    for row in 0..<rows {
        for column in 0..<columns.count {
            let prefix = prefixes[column]
            copyText(prefix.start, target, prefix.count)
            target += prefix.count
            let text = columns[column][row]
            copyText(text.start, target, text.count)
            target += text.count
        }
        copyText(rowEnd.start, target, rowEnd.count)
        target += rowEnd.count
    }
}

/// `memcpy` for texts, most of which are short.
@inline(__always)
private func copyText(_ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>, _ count: Int) {
    let source = UnsafeRawPointer(from), target = UnsafeMutableRawPointer(to)
    if count < 4 {
        if count > 0 {
            to[0] = from[0]
            to[count &- 1] = from[count &- 1]
            to[count &>> 1] = from[count &>> 1]
        }
    } else if count <= 8 {
        let last = count &- 4
        let first = source.loadUnaligned(as: UInt32.self)
        let second = source.loadUnaligned(fromByteOffset: last, as: UInt32.self)
        target.storeBytes(of: first, as: UInt32.self)
        target.storeBytes(of: second, toByteOffset: last, as: UInt32.self)
    } else if count <= 16 {
        let last = count &- 8
        let first = source.loadUnaligned(as: UInt64.self)
        let second = source.loadUnaligned(fromByteOffset: last, as: UInt64.self)
        target.storeBytes(of: first, as: UInt64.self)
        target.storeBytes(of: second, toByteOffset: last, as: UInt64.self)
    } else {
        memcpy(target, source, count)
    }
}
