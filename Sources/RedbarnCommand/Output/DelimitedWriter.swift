import SQLTypes
import Warehouse

/// CSV as RFC 4180 with a header line (NULL is an empty field, an empty string is quoted), and TSV with backslash
/// escapes.
final class DelimitedWriter: ResultWriter {
    enum Style { case csv, tsv }
    private let output: OutputSink
    private let display: DisplaySettings
    private let delimiter: UInt8
    private let style: Style

    init(_ output: OutputSink, _ display: DisplaySettings, delimiter: UInt8, style: Style) {
        self.output = output
        self.display = display
        self.delimiter = delimiter
        self.style = style
    }

    func begin(_ columns: [ResultColumn]) {
        if display.tuplesOnly { return }
        for (index, column) in columns.enumerated() {
            if index > 0 { output.text.append(delimiter) }
            var name = column.name
            name.withUTF8 { append($0) }
        }
        output.text.append(10)
    }

    func row(_ row: RowText) throws {
        for column in 0..<row.count {
            if column > 0 { output.text.append(delimiter) }
            if row.isNull(column) {
                output.write(display.nullText)
            } else {
                append(row.bytes(column))
            }
        }
        output.text.append(10)
        try output.flushIfFull()
    }

    func end(rowCount: Int) throws {}

    private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        switch style {
        case .csv: appendQuoted(bytes)
        case .tsv: appendEscaped(bytes)
        }
    }

    private func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) {
        let needsQuotes = bytes.isEmpty || bytes.contains { $0 == delimiter || $0 == 34 || $0 == 10 || $0 == 13 }
        guard needsQuotes else { return output.text.append(bytes) }
        output.text.append(34)
        for byte in bytes {
            if byte == 34 { output.text.append(34) }
            output.text.append(byte)
        }
        output.text.append(34)
    }

    private func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) {
        for byte in bytes {
            switch byte {
            case 9: output.text.append("\\t")
            case 10: output.text.append("\\n")
            case 13: output.text.append("\\r")
            case UInt8(ascii: "\\"): output.text.append("\\\\")
            default: output.text.append(byte)
            }
        }
    }
}
