import SQLTypes
import Warehouse

/// An array of objects, one row a line.
final class JSONWriter: ResultWriter {
    private let output: OutputSink
    private var columns: [ResultColumn] = []
    private var isFirst = true

    init(_ output: OutputSink) { self.output = output }

    func begin(_ columns: [ResultColumn]) {
        self.columns = columns
        output.write("[")
    }

    func row(_ row: RowText) throws {
        output.write(isFirst ? "{" : ",\n {")
        isFirst = false
        for column in 0..<row.count {
            if column > 0 { output.write(", ") }
            JSONText.appendString(columns[column].name, to: output.text)
            output.write(": ")
            appendValue(row, column)
        }
        output.write("}")
        try output.flushIfFull()
    }

    func end(rowCount: Int) throws { output.line("]") }

    private func appendValue(_ row: RowText, _ column: Int) {
        let bytes = row.bytes(column)
        let type = columns[column].type
        if row.isNull(column) {
            output.write("null")
        } else if type == .boolean {
            output.write(bytes.first == UInt8(ascii: "t") ? "true" : "false")
        } else if type.isNumeric && isJSONNumber(bytes) {
            output.text.append(bytes)
        } else {
            JSONText.appendString(bytes, to: output.text)
        }
    }

    /// NaN and Infinity are not numbers to JSON, nor is a leading dot.
    private func isJSONNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let last = bytes.last, last >= 48, last <= 57 else { return false }
        let first = bytes[0] == UInt8(ascii: "-") && bytes.count > 1 ? bytes[1] : bytes[0]
        return first >= 48 && first <= 57
    }
}
