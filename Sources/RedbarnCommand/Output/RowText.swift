import ColumnVectors
import SQLTypes
import Warehouse

/// One row's values as text, refilled row by row.
final class RowText {
    let text = TextBuffer()
    private(set) var ends: [Int] = []
    private(set) var nulls: [Bool] = []
    private let columns: [ResultColumn]
    private let zone: ZoneRules
    private let intervals: IntervalStyle

    init(columns: [ResultColumn], zone: ZoneRules, intervals: IntervalStyle = .postgres) {
        self.columns = columns
        self.zone = zone
        self.intervals = intervals
    }

    var count: Int { ends.count }
    func isNull(_ column: Int) -> Bool { nulls[column] }

    /// The bytes of a value; valid until the row is filled again.
    func bytes(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        let start = column == 0 ? 0 : ends[column - 1]
        return UnsafeBufferPointer(start: text.base + start, count: ends[column] - start)
    }
    func string(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

    func fill(_ batch: ColumnBatch, row: Int) {
        clear()
        for column in batch.columns.indices {
            let buffer = batch.columns[column]
            let isNull = buffer.isNull(row)
            if !isNull {
                if buffer.physical == .string && !columns[column].type.family.isBinaryString {
                    text.append(buffer.values(as: StringView.self)[row].bytes)
                } else {
                    buffer.datum(row: row, type: columns[column].type).append(
                        type: columns[column].type, to: text, zone: zone, intervals: intervals)
                }
            }
            nulls.append(isNull)
            ends.append(text.count)
        }
    }

    func fill(_ values: [String?]) {
        clear()
        for value in values {
            if let value { text.append(text: value) }
            nulls.append(value == nil)
            ends.append(text.count)
        }
    }

    private func clear() {
        text.removeAll()
        ends.removeAll(keepingCapacity: true)
        nulls.removeAll(keepingCapacity: true)
    }
}
