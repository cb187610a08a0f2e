import ColumnVectors
import SQLTypes

/// Writes rows in PostgreSQL's text and CSV formats.
public struct ClientRowWriter: Sendable {
    private let format: ClientStreamFormat
    private let types: [SQLType]
    private let zone: ZoneRules
    private let extraDigits: Int
    private let intervals: IntervalStyle

    public init(
        _ format: ClientStreamFormat, types: [SQLType], zone: ZoneRules, intervals: IntervalStyle = .postgres,
        extraDigits: Int
    ) {
        self.format = format
        self.types = types
        self.zone = zone
        self.extraDigits = extraDigits
        self.intervals = intervals
    }

    /// One row with its line end.
    /// - Parameter scratch: emptied and filled; keep it between rows.
    public func append(_ batch: ColumnBatch, row: Int, to buffer: TextBuffer, scratch: TextBuffer) {
        for column in types.indices {
            if column > 0 { buffer.append(format.delimiter) }
            let value = batch.datum(row: row, column: column)
            if value.isNull {
                buffer.append(format.null)
                continue
            }
            scratch.removeAll()
            if case .boolean = types[column] {
                scratch.append(value == .integer(0) ? UInt8(ascii: "f") : UInt8(ascii: "t"))
            } else {
                value.append(
                    type: types[column], to: scratch, zone: zone, intervals: intervals, extraDigits: extraDigits,
                    padding: true)
            }
            if format.kind == .csv {
                appendCSV(scratch, to: buffer, isAlone: types.count == 1)
            } else {
                appendText(scratch, to: buffer)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    /// The names of the columns, for HEADER.
    public func appendHeader(_ names: [String], to buffer: TextBuffer) {
        for (index, name) in names.enumerated() {
            if index > 0 { buffer.append(format.delimiter) }
            let text = TextBuffer()
            text.append(Array(name.utf8))
            if format.kind == .csv {
                appendCSV(text, to: buffer, isAlone: false)
            } else {
                appendText(text, to: buffer)
            }
        }
        buffer.append(UInt8(ascii: "\n"))
    }

    private func appendText(_ text: TextBuffer, to buffer: TextBuffer) {
        for byte in text.bytes {
            switch byte {
            case 8: escape("b", buffer)
            case 9: escape("t", buffer)
            case 10: escape("n", buffer)
            case 11: escape("v", buffer)
            case 12: escape("f", buffer)
            case 13: escape("r", buffer)
            case UInt8(ascii: "\\"), format.delimiter:
                buffer.append(UInt8(ascii: "\\"))
                buffer.append(byte)
            default: buffer.append(byte)
            }
        }
    }

    private func escape(_ letter: Unicode.Scalar, _ buffer: TextBuffer) {
        buffer.append(UInt8(ascii: "\\"))
        buffer.append(UInt8(ascii: letter))
    }

    private func appendCSV(_ text: TextBuffer, to buffer: TextBuffer, isAlone: Bool) {
        let bytes = text.bytes
        let isEndMark = isAlone && bytes.elementsEqual("\\.".utf8)
        let needsQuotes =
            isEndMark || bytes.elementsEqual(format.null)
            || bytes.contains { $0 == format.delimiter || $0 == format.quote || $0 == 10 || $0 == 13 }
        guard needsQuotes else { return buffer.append(bytes) }
        buffer.append(format.quote)
        for byte in bytes {
            if byte == format.quote || byte == format.escape { buffer.append(format.escape) }
            buffer.append(byte)
        }
        buffer.append(format.quote)
    }
}
