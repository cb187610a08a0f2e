import ColumnVectors
import SQLTypes

/// Takes the values that are not NULL out of batches, in the form in which columns are collected. One per writer.
final class ParquetOutputGather {
    static let rows = 1024
    private let words = UnsafeMutablePointer<UInt64>.allocate(capacity: rows)
    private let views = UnsafeMutablePointer<StringView>.allocate(capacity: rows)
    private let numbers = UnsafeMutablePointer<UInt32>.allocate(capacity: rows)
    /// Texts and decimals that stand in no batch.
    private let text = TextBuffer()

    deinit {
        words.deallocate()
        views.deallocate()
        numbers.deallocate()
    }

    /// At most ``rows``. Valid until the next call.
    func take(
        _ batch: ColumnBatch, _ index: Int, _ type: ParquetOutputType, _ rows: Range<Int>
    ) throws -> ParquetOutputRun {
        var run = ParquetOutputRun(words: words, views: views, numbers: numbers)
        let column = batch.columns[index]
        let validity = column.validity.map { UnsafePointer($0 + rows.lowerBound) }
        let from = column.values + rows.lowerBound * column.physical.byteWidth
        switch type.form {
        case .truth, .narrow, .wide:
            run.count = try takeIntegers(from, column.physical, validity, rows.count)
        case .float, .double:
            guard column.physical == .float64 else { throw ParquetOutputGather.wrongForm(column.physical, type) }
            let values = from.assumingMemoryBound(to: Double.self)
            run.count =
                type.form == .double
                ? takeEach(validity, rows.count) { values[$0].bitPattern }
                : takeEach(validity, rows.count) { UInt64(Float(values[$0]).bitPattern) }
        case .string:
            guard column.physical == .string else { throw ParquetOutputGather.wrongForm(column.physical, type) }
            run.count = takeViews(from.assumingMemoryBound(to: StringView.self), validity, rows.count)
        case .decimalBytes(let width): run.count = try takeDecimals(column, rows, width)
        case .text: run.count = takeTexts(batch, index, rows)
        }
        return run
    }

    private static func wrongForm(_ physical: PhysicalType, _ type: ParquetOutputType) -> SQLError {
        SQLError(.internalError, "a Parquet column of \(type.type) got values of the form \(physical)")
    }

    @inline(__always)
    private func takeEach(_ validity: UnsafePointer<UInt8>?, _ rows: Int, _ value: (Int) -> UInt64) -> Int {
        guard let validity else {
            for row in 0..<rows { words[row] = value(row) }
            return rows
        }
        var count = 0
        for row in 0..<rows {
            words[count] = value(row)
            count &+= Int(validity[row])
        }
        return count
    }

    private func takeIntegers(
        _ from: UnsafeMutableRawPointer, _ physical: PhysicalType, _ validity: UnsafePointer<UInt8>?, _ rows: Int
    ) throws -> Int {
        switch physical {
        case .uint8:
            let values = from.assumingMemoryBound(to: UInt8.self)
            return takeEach(validity, rows) { UInt64(values[$0]) }
        case .uint16:
            let values = from.assumingMemoryBound(to: UInt16.self)
            return takeEach(validity, rows) { UInt64(values[$0]) }
        case .int32:
            let values = from.assumingMemoryBound(to: Int32.self)
            return takeEach(validity, rows) { UInt64(bitPattern: Int64(values[$0])) }
        case .int64:
            let values = from.assumingMemoryBound(to: UInt64.self)
            return takeEach(validity, rows) { values[$0] }
        case .int128:
            let values = from.assumingMemoryBound(to: Int128.self)
            return takeEach(validity, rows) { UInt64(truncatingIfNeeded: values[$0]) }
        case .float64, .string:
            throw SQLError(.internalError, "a Parquet column of integers got values of the form \(physical)")
        }
    }

    private func takeViews(
        _ from: UnsafePointer<StringView>, _ validity: UnsafePointer<UInt8>?, _ rows: Int
    ) -> Int {
        guard let validity else {
            views.update(from: from, count: rows)
            return rows
        }
        var count = 0
        for row in 0..<rows where validity[row] != ValidityBytes.null {
            views[count] = from[row]
            count &+= 1
        }
        return count
    }

    /// The highest byte first.
    private func takeDecimals(_ column: ColumnBuffer, _ rows: Range<Int>, _ width: Int) throws -> Int {
        text.removeAll()
        let out = text.room(rows.count * width)
        var count = 0
        for row in rows where !column.isNull(row) {
            guard case .integer(let value) = column.datum(row: row, type: .decimal(precision: 38, scale: 0)) else {
                continue
            }
            let place = out + count * width
            for index in 0..<width {
                place[index] = UInt8(truncatingIfNeeded: value >> Int128(8 * (width - 1 - index)))
            }
            views[count] = StringView(place, count: width)
            count += 1
        }
        return count
    }

    private func takeTexts(_ batch: ColumnBatch, _ index: Int, _ rows: Range<Int>) -> Int {
        text.removeAll()
        var ends: [Int] = []
        for row in rows where !batch.columns[index].isNull(row) {
            batch.datum(row: row, column: index).append(type: batch.types[index], to: text)
            ends.append(text.count)
        }
        var start = 0
        for (count, end) in ends.enumerated() {
            views[count] = StringView(text.base + start, count: end - start)
            start = end
        }
        return ends.count
    }
}
