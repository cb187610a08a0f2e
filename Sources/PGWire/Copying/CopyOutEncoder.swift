import ColumnVectors
import SQLTypes
import Warehouse

/// Makes CopyData messages of rows, one for each: clients take every message for a row.
final class CopyOutEncoder {
    private let format: ClientStreamFormat
    private let columns: [ResultColumn]
    private let style: TextStyle
    private let writer: ClientRowWriter
    private let scratch = TextBuffer()
    /// Nothing but the response has been sent.
    private var isAtStart = true

    init(_ format: ClientStreamFormat, columns: [ResultColumn], style: TextStyle) {
        self.format = format
        self.columns = columns
        self.style = style
        writer = ClientRowWriter(
            format, types: columns.map(\.type), zone: style.zone, intervals: style.intervals,
            extraDigits: style.extraDigits)
    }

    func begin(into buffer: TextBuffer) {
        let isBinary = format.kind == .binary
        CopyResponse(direction: .toClient, isBinary: isBinary, columnCount: columns.count).encode(
            into: buffer)
        if !isBinary && format.hasHeader {
            buffer.message(UInt8(ascii: "d")) { writer.appendHeader(columns.map(\.name), to: buffer) }
        }
    }

    /// The first row that is not encoded yet.
    func encode(_ batch: ColumnBatch, from first: Int, limit: Int, into buffer: TextBuffer) -> Int {
        if format.kind == .binary {
            let encoders = batch.columns.indices.map {
                ColumnEncoder(batch.columns[$0], type: columns[$0].type, isBinary: true)
            }
            return encoders.withUnsafeBufferPointer {
                if isAtStart, first < batch.rowCount { return encodeFirst($0, first, into: buffer) }
                return RowEncoding.encode(
                    $0, rows: first..<batch.rowCount, limit: limit, style: style, type: UInt8(ascii: "d"),
                    into: buffer)
            }
        }
        var row = first
        while row < batch.rowCount && buffer.count < limit {
            buffer.message(UInt8(ascii: "d")) {
                writer.append(batch, row: row, to: buffer, scratch: scratch)
            }
            row += 1
        }
        return row
    }

    /// The signature shares a message with the first row, as PostgreSQL sends it and clients expect it.
    private func encodeFirst(
        _ encoders: UnsafeBufferPointer<ColumnEncoder>, _ row: Int, into buffer: TextBuffer
    ) -> Int {
        isAtStart = false
        scratch.removeAll()
        _ = RowEncoding.encode(
            encoders, rows: row..<row + 1, limit: .max, style: style, type: UInt8(ascii: "d"),
            into: scratch)
        buffer.message(UInt8(ascii: "d")) {
            buffer.append(BinaryCopy.header)
            buffer.append(UnsafeBufferPointer(rebasing: scratch.bytes[5...]))
        }
        return row + 1
    }

    func end(into buffer: TextBuffer) {
        if format.kind == .binary {
            buffer.message(UInt8(ascii: "d")) {
                if isAtStart { buffer.append(BinaryCopy.header) }
                buffer.append(BinaryCopy.trailer)
            }
        }
        buffer.message(UInt8(ascii: "c")) {}
    }
}
